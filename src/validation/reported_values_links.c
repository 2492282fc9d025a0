/* reported_values_links.c - {case ...}, {analyze ...} and {machine ...} of the agreement report's
 * formulas. */
#include "validation/reported_values.h"
#include "base/units.h"
#include "experiment/network_analysis.h"
#include "report/analysis_report.h"
#include "topology/machine.h"
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

struct DnReportedLinks {
    char *folder;
    const GPtrArray *cases; /* DnCase* that have results */
    GHashTable *read;       /* name -> DnCase*: looked up, not run */
    GHashTable *machines;   /* name -> DnMachine* */
    GHashTable *analyses;   /* "lumi 1" -> JsonNode* */
};

DnReportedLinks *dn_reported_links_new(const char *folder, const GPtrArray *cases)
{
    DnReportedLinks *n = g_new0(DnReportedLinks, 1);
    n->folder = g_strdup(folder);
    n->cases = cases;
    n->read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dn_case_free);
    n->machines =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dn_machine_free);
    n->analyses =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_node_unref);
    return n;
}

void dn_reported_links_free(DnReportedLinks *n)
{
    if (n == NULL)
        return;
    g_hash_table_unref(n->read);
    g_hash_table_unref(n->machines);
    g_hash_table_unref(n->analyses);
    g_free(n->folder);
    g_free(n);
}

/* ---- case NAME WORD... ---- */

static const DnCase *find_case(DnReportedLinks *n, const char *name, GError **error)
{
    for (guint i = 0; i < n->cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(n->cases, i);
        if (strcmp(case_->name, name) == 0)
            return case_;
    }
    DnCase *case_ = g_hash_table_lookup(n->read, name);
    if (case_ != NULL)
        return case_;
    g_autofree char *dir = g_build_filename(n->folder, name, NULL);
    case_ = dn_case_read(dir, error);
    if (case_ != NULL)
        g_hash_table_insert(n->read, g_strdup(name), case_);
    return case_;
}

static gboolean has_word(const DnCheckedPoint *p, const char *word)
{
    gboolean found = strcmp(word, p->run) == 0 || strcmp(word, p->job) == 0 ||
                     dn_expected_same_value(p->metric, word);
    for (guint i = 0; p->values[i] != NULL; i++)
        found = found || dn_expected_same_value(p->values[i], word);
    return found;
}

static gboolean same_point(const DnCheckedPoint *a, const DnCheckedPoint *b)
{
    return strcmp(a->run, b->run) == 0 && strcmp(a->job, b->job) == 0 &&
           strcmp(a->metric, b->metric) == 0 &&
           g_strv_equal((const char *const *)a->values, (const char *const *)b->values);
}

static double base_of(const DnCheckedPoint *p, double simulated)
{
    if (p->by != NULL || p->over_key != NULL)
        return simulated; /* a ratio */
    if (g_str_has_suffix(p->metric, "_us"))
        return simulated * 1e6;
    return g_str_has_suffix(p->metric, "_gbps") ? simulated * 1e9 : simulated;
}

static gboolean of_case(DnReportedLookup *look, char **words, double *value, GError **error)
{
    const DnCase *case_ = find_case(look->names, words[1], error);
    if (case_ == NULL)
        return FALSE;
    const DnCheckedPoint *found = NULL;
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        gboolean all = TRUE;
        for (guint w = 2; words[w] != NULL; w++)
            all = all && has_word(p, words[w]);
        if (!all)
            continue;
        if (found != NULL && !same_point(found, p)) {
            g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                        "more than one point of case %s has all these words: %s of run %s, %s of "
                        "run %s",
                        words[1], found->metric, found->run, p->metric, p->run);
            return FALSE;
        }
        found = p;
    }
    if (found == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "no point of case %s has all these words",
                    words[1]);
        return FALSE;
    }
    look->evidence = look->simulated ? dn_evidence_weaker(look->evidence, found->evidence)
                                     : found->evidence;
    look->simulated = TRUE;
    double simulated = found->simulated;
    if (look->null_model >= 0 && !isnan(found->null[look->null_model])) {
        simulated = found->null[look->null_model];
        look->nulls = TRUE;
    }
    *value = base_of(found, simulated);
    return TRUE;
}

/* ---- analyze MACHINE N PATH ---- */

static JsonNode *find_analysis(DnReportedLinks *n, const char *machine, const char *nodes,
                               GError **error)
{
    g_autofree char *key = g_strconcat(machine, " ", nodes, NULL);
    JsonNode *root = g_hash_table_lookup(n->analyses, key);
    if (root != NULL)
        return root;
    const DnNetworkAnalysisQuery query = {
        .subject = machine,
        .nodes = (guint32)g_ascii_strtoull(nodes, NULL, 10),
        .seed = 1,
        .effort = 1e6,
    };
    g_autoptr(DnAnalysis) analysis = dn_network_analysis(&query, error);
    if (analysis == NULL)
        return NULL;
    g_autofree char *text = dn_analysis_json(analysis);
    root = json_from_string(text, NULL);
    g_hash_table_insert(n->analyses, g_steal_pointer(&key), root);
    return root;
}

