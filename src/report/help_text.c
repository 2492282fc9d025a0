/* help_text.c - see help_text.h. Lines of the terminal's text are broken at 80 columns. */
#include "report/help_text.h"

#include <string.h>

#define WIDTH 80

/* ---- values of a key ---- */

static char *join_choices(const DnParamSpec *spec, const char *separator)
{
    return g_strjoinv(separator, (char **)spec->choices);
}

static void append_part(GString *out, const char *label, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    if (out->len > 0)
        g_string_append(out, ", ");
    g_string_append_printf(out, "%s%s", label, text);
}

static const char *say_form(GString *out, const DnHelpForm *form, const char *at);

/* One alternative from @at on; returns what follows it. */
static const char *say_alternative(GString *out, const DnHelpForm *form, const char *at)
{
    static const struct {
        const char *word, *text;
    } words[] = {{"name", "a name"},
                 {"int", "a whole number"},
                 {"real", "a number"},
                 {"time", "a time"},
                 {"any", "any value"}};
    if (*at == '[' || *at == '{') {
        gboolean numbers = at[1] == '#';
        g_string_append(out, *at == '[' ? "a list of ("
                             : numbers  ? "a mapping of whole numbers to ("
                                        : "a mapping of names to (");
        at = say_form(out, form, at + 1 + numbers) + 1;
        g_string_append_c(out, ')');
        return at;
    }
    gsize n = strcspn(at, "|]}");
    g_autofree char *word = g_strstrip(g_strndup(at, n));
    g_autofree char *choices =
        strcmp(word, "choice") == 0 ? g_strjoinv(", ", (char **)form->choices) : NULL;
    const char *text = choices != NULL ? choices : word;
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(word, words[i].word) == 0)
            text = words[i].text;
    if (word[0] == '@')
        g_string_append_printf(out, "a mapping (%s)", word + 1);
    else
        g_string_append(out, text);
    return at + n;
}

static const char *say_form(GString *out, const DnHelpForm *form, const char *at)
{
    for (;;) {
        at = say_alternative(out, form, at + strspn(at, " "));
        at += strspn(at, " ");
        if (*at != '|')
            return at;
        g_string_append(out, ", or ");
        at++;
    }
}

static char *type_text(const DnTopic *topic, const DnParamSpec *spec)
{
    const DnHelpForm *form = dn_topic_form(topic, spec);
    if (form != NULL) {
        GString *out = g_string_new(NULL);
        (void)say_form(out, form, form->form);
        return g_string_free(out, FALSE);
    }
    if (spec->type != DN_PARAM_CHOICE)
        return g_strdup(dn_param_type_name(spec->type));
    g_autofree char *choices = join_choices(spec, ", ");
    return g_strdup_printf("one of %s", choices);
}

static char *value_text(const DnTopic *topic, const DnParamSpec *spec)
{
    GString *out = g_string_new(NULL);
    g_autofree char *type = type_text(topic, spec);
    gboolean bounded = spec->min != 0 || spec->max != 0;
    g_autofree char *allowed = bounded ? dn_param_allowed(spec) : NULL;
    append_part(out, "", type);
    append_part(out, "", allowed);
    append_part(out, "default ", spec->fallback);
    if (spec->fallback == NULL)
        append_part(out, "", "required");
    return g_string_free(out, FALSE);
}

/* ---- terminal ---- */

/* @text in lines of WIDTH, each after @indent blanks; the first begins at the line's end. */
static void append_wrapped(GString *out, const char *text, guint indent)
{
    const char *begin = strrchr(out->str, '\n');
    glong column = g_utf8_strlen(begin != NULL ? begin + 1 : out->str, -1);
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        glong length = g_utf8_strlen(words[i], -1);
        if (i > 0 && column + 1 + length > WIDTH) {
            g_string_append_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (i > 0) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, words[i]);
        column += length;
    }
    g_string_append_c(out, '\n');
}

static void append_labelled(GString *out, const char *label, const char *text)
{
    if (text == NULL)
        return;
    g_string_append_printf(out, "%s: ", label);
    append_wrapped(out, text, 4);
}

static void append_keys(GString *out, const DnTopic *topic)
{
    for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++) {
        g_autofree char *value = value_text(topic, spec);
        g_string_append_printf(out, "\n  %s: ", spec->key);
        append_wrapped(out, value, 6);
        g_string_append(out, "      ");
        append_wrapped(out, spec->help, 6);
    }
}

static void append_below(GString *out, const GPtrArray *topics, const DnTopic *parent)
{
    gsize skip = parent != NULL ? strlen(parent->name) + 1 : 0;
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        gboolean listed = parent != NULL ? dn_topic_is_below(topic, parent)
                                         : strchr(topic->name, ' ') == NULL;
        if (!listed)
            continue;
        g_string_append_printf(out, "  %-20s ", topic->name + skip);
        append_wrapped(out, topic->help, 23);
    }
}

static gboolean has_below(const GPtrArray *topics, const DnTopic *parent)
{
    for (guint i = 0; i < topics->len; i++)
        if (dn_topic_is_below(topics->pdata[i], parent))
            return TRUE;
    return FALSE;
}

