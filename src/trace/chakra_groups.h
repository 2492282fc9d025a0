/* chakra_groups.h - the process groups of a Chakra trace: by name, the ranks in their order.
 *
 * The nodes name a group; who is in it stands outside: in a JSON file beside the trace,
 * `{"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}`, PREFIX.json or comm_group.json, as ASTRA-sim takes it
 * and STG (the symbolic tensor graph) writes it; or in a metadata node that PyTorch's observer
 * left in the trace: a text with `[{"pg_name": "1", "ranks": [0, 1]}, ...]` in it, no ranks meaning
 * all. Both are read; the nodes of a rank win over the file. */
#pragma once
#include "base/error.h"

typedef struct DnChakraGroups DnChakraGroups;

typedef struct {
    char *name;
    gint64 *ranks; /* [n] */
    guint32 n, handle;
} DnChakraGroup;

/* Reads the groups of a trace PREFIX.0.et, PREFIX.1.et, ... of @ranks files. NULL + `file:line:col:
 * what`. */
DnChakraGroups *dn_chakra_groups_new(const char *prefix, guint32 ranks, GError **error);
void dn_chakra_groups_free(DnChakraGroups *groups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnChakraGroups, dn_chakra_groups_free)
/* Reads the groups of a metadata node of @n bytes, if it lists any; they are kept until the next
 * forget. FALSE: it begins like a list of groups and is none. */
gboolean dn_chakra_groups_read(DnChakraGroups *groups, const char *text, gsize n);
void dn_chakra_groups_forget(DnChakraGroups *groups);
/* Finds a group by its name of @n bytes; NULL: it is not listed. */
const DnChakraGroup *dn_chakra_groups_find(const DnChakraGroups *groups, const char *name, gsize n);
gboolean dn_chakra_group_has(const DnChakraGroup *group, guint32 rank);
/* Returns the file that would list groups, for messages: "x.json or comm_group.json". */
char *dn_chakra_groups_place(const DnChakraGroups *groups);
