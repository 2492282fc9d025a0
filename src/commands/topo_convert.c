/* topo_convert.c - see topo_convert.h. */
#include "commands/topo_convert.h"

gboolean dn_topo_converts(int argc, char **argv, int *status)
{
    static const struct {
        const char *word, *program;
        int (*run)(int argc, char **argv);
    } others[] = {{"import", "darner topo import", dn_topo_import},
                  {"export", "darner topo export", dn_topo_export}};
    for (guint i = 0; argc > 1 && i < G_N_ELEMENTS(others); i++) {
        if (!g_str_equal(argv[1], others[i].word))
            continue;
        argv[1] = (char *)others[i].program;
        *status = others[i].run(argc - 1, argv + 1);
        return TRUE;
    }
    return FALSE;
}
