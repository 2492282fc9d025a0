/* config_internal.h - Declarations that the files behind config.h share. */
#pragma once
#include "config/run_spec.h"

#define DN_CONFIG_MAX_DEPTH 64
#define DN_CONFIG_MAX_KEY 1024
#define DN_CONFIG_MAX_FILE ((gsize)64 << 20)
#define DN_CONFIG_MAX_TREE ((gint64)256 << 20)

/* One tree being built: what is left of its memory, and the files open above each other. */
typedef struct {
    gint64 budget;
    GPtrArray *chain; /* DnConfigFile*, outermost first */
} DnConfigLoader;

/* config_node.c */
DnConfigNode *dn_config_node_new(DnConfigKind kind, const char *file, guint line, guint column);
/* Both take @child; @key_node too. */
void dn_config_map_add(DnConfigNode *map, const char *key, DnConfigNode *key_node,
                       DnConfigNode *child);
void dn_config_list_add(DnConfigNode *list, DnConfigNode *child);
gboolean dn_config_find(const DnConfigNode *map, const char *key, guint *index);
void dn_config_map_remove(DnConfigNode *map, const char *key);
/* (transfer full): the value of @key, which leaves @map; or NULL. */
DnConfigNode *dn_config_map_take(DnConfigNode *map, const char *key);
/* Takes @bytes from @budget; FALSE + error at @at when the tree is too large. */
gboolean dn_config_charge(gint64 *budget, gint64 bytes, const DnConfigNode *at, GError **error);
gint64 dn_config_cost(const DnConfigNode *node); /* bytes of the subtree */
/* Names every node below by its place; checks the depth again, as includes add to it. */
gboolean dn_config_set_paths(DnConfigNode *node, const char *path, guint depth, gint64 *budget,
                             GError **error);

/* yaml.c: text to a raw tree, no paths yet, nothing spliced. */
DnConfigNode *dn_yaml_parse(const char *text, gsize length, const char *file, gint64 *budget,
                            GError **error);

/* ranges.c: @root (transfer full) with the list of its numbers in place of each range; or NULL. */
DnConfigNode *dn_config_expand_ranges(DnConfigNode *root, gint64 *budget, GError **error);

/* include.c: a file or text, includes spliced in, annotations unwrapped; no paths yet.
 * @at: the node that names the file, or NULL. */
DnConfigNode *dn_config_read_file(const char *path, const DnConfigNode *at, DnConfigLoader *loader,
                                  GError **error);
DnConfigNode *dn_config_read_text(const char *text, const char *file_name, GError **error);
DnConfigLoader *dn_config_loader_new(void);
void dn_config_loader_free(DnConfigLoader *loader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnConfigLoader, dn_config_loader_free)

/* param_value.c */
/* yes, no, true, false, on, off, in letters of any case; FALSE: another word. */
gboolean dn_param_parse_bool(const char *text, gboolean *out);
/* FALSE + error where @at is no scalar, or an empty one. */
gboolean dn_param_check_scalar(const DnConfigNode *at, const DnParamSpec *spec, GError **error);
/* A number, truth value or choice into @whole or @real, as its type has it. */
gboolean dn_param_parse_scalar(const DnConfigNode *at, const DnParamSpec *spec, gint64 *whole,
                               double *real, GError **error);

/* renamed_keys.c */
const char *dn_renamed_key(const char *old); /* what the key @old is called now, or NULL */
/* @node: the value of @key in @map, under its present or its old name (with a warning), or NULL.
 * FALSE + error where both names stand in one file. */
gboolean dn_renamed_get(const DnConfigNode *map, const char *key, const DnConfigNode **node,
                        GError **error);

/* misplaced_keys.c: (transfer full) what the unknown @key in a mapping of @keys was meant for, or
 * NULL; nor is a word guessed where one of @known, the names allowed there, is near. */
char *dn_misplaced_key(const DnParamSpec *keys, const char *key, const char *const *known);

/* run_spec.c: what @root (transfer full), of @file, says. */
DnRunSpec *dn_run_spec_new(DnConfigNode *root, const char *file, GError **error);
