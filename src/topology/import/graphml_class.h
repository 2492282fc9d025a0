/* graphml_class.h - The link classes of a GraphML graph, from the attributes of its edges. */
#pragma once
#include "topology/import/draft.h"

/* Attributes of an edge; -1: not said. */
typedef struct {
    double bandwidth, latency, efficiency, buffer, width;
} DnGraphmlFigures;

/* The class of these figures, called @name, or name-2, ... when others have the name. */
guint32 dn_graphml_class_find(DnDraft *draft, const char *name, const DnGraphmlFigures *f);
/* (transfer full): @text, which may be NULL, as the name of a class: it is a key in YAML and stands
 * in tables. */
char *dn_graphml_class_name(const char *text);