/* "node.widest_path_bps.0.1": members, and indices of lists. NULL: there is none. */
static JsonNode *links_member(JsonNode *node, const char *path)
{
    g_auto(GStrv) words = g_strsplit(path, ".", -1);
    for (guint i = 0; node != NULL && words[i] != NULL; i++) {
        if (JSON_NODE_HOLDS_ARRAY(node)) {
            JsonArray *list = json_node_get_array(node);
            guint64 at = g_ascii_strtoull(words[i], NULL, 10);
            node = at < json_array_get_length(list) ? json_array_get_element(list, (guint)at)
                                                    : NULL;
        } else if (JSON_NODE_HOLDS_OBJECT(node))
            node = json_object_get_member(json_node_get_object(node), words[i]);
        else
            node = NULL;
    }
    return node;
}

static gboolean of_analysis(DnReportedLookup *look, char **words, double *value, GError **error)
{
    JsonNode *root = find_analysis(look->names, words[1], words[2], error);
    if (root == NULL)
        return FALSE;
    JsonNode *node = links_member(root, words[3]);
    if (node == NULL || !JSON_NODE_HOLDS_VALUE(node)) {
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "no number '%s' in the analysis of %s",
                    words[3], words[1]);
        return FALSE;
    }
    look->analyzed = TRUE;
    *value = json_node_get_double(node);
    return TRUE;
}

/* ---- machine NAME PATH ---- */

static const DnMachine *find_machine(DnReportedLinks *n, const char *name, GError **error)
{
    DnMachine *machine = g_hash_table_lookup(n->machines, name);
    if (machine != NULL)
        return machine;
    g_autoptr(DnConfigNode) node = dn_config_parse(name, "figures.csv", error);
    if (node == NULL)
        return NULL;
    machine = dn_machine_load(node, 0, error);
    if (machine != NULL)
        g_hash_table_insert(n->machines, g_strdup(name), machine);
    return machine;
}

/* "node.edges[0].count"; NULL: there is none. */
static const DnConfigNode *find_key(const DnConfigNode *node, const char *path)
{
    g_auto(GStrv) words = g_strsplit_set(path, ".[", -1);
    for (guint i = 0; node != NULL && words[i] != NULL; i++) {
        if (node->kind == DN_CONFIG_MAP) {
            node = dn_config_get(node, words[i]);
        } else if (node->kind == DN_CONFIG_LIST) {
            guint64 at = g_ascii_strtoull(words[i], NULL, 10);
            node = at < node->children->len ? g_ptr_array_index(node->children, at) : NULL;
        } else
            node = NULL;
    }
    return node;
}

/* In base units, by whatever unit it has. */
static gboolean any_unit(const char *text, double *value)
{
    static const DnUnit units[] = {DN_UNIT_NONE, DN_UNIT_TIME,   DN_UNIT_BYTES,
                                   DN_UNIT_RATE, DN_UNIT_LENGTH, DN_UNIT_PER_SECOND};
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (dn_unit_parse(text, units[i], value, NULL))
            return TRUE;
    return FALSE;
}

static gboolean of_machine(DnReportedLookup *look, char **words, double *value, GError **error)
{
    const DnMachine *machine = find_machine(look->names, words[1], error);
    if (machine == NULL)
        return FALSE;
    look->read = TRUE;
    if (strcmp(words[2], "gpus_per_node") == 0) {
        *value = machine->gpus_per_node;
        return TRUE;
    }
    if (strcmp(words[2], "nics_per_node") == 0) {
        *value = machine->nics_per_node;
        return TRUE;
    }
    const DnConfigNode *node = find_key(machine->config, words[2]);
    if (node != NULL && node->kind == DN_CONFIG_SCALAR && any_unit(node->scalar, value))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "no number '%s' in machine %s", words[2],
                words[1]);
    return FALSE;
}

gboolean dn_reported_links_look_up(void *data, const char *name, double *value, GError **error)
{
    g_auto(GStrv) words = g_strsplit(name, " ", -1);
    guint n = g_strv_length(words);
    if (n >= 2 && strcmp(words[0], "case") == 0)
        return of_case(data, words, value, error);
    if (n == 4 && strcmp(words[0], "analyze") == 0)
        return of_analysis(data, words, value, error);
    if (n == 3 && strcmp(words[0], "machine") == 0)
        return of_machine(data, words, value, error);
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                "'{%s}'; known: {case NAME WORD...}, {analyze MACHINE N PATH}, {machine NAME PATH}",
                name);
    return FALSE;
}
