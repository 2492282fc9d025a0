/* import.c - `darner import FILE|FOLDER` converts the output of a benchmark, or a paper's public
 * data, to one CSV that `calibrate` and `validate --against` read. */
#include "commands/commands.h"
#include "calibration/measurements.h"

/* (transfer full) */
static char *import_formats(void)
{
    GString *out =
        g_string_new("Turns measurements into CSV: bytes, time_us or median_us, and what "
                     "else they say.\nFormats, recognised by their content:\n");
    for (guint i = 0; dn_measurement_formats[i] != NULL; i++)
        g_string_append_printf(out, "  %-18s %s\n", dn_measurement_formats[i]->name,
                               dn_measurement_formats[i]->summary);
    g_string_append(out,
                    "Machines are read by `darner topo import`, programs by `darner trace`.\n");
    return g_string_free(out, FALSE);
}

int dn_command_import(int argc, char **argv)
{
    g_autofree char *format = NULL, *output = NULL, *about = import_formats();
    const GOptionEntry entries[] = {
        {"format", 'f', 0, G_OPTION_ARG_STRING, &format, "what it is; default: by its content",
         "FORMAT"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "where to; default: standard output",
         "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "FILE|FOLDER", about, &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (argc != 2) {
        g_set_error(&error, DN_ERROR, DN_ERROR_MISSING,
                    "darner import: %d files given; wanted: one file or folder", argc - 1);
        return dn_command_fail(error);
    }
    g_autofree char *csv = dn_command_check_place("--output", output, &error)
                               ? dn_measurements_csv(argv[1], format, NULL, &error)
                               : NULL;
    if (csv == NULL || !dn_command_write("--output", output, csv, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
