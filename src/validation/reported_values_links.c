/* reported_values_links.c - {case ...}, {analyze ...}, {machine ...} and the like of the agreement
 * report's formulas. */
#include "validation/reported_values.h"
#include "analysis/path_lengths.h"
#include "base/csv.h"
#include "base/units.h"
#include "experiment/checked_machine.h"
#include "experiment/network_analysis.h"
#include "report/analysis_report.h"
#include "report/help_topics.h"
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

struct DnReportedLinks {
    char *folder;
    const GPtrArray *cases;   /* DnCase* that have results */
    GHashTable *read;         /* name -> DnCase*: looked up, not run */
    DnNetworkCache *networks; /* to check those */
    GHashTable *machines;     /* name -> DnMachine* */
    GHashTable *analyses;     /* "lumi 1" -> JsonNode* */
};

DnReportedLinks *dn_reported_links_new(const char *folder, const GPtrArray *cases)
{
    DnReportedLinks *n = g_new0(DnReportedLinks, 1);
    n->folder = g_strdup(folder);
    n->cases = cases;
    n->read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dn_case_free);
    n->networks = dn_network_cache_new();
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
    dn_network_cache_free(n->networks);
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
    case_ = dn_case_read(dir, n->networks, error);
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
    machine = dn_checked_machine_load(node, 0, NULL, error);
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

/* Reads a quantity of any unit into base units. */
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

static gboolean no_number(char **words, const char *where, GError **error)
{
    g_autofree char *name = g_strjoinv(" ", words);
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "'{%s}': no such number in %s", name, where);
    return FALSE;
}

/* ---- paths MACHINE ROUTING WHICH ---- */

#define PATHS_DRAWN 200000

static gboolean of_paths(DnReportedLookup *look, char **words, double *value, GError **error)
{
    const DnMachine *machine = find_machine(look->names, words[1], error);
    if (machine == NULL)
        return FALSE;
    g_autofree char *text = g_strdup_printf("{algorithm: %s}", words[2]);
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "figures.csv", error);
    g_autoptr(DnRouter) router = node != NULL ? dn_router_new(machine, node, error) : NULL;
    if (router == NULL)
        return FALSE;
    DnPathLengths lengths;
    dn_path_lengths(router, PATHS_DRAWN, 1, &lengths);
    look->analyzed = TRUE;
    if (strcmp(words[3], "shortest") == 0)
        *value = lengths.shortest;
    else if (strcmp(words[3], "longest_minimal") == 0)
        *value = lengths.longest_minimal;
    else if (strcmp(words[3], "longest") == 0)
        *value = lengths.longest;
    else
        return no_number(words, "the lengths of paths", error);
    return TRUE;
}

/* ---- blind RUN [WORD...] ---- */

static gboolean row_has_words(const DnCsv *csv, const DnCsvRow *row, char **words)
{
    for (; *words != NULL; words++) {
        gboolean found = FALSE;
        for (guint c = 0; c < csv->n_columns; c++)
            found = found || strcmp(row->cells[c], *words) == 0;
        if (!found)
            return FALSE;
    }
    return TRUE;
}

/* The one registered prediction that has these words as its run, point, job or metric; no null
 * model has it. The paper's statement may have been read before it was registered: developed. */
static gboolean of_blind(DnReportedLookup *look, char **words, double *value, GError **error)
{
    g_autofree char *file = g_build_filename(look->names->folder, "blind", "predictions.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return FALSE;
    int number = dn_csv_column(csv, "predicted"), metric = dn_csv_column(csv, "metric");
    const DnCsvRow *found = NULL;
    for (guint i = 0; number >= 0 && metric >= 0 && i < csv->rows->len; i++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, i);
        if (!row_has_words(csv, row, words + 1))
            continue;
        if (found != NULL)
            return no_number(words, "the blind predictions: several have these words", error);
        found = row;
    }
    if (found == NULL)
        return no_number(words, "the blind predictions", error);
    if (!dn_csv_read_number(csv, found, (guint)number, value, error))
        return FALSE;
    if (g_str_has_suffix(found->cells[metric], "_us"))
        *value *= 1e6;
    if (look->null_model >= 0)
        *value = NAN;
    look->evidence = look->simulated ? dn_evidence_weaker(look->evidence, DN_EVIDENCE_DEVELOPED)
                                     : DN_EVIDENCE_DEVELOPED;
    look->simulated = TRUE;
    return TRUE;
}

/* ---- run CASE/RUN PATH [count] ---- */

static gboolean of_run(DnReportedLookup *look, char **words, double *value, GError **error)
{
    g_autofree char *name = g_strconcat(words[1], ".yaml", NULL);
    g_autofree char *file = g_build_filename(look->names->folder, name, NULL);
    g_autoptr(DnConfigNode) run = dn_config_load(file, NULL, error);
    if (run == NULL)
        return FALSE;
    look->read = TRUE;
    const DnConfigNode *node = find_key(run, words[2]);
    if (node == NULL)
        return no_number(words, "the run file", error);
    if (words[3] != NULL && (strcmp(words[3], "count") != 0 || node->kind != DN_CONFIG_LIST))
        return no_number(words, "the run file", error);
    if (words[3] != NULL) {
        *value = node->children->len;
        return TRUE;
    }
    if (node->kind == DN_CONFIG_SCALAR && any_unit(node->scalar, value))
        return TRUE;
    if (node->kind != DN_CONFIG_LIST)
        return no_number(words, "the run file", error);
    *value = 0; /* of a list of numbers: their sum */
    for (guint i = 0; i < node->children->len; i++) {
        const DnConfigNode *item = g_ptr_array_index(node->children, i);
        double one;
        if (item->kind != DN_CONFIG_SCALAR || !any_unit(item->scalar, &one))
            return no_number(words, "the run file", error);
        *value += one;
    }
    return TRUE;
}

/* ---- default TOPIC... KEY ---- */

static gboolean of_default(DnReportedLookup *look, char **words, guint n, double *value,
                           GError **error)
{
    g_autofree char *key = g_strdup(words[n - 1]);
    g_autofree char *all = g_strjoinv(" ", words + 1);
    all[strlen(all) - strlen(key) - 1] = '\0';
    g_autoptr(GPtrArray) topics = dn_topics_new();
    const DnTopic *topic = dn_topic_find(topics, all);
    look->read = TRUE;
    for (const DnParamSpec *k = topic != NULL ? topic->keys : NULL; k != NULL && k->key != NULL;
         k++)
        if (strcmp(k->key, key) == 0 && k->fallback != NULL && any_unit(k->fallback, value))
            return TRUE;
    return no_number(words, "the defaults of keys (darner help)", error);
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
    if (n == 4 && strcmp(words[0], "paths") == 0)
        return of_paths(data, words, value, error);
    if ((n == 3 || n == 4) && strcmp(words[0], "run") == 0)
        return of_run(data, words, value, error);
    if (n >= 2 && strcmp(words[0], "blind") == 0)
        return of_blind(data, words, value, error);
    if (n >= 3 && strcmp(words[0], "default") == 0)
        return of_default(data, words, n, value, error);
    g_set_error(
        error, DN_ERROR, DN_ERROR_SYNTAX,
        "'{%s}'; known: {case NAME WORD...}, {analyze MACHINE N PATH}, {machine NAME PATH}, "
        "{paths MACHINE ROUTING WHICH}, {run CASE/RUN PATH [count]}, {blind RUN [WORD...]}, "
        "{default TOPIC KEY}",
        name);
    return FALSE;
}
