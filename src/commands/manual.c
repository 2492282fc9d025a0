/* manual.c - see manual.h. */
#include "commands/manual.h"
#include "base/version.h"
#include "report/help_topics.h"
#include <string.h>

const char *const dn_manual_shells[] = {"bash", "fish", "zsh", NULL};

/* ---- roff ---- */

/* Text of people as roff sees it: no line begins with a control character, hyphens of options are
 * hyphens to copy. */
static void append_text(GString *out, const char *text)
{
    gboolean begins = out->len == 0 || out->str[out->len - 1] == '\n';
    for (const char *p = text; *p != '\0'; p++) {
        if (begins && (*p == '.' || *p == '\''))
            g_string_append(out, "\\&");
        if (*p == '\\')
            g_string_append(out, "\\e");
        else if (*p == '-')
            g_string_append(out, "\\-");
        else
            g_string_append_c(out, *p);
        begins = *p == '\n';
    }
}

/* Lines that --help breaks by hand flow here, unless a line is indented or has columns. */
static void append_paragraphs(GString *out, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        gboolean column = strstr(lines[i], "   ") != NULL;
        if (column)
            g_string_append(out, ".br\n");
        append_text(out, lines[i]);
        g_string_append_c(out, '\n');
        if (column)
            g_string_append(out, ".br\n");
    }
}

static void append_option(GString *out, const GOptionEntry *e)
{
    g_string_append(out, ".TP\n\\fB");
    if (e->short_name != '\0')
        g_string_append_printf(out, "\\-%c\\fR, \\fB", e->short_name);
    g_autofree char *name = g_strconcat("--", e->long_name, NULL);
    append_text(out, name);
    g_string_append(out, "\\fR");
    if (e->arg_description != NULL)
        g_string_append_printf(out, "=\\fI%s\\fR", e->arg_description);
    g_string_append_c(out, '\n');
    append_text(out, e->description);
    g_string_append_c(out, '\n');
}

static void roff_command(void *data, const DnCommandText *text)
{
    GString *out = data;
    g_string_append_printf(out, ".SS \"%s %s\"\n", text->name, text->usage);
    if (text->description != NULL)
        append_paragraphs(out, text->description);
    for (const GOptionEntry *e = text->entries; e != NULL && e->long_name != NULL; e++)
        append_option(out, e);
}

static const char roff_head[] =
    ".SH NAME\ndarner \\- simulate the interconnects of high\\-performance computers\n"
    ".SH SYNOPSIS\n.B darner\n.I COMMAND\n.RI [ OPTION ]...\n.br\n"
    ".BR \"darner \\-\\-help\" \" | \" \\-\\-version \" | \" \\-\\-manual\n"
    ".SH DESCRIPTION\n"
    "Darner simulates messages from GPU memory to GPU memory, packet by packet, over the links "
    "inside a node and the fabric between nodes. A run file names a machine, the jobs on it and "
    "the routing; each key can be overridden with\n.BR \\-\\-set .\n"
    ".PP\nEvery command takes\n.BR \\-\\-help .\n";

static const char roff_tail[] =
    ".SH EXIT STATUS\n0 done; 1 a tolerance was missed, or the program that was recorded failed; "
    "2 the input is wrong; 130 interrupted.\n"
    ".SH ENVIRONMENT\n.TP\n.B DARNER_ROOT\nThe folder with\n.IR topologies/ ,\n.I workloads/\nand\n"
    ".IR validation/ .\n"
    ".TP\n.BR DARNER_RECORD_DIR \", \" DARNER_RECORD_CLOCK\nOf a program that is recorded without "
    "darner record: the folder of its trace, and what counts as computing, wall or cpu.\n"
    ".SH SEE ALSO\n.BR dot (1),\n.BR mpirun (1)\n";

/* Prints the topics that have no topic above them. */
static void roff_topics(GString *out)
{
    g_autoptr(GPtrArray) topics = dn_topics_new();
    g_string_append(out, ".SH TOPICS OF DARNER HELP\n");
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        if (strchr(topic->name, ' ') != NULL)
            continue;
        g_string_append_printf(out, ".TP\n.B %s\n", topic->name);
        append_text(out, topic->help);
        g_string_append_c(out, '\n');
    }
}

char *dn_manual_page(void)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, ".TH DARNER 1 \"\" \"Darner %s\" \"User Commands\"\n", dn_version);
    g_string_append(out, roff_head);
    g_string_append(out, ".SH COMMANDS\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++) {
        g_string_append_printf(out, ".TP\n.B %s\n", c->name);
        append_text(out, c->summary);
        g_string_append_c(out, '\n');
    }
    g_string_append(out, ".SH OPTIONS OF EACH COMMAND\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        dn_command_describe(c, roff_command, out);
    roff_topics(out);
    g_string_append(out, roff_tail);
    return g_string_free(out, FALSE);
}

/* ---- completion ---- */

/* "darner topo import" -> "topo import". */
static const char *short_name(const DnCommandText *text)
{
    const char *space = strchr(text->name, ' ');
    return space != NULL ? space + 1 : text->name;
}

