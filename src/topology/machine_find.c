/* machine_find.c - a machine's file by its name. */
#include <string.h>

#include "base/data_folders.h"
#include "topology/machine.h"

static gboolean is_path(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".yaml");
}

char *dn_machine_find(const char *name, const DnConfigNode *at, GError **error)
{
    if (is_path(name)) {
        g_autofree char *folder = g_path_get_dirname(at->file);
        g_autofree char *path = g_path_is_absolute(name) ? g_strdup(name)
                                                         : g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
        g_autofree char *shown = dn_quote(name);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            dn_config_error(at, DN_ERROR_FILE, error,
                            "machine %s: not a file; a machine is read more than once, which a "
                            "pipe cannot be",
                            shown);
            return NULL;
        }
        dn_config_error(at, DN_ERROR_FILE, error, "no machine file %s; paths are relative to %s",
                        shown, folder);
        return NULL;
    }
    char *found = dn_data_file("topologies", dn_config_base(at), name);
    if (found != NULL)
        return found;
    g_autoptr(GPtrArray) known = dn_data_names("topologies", dn_config_base(at));
    g_autofree char *unknown = dn_unknown(name, (const char *const *)known->pdata, "known");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown machine %s%s", unknown,
                    known->len > 1 ? "" : "; no folder 'topologies' " DN_DATA_PLACES);
    return NULL;
}