/* The topic whose keys stand in the same mapping; or NULL. */
static const DnTopic *typed_parent(const GPtrArray *topics, const DnTopic *topic)
{
    const char *last = strrchr(topic->name, ' ');
    if (last == NULL || topic->flags & DN_TOPIC_NO_PARENT)
        return NULL;
    g_autofree char *name = g_strndup(topic->name, (gsize)(last - topic->name));
    const DnTopic *parent = dn_topic_find(topics, name);
    return parent != NULL && parent->flags & DN_TOPIC_TYPED ? parent : NULL;
}

char *dn_help_overview(const GPtrArray *topics)
{
    GString *out = g_string_new("Usage: darner help TOPIC...\n\n");
    append_below(out, topics, NULL);
    g_string_append(out, "\nTopics have topics below them: darner help run jobs, darner help "
                         "workload halo.\n'darner COMMAND --help' explains a command.\n");
    return g_string_free(out, FALSE);
}

char *dn_help_text(const GPtrArray *topics, const DnTopic *topic)
{
    GString *out = g_string_new(NULL);
    const DnTopic *parent = typed_parent(topics, topic);
    g_autofree char *choices = topic->choices != NULL ? g_strjoinv(", ", (char **)topic->choices)
                                                      : NULL;
    g_string_append_printf(out, "%s - ", topic->name);
    append_wrapped(out, topic->help, 4);
    append_labelled(out, "Note", topic->about);
    append_labelled(out, "Source", topic->source);
    append_labelled(out, "Limitations", topic->limits);
    append_labelled(out, "Goodput counts", topic->goodput);
    append_labelled(out, g_str_has_prefix(topic->name, "routing") ? "Modes" : "Link classes",
                    choices);
    if (topic->keys != NULL && topic->keys->key != NULL)
        g_string_append(out, "\nKeys:\n");
    append_keys(out, topic);
    if (parent != NULL && parent->keys != NULL) {
        g_string_append_printf(out, "\nKeys of all of %s:\n", parent->name);
        append_keys(out, parent);
    }
    if (topic->flags & DN_TOPIC_NOTES)
        g_string_append(out, "\n  source, assumed: where the numbers of the mapping come from\n");
    if (topic->body != NULL)
        topic->body(out, FALSE);
    if (has_below(topics, topic)) {
        g_string_append(out, "\nTopics below:\n");
        append_below(out, topics, topic);
    }
    return g_string_free(out, FALSE);
}

/* ---- Markdown ---- */

/* A cell: no border inside. */
static char *help_text_cell(const char *text)
{
    GString *out = g_string_new(text != NULL ? text : "");
    g_string_replace(out, "|", "\\|", 0);
    return g_string_free(out, FALSE);
}

static void append_markdown_keys(GString *out, const DnTopic *topic)
{
    g_string_append(out, "| key | value | meaning |\n|---|---|---|\n");
    for (const DnParamSpec *spec = topic->keys; spec->key != NULL; spec++) {
        g_autofree char *value = value_text(topic, spec);
        g_autofree char *shown = help_text_cell(value);
        g_autofree char *help = help_text_cell(spec->help);
        g_string_append_printf(out, "| `%s` | %s | %s |\n", spec->key, shown, help);
    }
}

static char *key_names(const DnTopic *topic)
{
    GString *out = g_string_new(NULL);
    for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++)
        g_string_append_printf(out, "%s`%s`", out->len > 0 ? ", " : "", spec->key);
    return g_string_free(out, FALSE);
}

/* A row for each topic below, with its keys where there are any. */
static void append_markdown_below(GString *out, const GPtrArray *topics, const DnTopic *parent)
{
    gboolean goodput = strcmp(parent->name, "workload") == 0;
    gboolean keys = parent->flags & DN_TOPIC_TYPED;
    g_string_append_printf(out, "| %s | what |%s%s\n|---|---|%s%s\n",
                           parent->selector != NULL ? parent->selector : "name",
                           keys ? " keys |" : "", goodput ? " goodput counts |" : "",
                           keys ? "---|" : "", goodput ? "---|" : "");
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        if (!dn_topic_is_below(topic, parent) || topic->flags & DN_TOPIC_NO_PARENT)
            continue;
        g_autofree char *help = help_text_cell(topic->help);
        g_autofree char *names = key_names(topic);
        g_string_append_printf(out, "| `%s` | %s |", strrchr(topic->name, ' ') + 1, help);
        if (keys)
            g_string_append_printf(out, " %s |", names);
        if (goodput)
            g_string_append_printf(out, " %s |", topic->goodput);
        g_string_append_c(out, '\n');
    }
}

char *dn_help_markdown(const GPtrArray *topics, const DnTopic *topic)
{
    GString *out = g_string_new(NULL);
    if (topic->body != NULL && !has_below(topics, topic))
        topic->body(out, TRUE);
    else if (has_below(topics, topic) && (topic->keys == NULL || topic->flags & DN_TOPIC_TYPED))
        append_markdown_below(out, topics, topic);
    else if (topic->keys != NULL)
        append_markdown_keys(out, topic);
    return g_string_free(out, FALSE);
}
