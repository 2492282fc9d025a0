/* validate_options.c - The options of `darner validate` are checked against each other. */
#include "commands/validate_options.h"

#include "base/error.h"
#include "commands/commands.h"
#include "validation/evidence.h"

#include <string.h>

#define MOST_JOBS 1024

void dn_validate_options_clear(DnValidateOptions *options)
{
    g_free(options->json);
    g_free(options->keep);
    g_free(options->measurements);
    g_free(options->map);
    g_free(options->expected);
    g_free(options->null);
    g_free(options->shard_text);
    g_strfreev(options->pages);
}
void dn_validate_options_renamed(int argc, char **argv)
{
    dn_option_renamed(argc, argv, "-n", "--jobs");
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-j") == 0 && !g_ascii_isdigit(argv[i + 1][0]))
            dn_option_renamed(2, &argv[i - 1], "-j", "--json");
}

static gboolean check_user_measurements(int argc, const DnValidateOptions *options, GError **error)
{
    const char *wrong = NULL;
    if (options->measurements == NULL && options->map != NULL)
        wrong = "--map goes with --against FILE";
    else if (options->measurements == NULL && options->blind)
        wrong = "--blind goes with --against FILE";
    else if (options->measurements == NULL)
        wrong = options->expected != NULL ? "--expected goes with --against FILE" : NULL;
    else if (options->blind)
        wrong = argc == 1 ? NULL : "--blind goes without a run file: predictions are registered";
    else if (argc != 2)
        wrong = "--against FILE goes with one run file";
    else if (options->list || options->full || options->keep != NULL || options->stored)
        wrong = "--against goes without --list, --full, --keep and --stored";
    if (wrong == NULL && options->stored && options->keep == NULL)
        wrong = "--stored takes results from --keep FOLDER; give both";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "darner validate: %s", wrong);
    return wrong == NULL;
}

/* --null idle|bound: no case is judged, its null model is kept. */
static gboolean check_null(DnValidateOptions *options, GError **error)
{
    options->null_model = dn_null_model(options->null);
    if (options->null == NULL || (options->null_model >= 0 && options->keep != NULL))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                "darner validate: --null %s; wanted: `idle` or `bound`, with --keep FOLDER",
                options->null);
    return FALSE;
}

static gboolean check_shard(DnValidateOptions *options, GError **error)
{
    if (options->shard_text == NULL)
        return TRUE;
    if (options->keep != NULL && !options->stored)
        return dn_shard_parse(options->shard_text, &options->shard, error);
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                "darner validate: --shard leaves its results in --keep FOLDER; give both");
    return FALSE;
}

gboolean dn_validate_options_check(int argc, DnValidateOptions *options, GError **error)
{
    if (!check_null(options, error) || !check_user_measurements(argc, options, error) ||
        !check_shard(options, error))
        return FALSE;
    if (options->jobs < 1 || options->jobs > MOST_JOBS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner validate: --jobs %d is out of range; allowed: 1 to %d", options->jobs,
                    MOST_JOBS);
        return FALSE;
    }
    if (!dn_command_check_place("--json", options->json, error) ||
        !dn_command_check_place("--expected", options->expected, error))
        return FALSE;
    for (char **file = options->pages; file != NULL && *file != NULL; file++) {
        if (!dn_command_check_place("--page", *file, error))
            return FALSE;
        if (!g_str_has_suffix(*file, ".html") && !g_str_has_suffix(*file, ".md")) {
            g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                        "darner validate: --page %s; wanted: a name that ends in .md or .html",
                        *file);
            return FALSE;
        }
    }
    return TRUE;
}
