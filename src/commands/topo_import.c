/* topo_import.c - `darner topo import FILE`: another tool's description to a machine file. */
#include "commands/commands.h"
#include "commands/topo_convert.h"
#include "topology/import/import.h"

/* (transfer full): the formats it can read, a line each. */
static char *topo_import_formats(void)
{
    GString *out =
        g_string_new("Turns the description that another tool prints of a machine into a "
                     "machine file.\nFormats, recognised by their content:\n");
    for (const DnImporter *const *i = dn_importers; *i != NULL; i++)
        g_string_append_printf(out, "  %-14s %s\n", (*i)->name, (*i)->summary);
    return g_string_free(out, FALSE);
}

static gboolean topo_import_import(const char *file, const char *format, const char *output,
                                   GError **error)
{
    const DnImporter *importer = NULL;
    if (!dn_command_check_place("--output", output, error))
        return FALSE;
    g_autoptr(DnImportText) text = dn_import_text_load(file, error);
    g_autofree char *yaml = text != NULL ? dn_import(text, format, &importer, error) : NULL;
    return yaml != NULL && dn_command_write("--output", output, yaml, error);
}

int dn_topo_import(int argc, char **argv)
{
    g_autofree char *format = NULL, *output = NULL, *about = topo_import_formats();
    const GOptionEntry entries[] = {
        {"format", 'f', 0, G_OPTION_ARG_STRING, &format,
         "what the file is; default: by its content", "FORMAT"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "where to; default: standard output",
         "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "FILE", about, &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (argc != 2) {
        g_set_error(&error, DN_ERROR, DN_ERROR_MISSING,
                    "darner topo import: %d files given; wanted: one", argc - 1);
        return dn_command_fail(error);
    }
    return topo_import_import(argv[1], format, output, &error) ? DN_EXIT_OK
                                                               : dn_command_fail(error);
}
