/* network_cache_test.c - specifications that agree on machine and routing share them. */
#include "experiment/network_cache.h"
#include "config/test_run_spec.h"

/* A model is built again exactly when something that shapes it differs. */
static DnRunSpec *spec_new(const char *overrides)
{
    g_autoptr(GError) error = NULL;
    static const char text[] =
        "machine: {name: torus-4x4x4}\nnodes: 64\nrouting: {algorithm: dimension_order}\njobs:\n"
        " - {workload: {type: ring, bytes: 1 KiB}, ranks: 4}\n";
    g_auto(GStrv) set = g_strsplit(overrides, " ", -1);
    DnRunSpec *spec = test_run_spec(text, (const char *const *)set, &error);
    g_assert_no_error(error);
    return spec;
}

static DnNetworkModel *model_of(DnNetworkCache *cache, const char *overrides)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = spec_new(overrides);
    const DnWhatIf nothing = {0};
    DnNetworkModel *model =
        dn_network_cache_get(cache, spec, dn_engine_find(spec->engine), &nothing, &error);
    g_assert_no_error(error);
    /* whether built or kept, its keys count as read */
    g_assert_true(dn_config_check_consumed(spec->machine, NULL, &error));
    g_assert_true(dn_config_check_consumed(spec->routing, NULL, &error));
    return model;
}

static void test_shared(void)
{
    static const struct {
        const char *overrides;
        gboolean same;
    } rows[] = {
        {"jobs[0].iterations=7", TRUE},
        {"seed=2 jobs[0].workload.bytes=1MiB", TRUE},
        {"nodes=32", FALSE},
        {"machine.hardware.packet=512B", FALSE},
        {"routing.algorithm=valiant", FALSE},
        {"packet.virtual_channels=2", FALSE},
        {"engine=bound", TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
        g_autoptr(DnNetworkModel) first = model_of(cache, "seed=1");
        g_autoptr(DnNetworkModel) second = model_of(cache, rows[i].overrides);
        g_assert_true((first == second) == rows[i].same);
        g_assert_cmpuint(cache->built, ==, rows[i].same ? 1 : 2);
        dn_network_cache_clear(cache);
        g_assert_nonnull(first->machine->graph); /* the first user still has it */
    }
    g_autoptr(DnNetworkModel) a = model_of(NULL, "seed=1");
    g_autoptr(DnNetworkModel) b = model_of(NULL, "seed=1");
    g_assert_true(a != b);
}

/* Without `routing:` in the run the machine's own applies, else the run's. */
static void test_machine_routing(void)
{
    static const struct {
        const char *routing, *algorithm;
    } rows[] = {{"", "ugal_l"}, {"routing: {algorithm: minimal}\n", "minimal"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strconcat("machine: lumi\nnodes: 8\n", rows[i].routing,
                                            "jobs:\n - {workload: {type: ring, bytes: 1 KiB}}\n",
                                            NULL);
        g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
        g_assert_no_error(error);
        const DnWhatIf nothing = {0};
        g_autoptr(DnNetworkModel)
            model = dn_network_cache_get(NULL, spec, dn_engine_find("packet"), &nothing, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(model->router->type->name, ==, rows[i].algorithm);
        g_assert_true(dn_config_check_consumed(spec->machine, NULL, &error));
    }
}

/* Points of a sweep take turns on two machines, and are all checked before they run: two models are
 * built in all. */
static void test_turns(void)
{
    g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
    for (guint i = 0; i < 6; i++) {
        g_autoptr(DnNetworkModel) model = model_of(cache, i % 2 == 0 ? "nodes=32" : "nodes=64");
        g_assert_cmpuint(model->machine->graph->size.nodes, ==, i % 2 == 0 ? 32 : 64);
    }
    g_assert_cmpuint(cache->built, ==, 2);
    dn_network_cache_clear(cache);
    g_autoptr(DnNetworkModel) again = model_of(cache, "nodes=32");
    g_assert_nonnull(again);
    g_assert_cmpuint(cache->built, ==, 3);
}

/* What cannot be built leaves nothing behind. */
static void test_failed(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
    g_autoptr(DnRunSpec) spec = spec_new("routing.algorithm=aries");
    const DnWhatIf nothing = {0};
    g_assert_null(dn_network_cache_get(cache, spec, dn_engine_find("packet"), &nothing, &error));
    g_assert_nonnull(error);
    g_assert_cmpuint(cache->models->len, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_cache/shared", test_shared);
    g_test_add_func("/network_cache/machine_routing", test_machine_routing);
    g_test_add_func("/network_cache/turns", test_turns);
    g_test_add_func("/network_cache/failed", test_failed);
    return g_test_run();
}
