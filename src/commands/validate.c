/* validate.c - `darner validate [CASE...]`: measured against simulated; status 1 for a miss. */
#include "validation/user_measurements.h"
#include "base/data_folders.h"
#include "base/file.h"
#include "validation/case_pool.h"
#include "commands/commands.h"
#include "base/interrupt.h"
#include "validation/reported_values.h"
#include "report/json.h"
#include "report/table.h"
#include "base/version.h"
#include <stdio.h>
#include <string.h>

#define MOST_JOBS 1024

typedef struct {
    gboolean list, quiet, full, stored;
    int jobs, null_model;
    char *json, *keep, *measurements, *map, *expected, *null;
    char **pages;
} Options;

static void options_clear(Options *options)
{
    g_free(options->json);
    g_free(options->keep);
    g_free(options->measurements);
    g_free(options->map);
    g_free(options->expected);
    g_free(options->null);
    g_strfreev(options->pages);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* (transfer full): names of the folders with an expected.csv, sorted, NULL-terminated. */
static GPtrArray *list_cases(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(folder, name, "expected.csv", NULL);
        if (g_file_test(file, G_FILE_TEST_EXISTS))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return names;
}

/* (transfer full): the first folder `validation` with a case in it; *@known: its cases, or NULL. */
static char *find_folder(GPtrArray **known, GError **error)
{
    g_autoptr(GPtrArray) folders = dn_data_folders("validation", NULL);
    for (guint i = 0; i < folders->len; i++) {
        g_autoptr(GPtrArray) names = list_cases(folders->pdata[i]);
        if (names->len < 2)
            continue;
        if (known != NULL)
            *known = g_steal_pointer(&names);
        return g_strdup(folders->pdata[i]);
    }
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s",
                "no folder validation/ with cases here or above; run this inside the project, or "
                "set DARNER_ROOT to it");
    return NULL;
}

