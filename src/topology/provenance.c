/* provenance.c - Provenance names the source or assumption behind each number of a machine's tree.
 * */
#include <string.h>

#include "topology/provenance.h"

static gboolean is_number(const DnConfigNode *node)
{
    const char *s = node->scalar;
    if (node->kind != DN_CONFIG_SCALAR || node->quoted || s == NULL)
        return FALSE;
    s += *s == '-' || *s == '+';
    s += *s == '.';
    return g_ascii_isdigit(*s);
}

static const char *provenance_note(const DnConfigNode *map, const char *key)
{
    const DnConfigNode *node = dn_config_get(map, key);
    return node != NULL && node->kind == DN_CONFIG_SCALAR && node->scalar[0] != '\0' ? node->scalar
                                                                                     : NULL;
}

static void provenance_record(const DnConfigNode *node, const char *source, const char *assumed,
                              GPtrArray *out)
{
    DnProvenance *p = g_new0(DnProvenance, 1);
    p->key = g_strdup(node->path);
    p->text = g_strdup(node->scalar);
    p->source = g_strdup(source);
    p->assumed = g_strdup(assumed);
    p->file = node->file;
    p->line = node->line;
    g_ptr_array_add(out, p);
}

static void provenance_walk(const DnConfigNode *node, const char *source, const char *assumed,
                            GPtrArray *out)
{
    if (node->source != NULL || node->assumed != NULL) { /* {value: [4, 2], source: ...} */
        source = node->source;
        assumed = node->assumed;
    }
    if (is_number(node))
        provenance_record(node, source, assumed, out);
    if (node->kind == DN_CONFIG_MAP) {
        const char *here_source = provenance_note(node, "source"),
                   *here_assumed = provenance_note(node, "assumed");
        if (here_source != NULL || here_assumed != NULL) {
            source = here_source;
            assumed = here_source != NULL ? NULL : here_assumed;
        }
    }
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        static const char *const prose[] = {"source", "assumed", "description", "name", NULL};
        if (node->kind == DN_CONFIG_MAP && g_strv_contains(prose, node->keys->pdata[i]))
            continue;
        provenance_walk(node->children->pdata[i], source, assumed, out);
    }
}

static void provenance_free(gpointer data)
{
    DnProvenance *p = data;
    g_free(p->key);
    g_free(p->text);
    g_free(p->source);
    g_free(p->assumed);
    g_free(p);
}

GPtrArray *dn_provenance_collect(const DnConfigNode *root)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(provenance_free);
    provenance_walk(root, NULL, NULL, out);
    return out;
}
