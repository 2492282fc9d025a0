/* xml.h - an XML file as a tree whose elements know their line; over GLib's GMarkup.
 *
 * GMarkup reads well-formed XML without external entities, which is all the formats here use; a
 * document type line is passed over. LIMITATIONS: UTF-8 only; namespaces are part of the name. */
#pragma once
#include "topology/import/text.h"

typedef struct DnXml DnXml;
struct DnXml {
    char *name;
    guint line, column;
    char **attributes;   /* name, value, name, value, ..., NULL */
    GString *text;       /* character data directly inside; or NULL */
    GPtrArray *children; /* DnXml* */
};

/* (transfer full): the root element; NULL + error. */
DnXml *dn_xml_parse(const DnImportText *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_xml_free(DnXml *xml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnXml, dn_xml_free)

const char *dn_xml_attribute(const DnXml *xml, const char *name); /* or NULL */
/* As above, but absent is an error. */
const char *dn_xml_require(const DnImportText *text, const DnXml *xml, const char *name,
                           GError **error);
/* A finite number at the start of attribute @name, or @fallback. */
double dn_xml_number(const DnXml *xml, const char *name, double fallback);
const char *dn_xml_text(const DnXml *xml); /* "" when none */
/* Name of the first element of @text, without reading on; NULL when it is no XML. (transfer
 * full) */
char *dn_xml_root_name(const DnImportText *text);
