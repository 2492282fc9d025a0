/* run_identity.c - see run_identity.h. */
#include "experiment/run_identity.h"

#include "base/number.h"
#include "base/input_files.h"
#include "base/version.h"

#include <stdio.h>
#include <string.h>

/* Each line of @text, indented. */
static void add_lines(GString *out, const char *name, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_string_append_printf(out, "%s:\n", name);
    for (guint i = 0; lines[i] != NULL; i++)
        if (lines[i][0] != '\0')
            g_string_append_printf(out, "  %s\n", lines[i]);
}

char *dn_run_identity(const DnPlan *plan, guint links, guint timeline)
{
    const DnSweep *sweep = plan->sweep;
    GString *out = g_string_new(NULL);
    g_autofree char *program = dn_program_hash();
    g_autofree char *run = dn_config_to_string(sweep->root);
    g_autofree char *swept = sweep->map != NULL ? dn_config_to_string(sweep->map) : g_strdup("");
    g_autofree char *files = dn_input_files_end();
    g_string_append_printf(out, "version darner %s\nbuild %s\n--links %u\n--timeline %u\n",
                           dn_version, program, links, timeline);
    add_lines(out, "run", run);
    add_lines(out, "sweep", swept);
    add_lines(out, "files", files);
    return g_string_free(out, FALSE);
}

char *dn_run_identity_files(const char *identity)
{
    static const char head[] = "\nfiles:\n";
    const char *at = g_strrstr(identity, head);
    GString *out = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(at != NULL ? at + strlen(head) : "", "\n", -1);
    for (guint i = 0; lines[i] != NULL && g_str_has_prefix(lines[i], "  "); i++)
        g_string_append_printf(out, "%s\n", lines[i] + 2);
    return g_string_free(out, FALSE);
}

void dn_run_identity_options(const char *identity, guint *links, guint *timeline)
{
    const char *at = strstr(identity, "--links ");
    if (at != NULL)
        dn_take_number(&at, "--links ", links);
    at = strstr(identity, "\n--timeline ");
    if (at != NULL)
        dn_take_number(&at, "\n--timeline ", timeline);
}
