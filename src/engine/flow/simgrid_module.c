/* simgrid_module.c - see simgrid_module.h. */
#include "engine/flow/simgrid_module.h"

#include <dlfcn.h>

/* Returns the module in the folder of a build, where programs are in it and the public library is
 * one below, else the installed one. */
static char *module_path(void)
{
    static const char object = 0; /* of the program or library that this is in */
    Dl_info self = {0};
    if (dladdr(&object, &self) != 0 && self.dli_fname != NULL) {
        g_autofree char *here = g_path_get_dirname(self.dli_fname);
        for (guint above = 0; above < 2; above++) {
            char *built = g_build_filename(here, above > 0 ? ".." : ".", DN_SIMGRID_MODULE, NULL);
            if (g_file_test(built, G_FILE_TEST_EXISTS))
                return built;
            g_free(built);
        }
    }
    return g_build_filename(DN_LIB_DIR, DN_SIMGRID_MODULE, NULL);
}

const DnSimgrid *dn_simgrid_load(GError **error)
{
    g_autofree char *path = module_path();
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const DnSimgrid *functions = module != NULL ? dlsym(module, DN_SIMGRID_SYMBOL) : NULL;
    if (functions == NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "SimGrid's solver cannot be loaded: %s",
                    dlerror());
    return functions;
}