/* Adds the folders that @word means: a path, a name, or a pattern such as h200x4-*. */
static gboolean add_cases(const char *word, const char *folder, const GPtrArray *known,
                          GPtrArray *dirs, GError **error)
{
    guint before = dirs->len;
    if (strchr(word, '/') != NULL) {
        g_autofree char *dir = g_strdup(word);
        for (gsize n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
            dir[n - 1] = '\0';
        g_ptr_array_add(dirs, g_steal_pointer(&dir));
        return TRUE;
    }
    g_assert(known != NULL); /* validate_choose() lists them when a word is no path */
    for (guint i = 0; i + 1 < known->len; i++)
        if (g_pattern_match_simple(word, g_ptr_array_index(known, i)))
            g_ptr_array_add(dirs, g_build_filename(folder, g_ptr_array_index(known, i), NULL));
    if (dirs->len > before)
        return TRUE;
    g_autofree char *tail = dn_suggest(word, (const char *const *)known->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown validation case '%s'%s", word, tail);
    return FALSE;
}

/* Leaves the quick ones. */
static gboolean drop_full(GPtrArray *dirs, GError **error)
{
    for (guint i = dirs->len; i > 0; i--) {
        gboolean full = FALSE;
        if (!dn_case_is_full(g_ptr_array_index(dirs, i - 1), &full, error))
            return FALSE;
        if (full)
            g_ptr_array_remove_index(dirs, i - 1);
    }
    return TRUE;
}

/* (transfer full): folders of the cases that @words ask for; without words all of the quick tier,
 * with @full or @list of both. */
static GPtrArray *validate_choose(char **words, gboolean list, gboolean full, GError **error)
{
    g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free);
    gboolean by_path = *words != NULL;
    for (char **w = words; *w != NULL; w++)
        by_path = by_path && strchr(*w, '/') != NULL;
    g_autofree char *folder = NULL;
    g_autoptr(GPtrArray) known = NULL;
    if (!by_path || list) {
        folder = find_folder(&known, error);
        if (folder == NULL)
            return NULL;
    }
    if (*words == NULL && (!add_cases("*", folder, known, dirs, error) ||
                           (!full && !list && !drop_full(dirs, error))))
        return NULL;
    for (; *words != NULL; words++)
        if (!add_cases(*words, folder, known, dirs, error))
            return NULL;
    return g_steal_pointer(&dirs);
}

/* Of the papers' simulated numbers, which are off. */
static void add_figures(JsonBuilder *json, const DnAgreement *agreement)
{
    dn_json_list(json, "figures");
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (!dn_reported_value_covered(f))
            continue;
        json_builder_begin_object(json);
        dn_json_string(json, "id", f->id);
        dn_json_string(json, "evidence", dn_evidence_name(f->evidence));
        dn_json_number(json, "stated", f->stated);
        dn_json_number(json, "found", f->found);
        dn_json_flag(json, "within", dn_figure_within(f));
        dn_json_flag(json, "passed", dn_figure_passed(f));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static gboolean write_json(const char *file, const GPtrArray *cases, const DnAgreement *agreement,
                           GError **error)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    gboolean passed = TRUE;
    json_builder_begin_object(json);
    dn_json_string(json, "darner", dn_version);
    dn_json_list(json, "cases");
    for (guint i = 0; i < cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(cases, i);
        dn_case_json(json, case_);
        passed = passed && case_->passed;
    }
    json_builder_end_array(json);
    if (agreement != NULL)
        add_figures(json, agreement);
    dn_json_flag(json, "passed",
                 passed && (agreement == NULL || dn_agreement_missed(agreement) == 0));
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *text = dn_json_text(root);
    return dn_file_write(file, text, error);
}

/* ---- the scoreboard ---- */

/* (transfer full): the board of a page or of --json; NULL without an error: none is asked for. */
static DnAgreement *make_agreement(const Options *options, const GPtrArray *cases, GError **error)
{
    if (options->pages == NULL)
        return NULL;
    if (options->measurements != NULL)
        return dn_case_agreement(g_ptr_array_index(cases, 0));
    g_autofree char *folder = find_folder(NULL, error);
    return folder != NULL ? dn_reported_values_agreement(folder, cases, error) : NULL;
}

static gboolean write_pages(const Options *options, const DnAgreement *agreement, GError **error)
{
    for (char **files = options->pages; *files != NULL; files++) {
        gboolean html = g_str_has_suffix(*files, ".html");
        g_autofree char *text = html ? dn_agreement_html(agreement)
                                     : dn_agreement_markdown(agreement);
        if (!dn_file_write(*files, text, error))
            return FALSE;
    }
    return TRUE;
}

/* One line a case, for those who only want to know. */
static char *validate_overview(const GPtrArray *cases, guint *missed)
{
    g_autoptr(DnTable) table = dn_table_new();
    static const char *const heads[] = {"points", "median %", "worst %", "claims", "known misses"};
    dn_table_column(table, "case", DN_ALIGN_LEFT);
    dn_table_column(table, "evidence", DN_ALIGN_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        dn_table_column(table, heads[i], DN_ALIGN_RIGHT);
    dn_table_column(table, "", DN_ALIGN_LEFT);
    for (guint i = 0; i < cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(cases, i);
        *missed += !case_->passed;
        for (guint k = 0; k < DN_EVIDENCE_CLASSES; k++) {
            const DnEvidenceResult *r = &case_->by_evidence[k];
            if (r->n == 0)
                continue;
            dn_table_row(table);
            dn_table_cell(table, "%s", case_->name);
            dn_table_cell(table, "%s", dn_evidence_names[k]);
            dn_table_cell(table, "%u", r->n);
            dn_table_number(table, r->median_percent, 3);
            dn_table_number(table, r->worst_percent, 3);
            if (r->claims > 0)
                dn_table_cell(table, "%u of %u", r->held, r->claims);
            else
                dn_table_cell(table, " ");
            if (r->known > 0)
                dn_table_cell(table, "%u", r->known);
            else
                dn_table_cell(table, " ");
            const char *good = k == DN_EVIDENCE_OBSERVED ? "" : "ok";
            dn_table_cell(table, "%s", r->passed ? good : "MISSED");
        }
    }
    return dn_table_text(table);
}

static void print_case(void *data, const DnCase *case_)
{
    const Options *options = data;
    g_autofree char *text = dn_case_text(case_);
    if (!options->quiet && options->null_model < 0)
        printf("%s\n", text);
    fflush(stdout);
}

/* (transfer full): the one case of --against. */
static GPtrArray *run_user_measurements(const char *run, const Options *options, GError **error)
{
    g_autoptr(GPtrArray) cases = g_ptr_array_new_with_free_func((GDestroyNotify)dn_case_free);
    g_autoptr(DnCase) case_ = dn_user_measurements(options->measurements, options->map, run, error);
    g_autofree char *rows = case_ != NULL ? dn_expected_text(case_->points) : NULL;
    if (case_ == NULL ||
        (options->expected != NULL && !dn_file_write(options->expected, rows, error)) ||
        !dn_case_simulate_run(case_, 0, error))
        return NULL;
    dn_case_judge(case_);
    print_case((void *)options, case_);
    g_ptr_array_add(cases, g_steal_pointer(&case_));
    return g_steal_pointer(&cases);
}

/* @dirs: NULL with --against, which has @run. */
static int run_cases(const GPtrArray *dirs, const char *run, const Options *options)
{
    GError *error = NULL;
    const DnPoolOptions pool = {
        .keep = options->keep,
        .stored = options->stored,
        .jobs = (guint)options->jobs,
        .null_model = options->null_model,
        .done = print_case,
        .data = (void *)options,
    };
    g_autoptr(GPtrArray) cases = dirs != NULL ? dn_case_pool(dirs, &pool, &error)
                                              : run_user_measurements(run, options, &error);
    if (cases == NULL)
        return dn_command_fail(error);
    if (options->null_model >= 0)
        return DN_EXIT_OK;
    guint missed = 0;
    g_autofree char *text = validate_overview(cases, &missed);
    printf("%s%u case%s, %u missed\n", text, cases->len, cases->len == 1 ? "" : "s", missed);
    g_autoptr(DnAgreement) agreement = make_agreement(options, cases, &error);
    if (error != NULL || (agreement != NULL && !write_pages(options, agreement, &error)) ||
        (options->json != NULL && !write_json(options->json, cases, agreement, &error)))
        return dn_command_fail(error);
    guint statements =
        agreement != NULL && options->measurements == NULL ? dn_agreement_missed(agreement) : 0;
    if (statements > 0)
        printf("%u of the papers' numbers missed\n", statements);
    return missed + statements > 0 ? DN_EXIT_MISSED : DN_EXIT_OK;
}

/* --against has one run, and nothing to do with cases. */
static gboolean check_user_measurements(int argc, const Options *options, GError **error)
{
    const char *wrong = NULL;
    if (options->measurements == NULL)
        wrong = options->map != NULL        ? "--map goes with --against FILE"
                : options->expected != NULL ? "--expected goes with --against FILE"
                                            : NULL;
    else if (argc != 2)
        wrong = "--against FILE goes with one run file";
    else if (options->list || options->full || options->keep != NULL || options->stored)
        wrong = "--against goes without --list, --full, --keep and --stored";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "darner validate: %s", wrong);
    return wrong == NULL;
}

/* --null idle|bound: no case is judged, its null model is kept. */
static gboolean check_null(Options *options, GError **error)
{
    options->null_model = -1;
    if (options->null == NULL)
        return TRUE;
    for (int k = DN_NULL_IDLE; k <= DN_NULL_BOUND; k++)
        if (strcmp(options->null, dn_null_names[k]) == 0)
            options->null_model = k;
    if (options->null_model >= 0 && options->keep != NULL)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                "darner validate: --null %s; wanted: `idle` or `bound`, with --keep FOLDER",
                options->null);
    return FALSE;
}

