/* commands.c - Helpers shared by the subcommands: options, help, and errors as people see them. */
#include "commands/commands.h"
#include "base/file.h"
#include "base/processes.h"
#include "report/error_print.h"
#include <stdio.h>
#include <string.h>

const DnCommand *dn_command_find(const char *name)
{
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* GLib says "Unknown option --thread"; people also want to know which one is near. */
static void option_error(const GError *from, const GOptionEntry *entries, GError **error)
{
    const char *dashes = strstr(from->message, "--");
    if (!g_error_matches(from, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || dashes == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_TYPE, "%s; see --help", from->message);
        return;
    }
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const GOptionEntry *e = entries; e != NULL && e->long_name != NULL; e++)
        g_ptr_array_add(known, (gpointer)e->long_name);
    g_ptr_array_add(known, (gpointer) "help");
    g_ptr_array_add(known, NULL);
    g_autofree char *word = g_strdup(dashes + 2);
    word[strcspn(word, "= ")] = '\0';
    const char *near = dn_nearest(word, (const char *const *)known->pdata);
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown option '--%s'%s%s%s; see --help", word,
                near != NULL ? "; did you mean '--" : "", near != NULL ? near : "",
                near != NULL ? "'?" : "");
}

/* While somebody describes commands: who looks. Set only by dn_command_describe(). */
static struct {
    void (*see)(void *data, const DnCommandText *text);
    void *data;
    const char *word;
} looker;

static gboolean commands_describe(char **argv, const GOptionEntry *entries, const char *usage,
                                  const char *description)
{
    if (looker.see == NULL)
        return FALSE;
    g_autofree char *name = looker.word == NULL || g_str_has_suffix(argv[0], looker.word)
                                ? g_strdup(argv[0])
                                : g_strconcat(argv[0], " ", looker.word, NULL);
    looker.see(looker.data, &(DnCommandText){name, usage, description, entries});
    return TRUE;
}

void dn_command_describe(const DnCommand *command,
                         void (*see)(void *data, const DnCommandText *text), void *data)
{
    looker.see = see;
    looker.data = data;
    for (guint w = 0; w == 0 || command->words[w - 1] != NULL; w++) {
        looker.word = w == 0 ? NULL : command->words[w - 1];
        g_autofree char *name = g_strdup_printf("darner %s", command->name);
        g_autofree char *word = g_strdup(looker.word);
        char *argv[] = {name, word, NULL};
        int status = command->run(word == NULL ? 1 : 2, argv);
        g_assert(status == DN_EXIT_OK);
    }
    looker.see = NULL;
}

gboolean dn_option_in_range(int *value, int least, int most)
{
    gboolean given = *value != DN_OPTION_LEFT_OUT;
    if (!given)
        *value = 0;
    return !given || (*value >= least && *value <= most);
}

void dn_option_renamed(int argc, char **argv, const char *old, const char *now)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], old) == 0) {
            g_printerr("warning: %s is now called %s\n", old, now);
            argv[i] = (char *)now;
        }
}

/* `--timeline` becomes `--timeline=`, of options whose value may be left out. */
static void allow_no_values(int argc, char **argv, const GOptionEntry *entries)
{
    for (const GOptionEntry *e = entries; e != NULL && e->long_name != NULL; e++) {
        if (e->arg_description == NULL || e->arg_description[0] != '[')
            continue;
        g_autofree char *word = g_strconcat("--", e->long_name, NULL);
        for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
            if (strcmp(argv[i], word) == 0) {
                g_autofree char *empty = g_strconcat(word, "=", NULL);
                argv[i] = (char *)g_intern_string(empty);
            }
    }
}

/* GLib drops the value of an option that has none: --restart=no would begin anew. */
static gboolean check_no_values(int argc, char **argv, const GOptionEntry *entries, GError **error)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (const GOptionEntry *e = entries; e != NULL && e->long_name != NULL; e++) {
            gsize n = strlen(e->long_name);
            if (e->arg != G_OPTION_ARG_NONE || strncmp(argv[i], "--", 2) != 0 ||
                strncmp(argv[i] + 2, e->long_name, n) != 0 || argv[i][2 + n] != '=')
                continue;
            g_set_error(error, DN_ERROR, DN_ERROR_TYPE, "--%s takes no value; see --help",
                        e->long_name);
            return FALSE;
        }
    return TRUE;
}

gboolean dn_command_options(int *argc, char ***argv, const GOptionEntry *entries, const char *usage,
                            const char *description, gboolean *helped, GError **error)
{
    *helped = commands_describe(*argv, entries, usage, description);
    if (*helped)
        return TRUE;
    /* GLib's own --help leaves the program; only main.c may. */
    const GOptionEntry help[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, helped, "show this text", NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new(usage);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_description(context, description);
    if (entries != NULL)
        g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, help, NULL);
    g_autoptr(GError) problem = NULL;
    g_set_prgname((*argv)[0]);
    allow_no_values(*argc, *argv, entries);
    if (!check_no_values(*argc, *argv, entries, error))
        return FALSE;
    if (!g_option_context_parse(context, argc, argv, &problem)) {
        option_error(problem, entries, error);
        return FALSE;
    }
    if (*helped) {
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        fputs(text, stdout);
    }
    /* "--" ends the options; GLib leaves it in place when a positional argument follows. */
    if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
        memmove(&(*argv)[1], &(*argv)[2], sizeof(char *) * (gsize)(*argc - 1));
        (*argc)--;
    }
    (*argv)[*argc] = NULL; /* GLib moves words, not their end */
    return TRUE;
}

gboolean dn_command_check_place(const char *option, const char *file, GError **error)
{
    if (file == NULL || strcmp(file, "-") == 0 || dn_file_check_place(file, error))
        return TRUE;
    g_prefix_error(error, "%s: ", option);
    return FALSE;
}

gboolean dn_command_write(const char *option, const char *file, const char *text, GError **error)
{
    if (file == NULL || strcmp(file, "-") == 0) {
        fputs(text, stdout);
        return TRUE;
    }
    if (dn_file_write(file, text, error))
        return TRUE;
    g_prefix_error(error, "%s: ", option);
    return FALSE;
}

int dn_command_fail(GError *error)
{
    return dn_command_fail_set(error, NULL);
}

int dn_command_fail_set(GError *error, char **set)
{
    g_assert(error != NULL);
    gboolean interrupted = g_error_matches(error, DN_ERROR, DN_ERROR_INTERRUPTED);
    if (dn_processes() != NULL && dn_processes()->rank > 0)
        dn_processes()->hold();
    dn_error_print(error, (const char *const *)set);
    g_error_free(error);
    return interrupted ? DN_EXIT_INTERRUPTED : DN_EXIT_USER;
}
