/* slurm.c - topology.conf of Slurm, plugins topology/tree and topology/block.
 *
 * tree: `SwitchName=s0 Nodes=tux[0-3,12] LinkSpeed=..`, `SwitchName=s8 Switches=s[0-2]`; several
 * lines of one switch add up. block: `BlockName=b1 Nodes=..` and `BlockSizes=18,36`: blocks of the
 * first size, of which runs form larger ones. Names of keys in any case, # comments, a backslash
 * joins lines; lists are Slurm's host lists, "a[1-3,07-10]b[0-1]". (Manual page topology.conf(5).)
 * A block is drawn as one switch, larger blocks as a switch above them, and the top as one switch;
 * what is really inside a block (NVLink, say) the file does not tell.
 * LIMITATIONS: speeds are not given (LinkSpeed has no unit by the manual and goes to a comment),
 * nor how many cables join two switches: one, 200 Gb/s, are assumed. Nodes=ALL needs slurm.conf.
 * topology.yaml (Slurm 25) is not read. */
#include <string.h>

#include "base/hostlist.h"
#include "topology/import/import.h"
#include "topology/import/network.h"

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    DnNetwork *net;
    GArray *sizes;     /* guint32: BlockSizes */
    GPtrArray *blocks; /* char*: names in file order */
    GHashTable *made;  /* switches defined by a line; others are only named */
    guint32 rate;
} Reader;

static gboolean slurm_refuse(Reader *r, guint line, const char *at, DnError code, GError **error,
                             const char *why)
{
    g_autofree char *shown = dn_quote(at);
    dn_import_error(r->text, line, 1, code, error, "%s: %s", shown, why);
    return FALSE;
}

/* NULL + error: @text is no host list. */
static GPtrArray *host_list(Reader *r, guint line, const char *text, GError **error)
{
    GPtrArray *out = dn_hostlist_expand(text);
    if (out == NULL)
        slurm_refuse(r, line, text, DN_ERROR_SYNTAX, error,
                     "not a host list; wanted: like tux[0-3,12],login1, at most 200000 names");
    return out;
}

typedef struct {
    char *switch_name, *block_name, *nodes, *switches, *speed, *sizes;
} Entry;