/* "  'topo import') options='--output --help';;" */
static void bash_command(void *data, const DnCommandText *text)
{
    GString *out = data;
    g_string_append_printf(out, "    '%s') options='", short_name(text));
    for (const GOptionEntry *e = text->entries; e != NULL && e->long_name != NULL; e++)
        g_string_append_printf(out, "--%s%s ", e->long_name,
                               e->arg == G_OPTION_ARG_NONE ? "" : "=");
    g_string_append(out, "--help';;\n");
}

static void append_names(GString *out)
{
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        g_string_append_printf(out, "%s%s", c == dn_commands ? "" : " ", c->name);
}

/* First words of topics, for `darner help`. */
static char *topic_words(void)
{
    g_autoptr(GPtrArray) topics = dn_topics_new();
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < topics->len; i++) {
        const char *name = ((const DnTopic *)topics->pdata[i])->name;
        if (strchr(name, ' ') == NULL)
            g_string_append_printf(out, "%s%s", out->len > 0 ? " " : "", name);
    }
    return g_string_free(out, FALSE);
}

/* Files complete a command's arguments; names of machines and cases are files' names, too. */
static void append_bash(GString *out)
{
    g_string_append(
        out, "_darner()\n{\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} key=${COMP_WORDS[1]} options= words=\n"
             "    COMPREPLY=()\n"
             "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    append_names(out);
    g_string_append(out, " --help --version --manual' -- \"$word\"))\n        return\n    fi\n"
                         "    case \"$key ${COMP_WORDS[2]}\" in\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        for (guint w = 0; c->words[w] != NULL; w++)
            g_string_append_printf(out, "    '%s %s') key='%s %s';;\n", c->name, c->words[w],
                                   c->name, c->words[w]);
    g_string_append(out, "    esac\n    case \"$COMP_CWORD $key\" in\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++) {
        g_autofree char *words = g_strjoinv(" ", (char **)c->words);
        if (words[0] != '\0')
            g_string_append_printf(out, "    '2 %s') words='%s';;\n", c->name, words);
    }
    g_autofree char *topics = topic_words();
    g_string_append_printf(out, "    '2 help') words='%s';;\n", topics);
    g_string_append(out, "    esac\n    case \"$key\" in\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        dn_command_describe(c, bash_command, out);
    g_string_append(out,
                    "    esac\n    case \"$word\" in\n"
                    "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                    "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace;;\n"
                    "    *) COMPREPLY=($(compgen -W \"$words\" -f -- \"$word\"));;\n    esac\n}\n"
                    "complete -o filenames -F _darner darner\n");
}

/* zsh runs bash's completion functions. */
static void append_zsh(GString *out)
{
    g_string_append(out, "#compdef darner\nautoload -U +X bashcompinit && bashcompinit\n");
    append_bash(out);
}

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '\'');
    for (const char *p = text; *p != '\0'; p++)
        g_string_append_printf(out, *p == '\'' || *p == '\\' ? "\\%c" : "%c", *p);
    g_string_append_c(out, '\'');
}

static void fish_command(void *data, const DnCommandText *text)
{
    GString *out = data;
    g_auto(GStrv) words = g_strsplit(short_name(text), " ", 2);
    for (const GOptionEntry *e = text->entries; e != NULL && e->long_name != NULL; e++) {
        g_string_append_printf(out, "complete -c darner -n '__fish_seen_subcommand_from %s%s%s' ",
                               words[0],
                               words[1] != NULL ? "; and __fish_seen_subcommand_from " : "",
                               words[1] != NULL ? words[1] : "");
        if (e->short_name != '\0')
            g_string_append_printf(out, "-s %c ", e->short_name);
        g_string_append_printf(out, "-l %s %s-d ", e->long_name,
                               e->arg == G_OPTION_ARG_NONE ? "" : "-r ");
        append_quoted(out, e->description);
        g_string_append_c(out, '\n');
    }
}

static void append_fish(GString *out)
{
    for (const DnCommand *c = dn_commands; c->name != NULL; c++) {
        g_string_append_printf(out, "complete -c darner -n __fish_use_subcommand -a %s -d ",
                               c->name);
        append_quoted(out, c->summary);
        g_string_append_c(out, '\n');
        for (guint w = 0; c->words[w] != NULL; w++)
            g_string_append_printf(out,
                                   "complete -c darner -n '__fish_seen_subcommand_from %s' -a %s\n",
                                   c->name, c->words[w]);
        dn_command_describe(c, fish_command, out);
    }
    g_autofree char *topics = topic_words();
    g_string_append_printf(
        out, "complete -c darner -n '__fish_seen_subcommand_from help' -a '%s'\n", topics);
}

char *dn_manual_completion(const char *shell)
{
    static void (*const writers[])(GString *) = {append_bash, append_fish, append_zsh};
    GString *out = g_string_new(NULL);
    for (guint i = 0; dn_manual_shells[i] != NULL; i++)
        if (strcmp(shell, dn_manual_shells[i]) == 0)
            writers[i](out);
    return g_string_free(out, FALSE);
}
