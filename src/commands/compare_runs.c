/* compare_runs.c - `darner compare-runs A B`: whether two runs differ, by their samples. */
#include "base/file.h"
#include "commands/commands.h"
#include "report/run_comparison.h"

#include <stdio.h>

static gboolean compare_folders(const char *a, const char *b, const char *csv, GError **error)
{
    if (!dn_command_check_place("--csv", csv, error))
        return FALSE;
    g_autoptr(DnSampleFile) first = dn_sample_file_read(a, error);
    if (first == NULL)
        return FALSE;
    g_autoptr(DnSampleFile) second = dn_sample_file_read(b, error);
    if (second == NULL)
        return FALSE;
    g_autoptr(DnRunComparison) comparison = dn_run_comparison_new(first, second, error);
    if (comparison == NULL)
        return FALSE;
    g_autofree char *text = dn_run_comparison_text(comparison);
    g_autofree char *rows = dn_run_comparison_csv(comparison);
    if (csv != NULL && !dn_file_write(csv, rows, error))
        return FALSE;
    printf("a: %s, b: %s\n%s", a, b, text);
    return TRUE;
}

int dn_command_compare_runs(int argc, char **argv)
{
    g_autofree char *csv = NULL;
    const GOptionEntry entries[] = {
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "also write the table as CSV", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "OUT/A OUT/B",
            "Reads the samples.csv of two runs' folders. For each job at each point: both medians, "
            "their\ndifference and ratio with 95 % intervals (bootstrap), and p of the two-sided "
            "Mann-Whitney test\nand of a permutation test of the medians. With `repeat`, "
            "repetitions are resampled whole and\ntested by their medians, as iterations of one "
            "are not independent. Exit status: 0 done, 2 wrong input.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (argc != 3) {
        g_set_error(&error, DN_ERROR, DN_ERROR_RANGE,
                    "two folders that runs wrote are wanted, e.g. darner compare-runs out/a out/b");
        return dn_command_fail(error);
    }
    if (!compare_folders(argv[1], argv[2], csv, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