static void entry_clear(Entry *e)
{
    g_free(e->switch_name);
    g_free(e->block_name);
    g_free(e->nodes);
    g_free(e->switches);
    g_free(e->speed);
    g_free(e->sizes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Entry, entry_clear)

static gboolean read_word(Reader *r, guint line, const char *word, Entry *e, GError **error)
{
    const struct {
        const char *key;
        char **value;
    } known[] = {
        {"SwitchName", &e->switch_name}, {"BlockName", &e->block_name}, {"Nodes", &e->nodes},
        {"Switches", &e->switches},      {"LinkSpeed", &e->speed},      {"BlockSizes", &e->sizes}};
    static const char *const names[] = {"SwitchName", "BlockName",  "Nodes", "Switches",
                                        "LinkSpeed",  "BlockSizes", NULL};
    const char *equals = strchr(word, '=');
    g_autofree char *key = equals != NULL ? g_strndup(word, (gsize)(equals - word))
                                          : g_strdup(word);
    for (guint i = 0; equals != NULL && i < G_N_ELEMENTS(known); i++) {
        if (g_ascii_strcasecmp(key, known[i].key) != 0)
            continue;
        if (*known[i].value != NULL || equals[1] == '\0')
            return slurm_refuse(r, line, word, DN_ERROR_SYNTAX, error,
                                "given twice on one line, or without a value");
        *known[i].value = g_strdup(equals + 1);
        return TRUE;
    }
    g_autofree char *unknown = dn_unknown(key, names, "allowed");
    const char *at = strstr(dn_import_line(r->text, line), word);
    guint column = at != NULL ? (guint)(at - dn_import_line(r->text, line)) + 1 : 1;
    dn_import_error(r->text, line, column, DN_ERROR_UNKNOWN, error, "unknown key %s", unknown);
    return FALSE;
}

static gboolean add_nodes(Reader *r, guint line, guint32 at, const char *list, GError **error)
{
    if (g_ascii_strcasecmp(list, "ALL") == 0)
        return slurm_refuse(r, line, list, DN_ERROR_RANGE, error,
                            "the nodes' names stand in slurm.conf; wanted: a host list");
    g_autoptr(GPtrArray) nodes = host_list(r, line, list, error);
    if (nodes == NULL)
        return FALSE;
    for (guint i = 0; i < nodes->len; i++) {
        guint32 host = dn_network_host(r->net, nodes->pdata[i]);
        if (r->net->hosts->len > DN_NET_MAX_HOSTS)
            return slurm_refuse(r, line, list, DN_ERROR_RANGE, error,
                                "more than 200000 nodes in all");
        if (g_array_index(r->net->hosts, DnNetHost, host).ports >= 64)
            return slurm_refuse(r, line, nodes->pdata[i], DN_ERROR_RANGE, error,
                                "named on more than 64 switches");
        dn_network_port(r->net, at, host, r->rate, NULL);
    }
    return TRUE;
}

static gboolean add_switches(Reader *r, guint line, guint32 at, const char *list, GError **error)
{
    g_autoptr(GPtrArray) below = host_list(r, line, list, error);
    if (below == NULL)
        return FALSE;
    for (guint i = 0; i < below->len; i++) {
        guint32 low = dn_network_switch(r->net, below->pdata[i], NULL);
        if (low == at)
            return slurm_refuse(r, line, below->pdata[i], DN_ERROR_CYCLE, error,
                                "a switch below itself");
        if (r->net->cables->len > DN_NET_MAX_CABLES)
            return slurm_refuse(r, line, list, DN_ERROR_RANGE, error,
                                "more than 2000000 links in all");
        dn_network_cable(r->net, low, at, r->rate, NULL);
    }
    return TRUE;
}

static gboolean read_sizes(Reader *r, guint line, const char *list, GError **error)
{
    g_auto(GStrv) words = g_strsplit(list, ",", -1);
    g_array_set_size(r->sizes, 0);
    for (guint i = 0; words[i] != NULL; i++) {
        guint64 size;
        if (!g_ascii_string_to_unsigned(words[i], 10, 1, 1 << 20, &size, NULL))
            return slurm_refuse(r, line, list, DN_ERROR_SYNTAX, error,
                                "not block sizes; wanted: whole numbers, like 18,36");
        guint32 value = (guint32)size;
        if (r->sizes->len > 0 && value <= g_array_index(r->sizes, guint32, r->sizes->len - 1))
            return slurm_refuse(r, line, list, DN_ERROR_RANGE, error,
                                "wanted: each size larger than the one before");
        g_array_append_val(r->sizes, value);
    }
    return TRUE;
}

static gboolean read_entry(Reader *r, guint line, const Entry *e, GError **error)
{
    const char *name = e->switch_name != NULL ? e->switch_name : e->block_name;
    if (e->sizes != NULL && name == NULL)
        return read_sizes(r, line, e->sizes, error);
    if (name == NULL || (e->switch_name != NULL && e->block_name != NULL) ||
        (e->nodes == NULL) == (e->switches == NULL) ||
        (e->block_name != NULL && e->switches != NULL))
        return slurm_refuse(
            r, line, dn_import_line(r->text, line), DN_ERROR_SYNTAX, error,
            "wanted: SwitchName=.. with Nodes=.. or Switches=.., or BlockName=.. with "
            "Nodes=.., or BlockSizes=..");
    if (r->blocks->len > 0 ? e->switch_name != NULL
                           : e->block_name != NULL && r->net->switches->len > 0)
        return slurm_refuse(r, line, name, DN_ERROR_RANGE, error,
                            "SwitchName and BlockName in one file; wanted: one of the two plugins");
    guint32 at = dn_network_switch(r->net, name, NULL);
    g_hash_table_add(r->made, g_strdup(name));
    if (e->block_name != NULL)
        g_ptr_array_add(r->blocks, g_strdup(name));
    if (e->speed != NULL) {
        DnNetSwitch *s = &g_array_index(r->net->switches, DnNetSwitch, at);
        g_free(s->label);
        s->label = g_strdup_printf("LinkSpeed=%s", e->speed);
    }
    return e->nodes != NULL ? add_nodes(r, line, at, e->nodes, error)
                            : add_switches(r, line, at, e->switches, error);
}

/* Lines joined at backslashes, without comments; *line moves to the last one taken. */
static char *logical_line(const DnImportText *text, guint *line)
{
    GString *out = g_string_new(NULL);
    for (;; (*line)++) {
        const char *raw = dn_import_line(text, *line);
        g_string_append_len(out, raw, (gssize)strcspn(raw, "#"));
        gsize n = out->len;
        if (n == 0 || out->str[n - 1] != '\\')
            break;
        out->str[n - 1] = ' ';
        if (*line >= text->lines->len)
            break;
    }
    return g_string_free(out, FALSE);
}

static gboolean read_lines(Reader *r, GError **error)
{
    for (guint line = 1; line <= r->text->lines->len; line++) {
        guint first = line;
        g_autofree char *whole = logical_line(r->text, &line);
        g_autoptr(GPtrArray) words = dn_import_words(whole);
        g_auto(Entry) e = {0};
        if (words->len == 0)
            continue;
        for (guint i = 0; i < words->len; i++)
            if (!read_word(r, first, words->pdata[i], &e, error))
                return FALSE;
        if (!read_entry(r, first, &e, error))
            return FALSE;
    }
    return TRUE;
}

/* Larger blocks: a switch above each run of as many as fit the next size, up to one at the top. */
static void stack_blocks(Reader *r)
{
    g_autoptr(GArray) row = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < r->blocks->len; i++) {
        guint32 s = dn_network_switch(r->net, r->blocks->pdata[i], NULL);
        if (row->len == 0 || g_array_index(row, guint32, row->len - 1) != s)
            g_array_append_val(row, s);
    }
    for (guint level = 1; row->len > 1; level++) {
        guint run = row->len;
        if (level < r->sizes->len)
            run = MAX(2u, g_array_index(r->sizes, guint32, level) /
                              g_array_index(r->sizes, guint32, level - 1));
        g_autoptr(GArray) above = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint i = 0; i < row->len; i++) {
            if (i % run == 0) {
                g_autofree char *name = g_strdup_printf("level%u-%u", level, i / run);
                guint32 s = dn_network_switch(r->net, name, "assumed: joins blocks");
                g_array_append_val(above, s);
            }
            guint32 low = g_array_index(row, guint32, i);
            guint32 high = g_array_index(above, guint32, above->len - 1);
            if (low != high)
                dn_network_cable(r->net, low, high, r->rate, NULL);
        }
        g_array_set_size(row, 0);
        g_array_append_vals(row, above->data, above->len);
    }
    g_autoptr(GString) sizes = g_string_new(NULL);
    for (guint i = 0; i < r->sizes->len; i++)
        g_string_append_printf(sizes, "%s%u", i > 0 ? "," : "",
                               g_array_index(r->sizes, guint32, i));
    dn_draft_note(
        r->draft,
        "%u blocks (BlockSizes=%s). A block is drawn as one switch; how blocks are joined "
        "is not given: one switch above each larger block is assumed.",
        r->blocks->len, sizes->str);
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_autoptr(DnNetwork) net = dn_network_new();
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GPtrArray) blocks = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Reader r = {text, draft, net, sizes, blocks, made, 0};
    r.rate = dn_network_rate(
        net, (DnNetRate){"link", 200, NULL, "speeds are not given by topology.conf; 200 Gb/s"});
    if (!read_lines(&r, error))
        return FALSE;
    for (guint i = 0; i < net->switches->len; i++) {
        const char *name = g_array_index(net->switches, DnNetSwitch, i).name;
        if (!g_hash_table_contains(made, name))
            dn_draft_note(draft, "Switch %s is named below another but has no line.", name);
    }
    if (blocks->len > 0)
        stack_blocks(&r);
    dn_draft_note(draft, "How many cables join two switches is not given: one is assumed.");
    return dn_network_write(net, text, "Slurm cluster", draft, error);
}

static gboolean slurm_recognise(const DnImportText *text)
{
    for (guint i = 1; i <= MIN(text->lines->len, 5000u); i++) {
        const char *line = dn_import_line(text, i);
        line += strspn(line, " \t");
        if (g_ascii_strncasecmp(line, "SwitchName=", 11) == 0 ||
            g_ascii_strncasecmp(line, "BlockName=", 10) == 0 ||
            g_ascii_strncasecmp(line, "BlockSizes=", 11) == 0)
            return TRUE;
    }
    return FALSE;
}

const DnImporter dn_importer_slurm = {
    .name = "slurm",
    .summary = "Slurm topology.conf",
    .sign = "a line SwitchName=... or BlockName=...",
    .recognise = slurm_recognise,
    .read = read_draft,
};
