/* import_test.h - Helpers shared by the importers' tests: a sample to a loaded machine, and
 * questions to its graph by the names of vertices. */
#pragma once
#include <string.h>

#include "topology/import/import.h"
#include "topology/machine.h"

typedef struct {
    char *yaml;
    DnMachine *machine;
} Imported;

static inline void imported_clear(Imported *i)
{
    g_free(i->yaml);
    dn_machine_free(i->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Imported, imported_clear)

static inline char *sample_path(const char *name)
{
    const char *root = g_getenv("DARNER_ROOT");
    return g_build_filename(root != NULL ? root : ".", "src", "topology", "import", "testdata",
                            name, NULL);
}

static inline Imported import_text(const DnImportText *text, const char *format)
{
    g_autoptr(GError) error = NULL;
    Imported i = {0};
    const DnImporter *importer = NULL;
    i.yaml = dn_import(text, NULL, &importer, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(importer->name, ==, format); /* recognised, not named */
    g_autoptr(DnConfigNode) root = dn_config_parse(i.yaml, "machine", &error);
    g_assert_no_error(error);
    i.machine = dn_machine_load(root, 0, &error);
    g_assert_no_error(error);
    return i;
}

static inline Imported import_sample(const char *name, const char *format)
{
    g_autofree char *path = sample_path(name);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText) text = dn_import_text_load(path, &error);
    g_assert_no_error(error);
    return import_text(text, format);
}

static inline Imported import_string(const char *string, const char *format)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText) text = dn_import_text_new("sample", string, strlen(string), &error);
    g_assert_no_error(error);
    return import_text(text, format);
}

static inline guint32 vertex_named(const Imported *i, const char *name)
{
    const DnGraph *g = i->machine->graph;
    for (guint32 v = 0; v < g->size.node_vertices; v++)
        if (g_strcmp0(g->vertex_names[v], name) == 0)
            return g->size.switches + v;
    g_error("no vertex %s in:\n%s", name, i->yaml);
}

/* Physical links between two vertices of class @class_, all bundles together; -1: another class. */
static inline gint64 links_between(const Imported *i, const char *a, const char *b,
                                   const char *class_)
{
    const DnGraph *g = i->machine->graph;
    guint32 from = vertex_named(i, a), to = vertex_named(i, b);
    gint64 n = 0;
    for (guint32 p = g->port_first[from]; p < g->port_first[from + 1]; p++) {
        const DnLink *link = &g->links[g->ports[p]];
        if (link->dst != to)
            continue;
        if (!g_str_equal(g->classes[link->link_class].name, class_))
            return -1;
        n += link->width;
    }
    return n;
}

static inline const DnLinkClass *class_named(const Imported *i, const char *name)
{
    const DnGraph *g = i->machine->graph;
    for (guint32 c = 0; c < g->n_classes; c++)
        if (g_str_equal(g->classes[c].name, name))
            return &g->classes[c];
    g_error("no class %s in:\n%s", name, i->yaml);
}

/* NIC that serves @name, by name; NULL: none. */
static inline const char *nic_of(const Imported *i, const char *name)
{
    const DnGraph *g = i->machine->graph;
    guint32 e = g->endpoint_of[vertex_named(i, name)];
    g_assert_cmpuint(e, !=, DN_NONE);
    guint32 t = g->endpoint_terminal[e];
    return t == DN_NONE ? NULL : g->vertex_names[g->vertices[g->terminals[t]].local];
}

static inline void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        g_error("'%s' is not in:\n%s", part, text);
}

/* Every number of the machine has a source or an assumption. */
static inline void assert_accounted(const Imported *i)
{
    for (guint k = 0; k < i->machine->provenance->len; k++) {
        const DnProvenance *p = i->machine->provenance->pdata[k];
        if (p->source == NULL && p->assumed == NULL)
            g_error("%s = %s has neither source nor assumption in:\n%s", p->key, p->text, i->yaml);
    }
}

/* @string as format @format fails with code @code and a message that begins with @start. */
static inline void assert_refused(const char *string, const char *format, DnError code,
                                  const char *start)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText) text = dn_import_text_new("sample", string, strlen(string), &error);
    g_assert_no_error(error);
    g_autofree char *yaml = dn_import(text, format, NULL, &error);
    g_assert_null(yaml);
    g_assert_error(error, DN_ERROR, (gint)code);
    if (!g_str_has_prefix(error->message, start))
        g_error("'%s' does not begin with '%s'", error->message, start);
}
