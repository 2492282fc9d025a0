/* registry.h - Lists of types by name: the generated registries and tables of the same form, arrays
 * of pointers to structs whose first member is `name`, ended by NULL. */
#pragma once
#include "base/error.h"

/* registry.c: the entry called @name, or NULL. */
gconstpointer dn_registry_entry(gconstpointer const *rows, const char *name);
/* (transfer container): the names in order, and space for a NULL behind them. */
GPtrArray *dn_registry_name_list(gconstpointer const *rows);
/* (transfer full): "'x'; did you mean 'y'? known: y, z" (dn_unknown()). */
char *dn_registry_unknown_entry(gconstpointer const *rows, const char *word);

/* The array as such a list; wrong types of entries do not compile. */
#define DN_REGISTRY(rows)                                                                          \
    ((void)G_STATIC_ASSERT_EXPR(G_STRUCT_OFFSET(__typeof__(**(rows)), name) == 0),                 \
     (gconstpointer const *)(rows))
#define dn_registry_find(rows, name) dn_registry_entry(DN_REGISTRY(rows), name)
#define dn_registry_names(rows) dn_registry_name_list(DN_REGISTRY(rows))
#define dn_registry_unknown(rows, word) dn_registry_unknown_entry(DN_REGISTRY(rows), word)