static gboolean check_options(int argc, const Options *options, GError **error)
{
    if (!check_user_measurements(argc, options, error))
        return FALSE;
    if (options->stored && options->keep == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner validate: --stored takes results from --keep FOLDER; give both");
        return FALSE;
    }
    if (options->jobs < 1 || options->jobs > MOST_JOBS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner validate: --jobs %d is out of range; allowed: 1 to %d", options->jobs,
                    MOST_JOBS);
        return FALSE;
    }
    for (char **file = options->pages; file != NULL && *file != NULL; file++)
        if (!g_str_has_suffix(*file, ".html") && !g_str_has_suffix(*file, ".md")) {
            g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                        "darner validate: --page %s; wanted: a name that ends in .md or .html",
                        *file);
            return FALSE;
        }
    return TRUE;
}

/* Exit status. */
static int validate_file(char **words, const Options *options)
{
    GError *error = NULL;
    dn_interrupt_install();
    if (options->measurements != NULL)
        return run_cases(NULL, words[0], options);
    g_autoptr(GPtrArray) dirs = validate_choose(words, options->list, options->full, &error);
    if (dirs == NULL)
        return dn_command_fail(error);
    if (!options->list)
        return run_cases(dirs, NULL, options);
    for (guint i = 0; i < dirs->len; i++) {
        g_autofree char *name = g_path_get_basename(g_ptr_array_index(dirs, i));
        printf("%s\n", name);
    }
    return DN_EXIT_OK;
}

