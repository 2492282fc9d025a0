/* misplaced_keys.c - What an unknown key of a run file was meant for: a key of another mapping of
 * the file, or another tool's word for a key, or one that is spelt almost so. */
#include "config/config_internal.h"
#include "config/run_spec.h"

#include <string.h>

/* The mappings of a run file whose keys are mistaken for each other's. */
static const struct {
    const DnParamSpec *keys;
    const char *place;
} places[] = {
    {dn_run_spec_keys, "the top level of the file"},
    {dn_job_keys, "an item of `jobs:`"},
    {dn_packet_keys, "`packet:`"},
    {dn_measure_keys, "`measure:`"},
};

static const struct {
    const DnParamSpec *keys;
    const char *words; /* between spaces */
    const char *hint;
} hints[] = {
    {dn_job_keys, " nodes ",
     "a job takes `ranks`, `ranks_per_node` of a node, where `placement` says; `nodes` at the top "
     "level leaves the machine so many"},
    {dn_job_keys, " node hosts host nodelist ", "`placement` says on which nodes a job runs"},
    {dn_job_keys, " np procs processes tasks ntasks size gpus ", "`ranks` is their number"},
    {dn_job_keys, " ppn tasks_per_node procs_per_node gpus_per_node ", "`ranks_per_node` is that"},
    {dn_job_keys, " type bytes algorithm library root messages load pattern trace ",
     "it stands in `workload: {...}`"},
    {dn_run_spec_keys, " topology system cluster ", "`machine` names that"},
    {dn_run_spec_keys, " algorithm ",
     "of routes: `routing: {algorithm: ...}`; of a collective: "
     "`workload: {algorithm: ...}` of a job"},
    {dn_run_spec_keys, " type bytes ", "it stands in `workload: {...}` of an item of `jobs:`"},
    {dn_run_spec_keys, " repetitions repeats ", "`repeat` is that"},
};

static gboolean misplaced_has(const DnParamSpec *keys, const char *key)
{
    while (keys->key != NULL && strcmp(keys->key, key) != 0)
        keys++;
    return keys->key != NULL;
}

static gboolean of_run(const DnParamSpec *keys)
{
    for (guint i = 0; i < G_N_ELEMENTS(places); i++)
        if (places[i].keys == keys)
            return TRUE;
    return FALSE;
}

/* (transfer full): what @key, spelt right, was meant for; NULL: nothing that is known. */
static char *misplaced_hint(const DnParamSpec *keys, const char *key)
{
    g_autofree char *word = g_strdup_printf(" %s ", key);
    if (strchr(key, ' ') != NULL)
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS(hints); i++)
        if (hints[i].keys == keys && strstr(hints[i].words, word) != NULL)
            return g_strdup(hints[i].hint);
    for (guint i = 0; of_run(keys) && i < G_N_ELEMENTS(places); i++)
        if (misplaced_has(places[i].keys, key))
            return g_strdup_printf("it is a key of %s", places[i].place);
    return NULL;
}

/* (transfer full): the word with a hint that is nearest to @key; NULL: none is near. */
static char *misplaced_near(const DnParamSpec *keys, const char *key)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(hints); i++) {
        g_auto(GStrv) own = g_strsplit(hints[i].keys == keys ? hints[i].words : "", " ", -1);
        for (char **word = own; *word != NULL; word++)
            g_ptr_array_add(words, g_strdup(*word));
    }
    for (guint i = 0; of_run(keys) && i < G_N_ELEMENTS(places); i++)
        for (const DnParamSpec *spec = places[i].keys; spec->key != NULL; spec++)
            g_ptr_array_add(words, g_strdup(spec->key));
    g_ptr_array_add(words, NULL);
    return g_strdup(dn_nearest(key, (const char *const *)words->pdata));
}

char *dn_misplaced_key(const DnParamSpec *keys, const char *key, const char *const *known)
{
    char *hint = misplaced_hint(keys, key);
    if (hint != NULL || dn_nearest(key, known) != NULL)
        return hint;
    g_autofree char *near = misplaced_near(keys, key);
    g_autofree char *meant = near != NULL ? misplaced_hint(keys, near) : NULL;
    return meant != NULL ? g_strdup_printf("did you mean '%s'? %s", near, meant) : NULL;
}
