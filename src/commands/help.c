/* help.c - `darner help TOPIC...` prints the keys of files, the types and their limitations, and
 * the columns of results; all from the tables that the program itself reads by. */
#include "commands/commands.h"
#include "report/help_schema.h"
#include "report/help_text.h"
#include "validation/user_measurements.h"
#include "validation/validation_case.h"
#include <stdio.h>
#include <string.h>

/* Topics of floors above the reports'. */
static GPtrArray *all_topics(void)
{
    GPtrArray *topics = dn_topics_new();
    const DnTopic more[] = {
        {.name = (char *)"validation", .help = "files of a validation case"},
        {.name = (char *)"validation case", .help = "keys of case.yaml", .keys = dn_case_keys},
        {.name = (char *)"validation measurements",
         .help = "keys of a mapping of measurements to a run",
         .keys = dn_user_measurement_keys},
    };
    for (guint i = 0; i < G_N_ELEMENTS(more); i++)
        dn_topics_add(topics, &more[i]);
    return topics;
}

/* (transfer container): the topics whose last words are @name. */
static GPtrArray *topics_ending_in(const GPtrArray *topics, const char *name)
{
    GPtrArray *found = g_ptr_array_new();
    g_autofree char *tail = g_strconcat(" ", name, NULL);
    for (guint i = 0; i < topics->len; i++)
        if (g_str_has_suffix(((const DnTopic *)topics->pdata[i])->name, tail))
            g_ptr_array_add(found, topics->pdata[i]);
    return found;
}

/* Finds a topic by its whole name, or by its last words where only one topic has them. */
static const DnTopic *find_topic(const GPtrArray *topics, const char *name)
{
    const DnTopic *found = dn_topic_find(topics, name);
    g_autoptr(GPtrArray) ending = topics_ending_in(topics, name);
    return found == NULL && ending->len == 1 ? ending->pdata[0] : found;
}

static GError *several_topics(const GPtrArray *topics, const char *name)
{
    g_autofree char *shown = dn_quote(name);
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; i < topics->len; i++)
        g_string_append_printf(all, "%s'%s'", i > 0 ? ", " : "",
                               ((const DnTopic *)topics->pdata[i])->name);
    return g_error_new(DN_ERROR, DN_ERROR_UNKNOWN, "several topics end in %s: %s; name one", shown,
                       all->str);
}

static GError *unknown_topic(const GPtrArray *topics, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new(), ending = topics_ending_in(topics, name);
    g_autofree char *shown = dn_quote(name);
    if (ending->len > 1)
        return several_topics(ending, name);
    for (guint i = 0; i < topics->len; i++) {
        const char *full = ((const DnTopic *)topics->pdata[i])->name;
        const char *last = strrchr(full, ' ');
        g_ptr_array_add(names, (gpointer)full);
        if (last != NULL)
            g_ptr_array_add(names, (gpointer)(last + 1));
    }
    g_ptr_array_add(names, NULL);
    const char *near = dn_nearest(name, (const char *const *)names->pdata);
    return g_error_new(DN_ERROR, DN_ERROR_UNKNOWN, "unknown topic %s%s%s%s; see darner help", shown,
                       near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
}

/* A command's own help, where no topic has its name. */
static int help_of_command(const DnCommand *command)
{
    g_autofree char *name = g_strdup_printf("darner %s", command->name);
    char help[] = "--help";
    char *argv[] = {name, help, NULL};
    return command->run(2, argv);
}

static int help_of_topic(const char *name, gboolean markdown)
{
    g_autoptr(GPtrArray) topics = all_topics();
    const DnTopic *topic = find_topic(topics, name);
    const DnCommand *command = dn_command_find(name);
    if (topic == NULL && command != NULL)
        return help_of_command(command);
    if (topic == NULL)
        return dn_command_fail(unknown_topic(topics, name));
    g_autofree char *text = markdown ? dn_help_markdown(topics, topic)
                                     : dn_help_text(topics, topic);
    fputs(text, stdout);
    if (!markdown && command != NULL)
        printf("\n'darner %s --help' explains the command of that name.\n", name);
    return DN_EXIT_OK;
}

int dn_command_help(int argc, char **argv)
{
    gboolean schema = FALSE, markdown = FALSE, helped = FALSE;
    const GOptionEntry entries[] = {
        {"schema", 0, 0, G_OPTION_ARG_NONE, &schema,
         "a JSON schema of run, machine and workload files, for editors", NULL},
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "the topic's table as Markdown", NULL},
        {0},
    };
    GError *error = NULL;
    if (!dn_command_options(&argc, &argv, entries, "[TOPIC...]",
                            "Explains keys of files, types and what they do not model, and the "
                            "columns of results:\nhelp run jobs, help workload halo, help machine "
                            "fabric dragonfly, help metrics.\nWithout a topic: the topics.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (argc > 1) {
        g_autofree char *name = g_strjoinv(" ", argv + 1);
        return help_of_topic(name, markdown);
    }
    g_autoptr(GPtrArray) topics = all_topics();
    g_autofree char *text = schema ? dn_help_schema(topics) : dn_help_overview(topics);
    fputs(text, stdout);
    return DN_EXIT_OK;
}
