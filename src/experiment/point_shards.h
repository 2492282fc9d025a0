/* point_shards.h - The points of a run in the stores of all who work on it: one process, or the
 * parts into which a sweep is divided.
 *
 * Shard i of n takes the points whose number leaves the remainder i - 1 by n; it appends to a store
 * of its own and leaves out what another store has. Whoever puts the parts together reads all
 * stores: of a point that two of them have, the first counts. All have the same head. */
#pragma once
#include "experiment/point_store.h"
#include "experiment/result_folder.h"

#define DN_SHARDS_MOST 100000

/* @n of 0: the whole run. */
typedef struct {
    guint i, n;
} DnShard;

/* "2/8". DN_ERROR_RANGE: not such a pair, or out of range. */
gboolean dn_shard_parse(const char *text, DnShard *shard, GError **error);
gboolean dn_shard_has(const DnShard *shard, guint point);
/* (transfer full): the name of its lock: for dn_result_folder_open(). */
char *dn_shard_lock(const DnShard *shard);

typedef struct DnPointShards DnPointShards;

/* (transfer full): the stores in @dir, a folder of what is unfinished. @shard: whose store is made
 * longer, and made when it is not there; NULL: none is. Errors of point_store.h. */
DnPointShards *dn_point_shards_open(const char *dir, const DnShard *shard, const char *head,
                                    guint n_points, GError **error);
void dn_point_shards_free(DnPointShards *shards);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnPointShards, dn_point_shards_free)

/* Do for all stores together what the functions of one store do (point_store.h). */
guint dn_point_shards_done(const DnPointShards *shards);
gboolean dn_point_shards_has(const DnPointShards *shards, guint point);
gboolean dn_point_shards_add(DnPointShards *shards, guint point, GVariant *record, GError **error);
GVariant *dn_point_shards_get(DnPointShards *shards, guint point, GError **error);
/* @head: (transfer full): the head of a store in @dir; NULL: none can be read. FALSE +
 * error: the folder cannot be read. */
gboolean dn_point_shards_head(const char *dir, char **head,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Numbers of points with more than one record. */
guint dn_point_shards_twice(const DnPointShards *shards);
