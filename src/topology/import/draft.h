/* draft.h - a machine under construction by an importer, and its YAML form.
 *
 * A draft is one node graph, or one fabric with bare nodes on it; a network of no regular shape is
 * a node graph too, with its switches and NICs as vertices (topologies/README.md has the keys).
 * Every number is known (with a source) or guessed (with a reason). Units are in the text. */
#pragma once
#include <glib.h>

typedef enum {
    DN_DRAFT_GPU,
    DN_DRAFT_CPU,
    DN_DRAFT_NIC,
    DN_DRAFT_NVSWITCH,
    DN_DRAFT_SWITCH,
} DnDraftKind;

/* "200 Gb/s" and where it is from. A NULL value: left to the loader's default. */
typedef struct {
    char *value, *reason;
    gboolean known; /* source:, else assumed: */
} DnDraftNumber;

DnDraftNumber dn_known(const char *value, const char *source);
DnDraftNumber dn_guess(const char *value, const char *assumed);

typedef struct {
    char *name;
    DnDraftKind kind;
    char *label;       /* the input's own words for it, as a comment; or NULL */
    gboolean host_end; /* never forwards for others, whatever its kind */
    gboolean forwards; /* forwards for others though a GPU */
    DnDraftNumber latency;
    guint32 nic; /* vertex of the NIC that serves it, or G_MAXUINT32 */
} DnDraftVertex;

typedef struct {
    char *name;
    DnDraftNumber bandwidth, latency, efficiency, buffer;
} DnDraftClass;

typedef struct {
    guint32 a, b, link_class, count;
    gboolean separate; /* cables of their own rather than one bundle */
    char *label;       /* as a comment; or NULL */
    char *assumed;     /* why the link is there, when the input does not say; or NULL */
} DnDraftEdge;

typedef struct {
    char *tool, *file;
    char *source;      /* "<tool>, <file>" */
    char *description; /* or NULL */
    char *endpoints;   /* `endpoints:`; or NULL: the loader's choice */
    GArray *vertices;  /* DnDraftVertex */
    GArray *classes;   /* DnDraftClass */
    GArray *edges;     /* DnDraftEdge */
    GHashTable *names; /* of vertices */
    GPtrArray *notes;  /* char*: comments at the top */
    GString *fabric;   /* lines of `fabric:` below that key; or NULL */
    GString *tail;     /* whole lines at the end: nodes:, hardware: */
} DnDraft;

DnDraft *dn_draft_new(const char *tool, const char *file);
void dn_draft_free(DnDraft *draft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnDraft, dn_draft_free)

/* @name is made fit and unique; returns the vertex. @label may be NULL. */
guint32 dn_draft_vertex(DnDraft *draft, DnDraftKind kind, const char *name, const char *label);
DnDraftVertex *dn_draft_at(const DnDraft *draft, guint32 vertex);
/* The class called @name, or G_MAXUINT32. */
guint32 dn_draft_find_class(const DnDraft *draft, const char *name);
/* Takes the numbers. */
guint32 dn_draft_class(DnDraft *draft, const char *name, DnDraftNumber bandwidth,
                       DnDraftNumber latency, DnDraftNumber efficiency, DnDraftNumber buffer);
/* The edge stays valid until the next one. */
DnDraftEdge *dn_draft_edge(DnDraft *draft, guint32 a, guint32 b, guint32 link_class, guint32 count);
void dn_draft_set_latency(DnDraft *draft, guint32 vertex, DnDraftNumber latency);
void dn_draft_serve(DnDraft *draft, guint32 nic, guint32 vertex);
/* Each GPU and CPU the NIC fewest links away; among equals a GPU the one that serves fewest
 * GPUs. */
void dn_draft_serve_nearest(DnDraft *draft);
void dn_draft_note(DnDraft *draft, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* (transfer full): the machine file. */
char *dn_draft_yaml(const DnDraft *draft);
/* @number as YAML: {value: x, source: "y"}. */
void dn_draft_append_number(GString *out, const DnDraftNumber *number);
/* @text in double quotes, on one line, escaped for YAML. */
void dn_draft_append_quoted(GString *out, const char *text);
/* @text for a comment: control characters gone. */
void dn_draft_number_clear(DnDraftNumber *number);
