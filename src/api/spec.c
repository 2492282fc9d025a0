/* spec.c - run specifications in the public interface. */
#include "api/api_internal.h"
#include "base/version.h"
#include "experiment/sweep_plan.h"
#include <string.h>

const char *darner_version(void)
{
    return dn_version;
}

static darner_spec *spec_new(DnSweep *sweep, const char *file, GError *problem,
                             darner_error **error)
{
    if (sweep == NULL) {
        dn_api_error_give(error, problem);
        return NULL;
    }
    darner_spec *spec = g_new0(darner_spec, 1);
    spec->sweep = sweep;
    spec->name = g_path_get_basename(file);
    char *ending = strrchr(spec->name, '.');
    if (ending != NULL && ending != spec->name)
        *ending = '\0';
    return spec;
}

darner_spec *darner_spec_load(const char *path, const char *const *set, darner_error **error)
{
    GError *problem = NULL;
    if (!dn_api_given(path, "darner_spec_load: path", error))
        return NULL;
    DnSweep *sweep = dn_sweep_load(path, set, &problem);
    return spec_new(sweep, path, problem, error);
}

darner_spec *darner_spec_parse(const char *yaml, const char *name, const char *const *set,
                               darner_error **error)
{
    GError *problem = NULL;
    if (!dn_api_given(yaml, "darner_spec_parse: yaml", error) ||
        !dn_api_given(name, "darner_spec_parse: name", error))
        return NULL;
    DnSweep *sweep = dn_sweep_parse(yaml, name, set, &problem);
    return spec_new(sweep, name, problem, error);
}

size_t darner_spec_points(const darner_spec *spec)
{
    return spec->sweep->n_points;
}

size_t darner_spec_swept_keys(const darner_spec *spec)
{
    return spec->sweep->n_keys;
}

const char *darner_spec_swept_key(const darner_spec *spec, size_t key)
{
    return key < spec->sweep->n_keys ? spec->sweep->keys[key] : NULL;
}

const char *darner_spec_swept_value(const darner_spec *spec, size_t point, size_t key)
{
    if (point >= spec->sweep->n_points || key >= spec->sweep->n_keys)
        return NULL;
    return spec->sweep->values[point][key];
}

int darner_spec_check(const darner_spec *spec, darner_error **error)
{
    g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
    GError *problem = NULL;
    if (!dn_sweep_check(spec->sweep, cache, NULL, NULL, &problem)) {
        dn_api_error_give(error, problem);
        return -1;
    }
    return 0;
}

void darner_spec_free(darner_spec *spec)
{
    if (spec == NULL)
        return;
    dn_sweep_free(spec->sweep);
    g_free(spec->name);
    g_free(spec);
}
