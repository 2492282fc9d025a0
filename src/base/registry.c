/* registry.c - An entry of a registry is found by its name. */
#include "base/registry.h"

#include <string.h>

static const char *registry_name(gconstpointer row)
{
    return *(const char *const *)row;
}

gconstpointer dn_registry_entry(gconstpointer const *rows, const char *name)
{
    for (; *rows != NULL; rows++)
        if (strcmp(registry_name(*rows), name) == 0)
            return *rows;
    return NULL;
}

GPtrArray *dn_registry_name_list(gconstpointer const *rows)
{
    GPtrArray *names = g_ptr_array_new();
    for (; *rows != NULL; rows++)
        g_ptr_array_add(names, (gpointer)registry_name(*rows));
    return names;
}

char *dn_registry_unknown_entry(gconstpointer const *rows, const char *word)
{
    g_autoptr(GPtrArray) names = dn_registry_name_list(rows);
    g_ptr_array_add(names, NULL);
    return dn_unknown(word, (const char *const *)names->pdata, "known");
}