int dn_command_validate(int argc, char **argv)
{
    g_auto(Options) options = {.jobs = 1};
    const GOptionEntry entries[] = {
        {"list", 'l', 0, G_OPTION_ARG_NONE, &options.list, "name the cases, simulate nothing",
         NULL},
        {"full", 'f', 0, G_OPTION_ARG_NONE, &options.full,
         "without CASE: also those of the full tier, which take minutes", NULL},
        {"jobs", 'n', 0, G_OPTION_ARG_INT, &options.jobs,
         "simulate so many runs at once, each a process of its own", "N"},
        {"json", 'j', 0, G_OPTION_ARG_FILENAME, &options.json, "also write every point to FILE",
         "FILE"},
        {"page", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.pages,
         "also write the scoreboard of the papers' figures to FILE.md or FILE.html", "FILE"},
        {"keep", 'k', 0, G_OPTION_ARG_FILENAME, &options.keep,
         "keep each run's results in FOLDER; what is there, of the same files and the same "
         "program, "
         "does not run again: go on after a kill with the same command",
         "FOLDER"},
        {"stored", 0, 0, G_OPTION_ARG_NONE, &options.stored,
         "take what FOLDER has, simulate nothing", NULL},
        {"null", 0, 0, G_OPTION_ARG_STRING, &options.null,
         "simulate a null model instead, `idle` (each job alone) or `bound` (engine bound), and "
         "keep it in FOLDER: what it passes as well says nothing of the network",
         "MODEL"},
        {"against", 'a', 0, G_OPTION_ARG_FILENAME, &options.measurements,
         "measurements of your own, as `darner import` reads them: OSU, nccl-tests, blink, CSV; "
         "instead of CASE a run file",
         "FILE"},
        {"map", 'm', 0, G_OPTION_ARG_FILENAME, &options.map,
         "which of their columns and rows mean what (src/validation/user_measurements.h)",
         "FILE.yaml"},
        {"expected", 'e', 0, G_OPTION_ARG_FILENAME, &options.expected,
         "also write those measurements to FILE, as `measured:` of a run and a case's expected.csv "
         "have them",
         "FILE.csv"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "the overview only", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "[CASE...|RUN.yaml]",
                            "CASE: a name in validation/, a pattern ('h200x4-*'), or a folder's "
                            "path; without one all of the quick tier.\nExit status: 0 all within "
                            "their tolerance, 1 "
                            "one missed, 2 a case is wrong.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_null(&options, &error) || !check_options(argc, &options, &error))
        return dn_command_fail(error);
    return validate_file(argv + 1, &options);
}
