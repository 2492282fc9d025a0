/* import.h - descriptions that other tools print of a machine, turned into a machine file.
 *
 * An importer reads one format into a draft (draft.h); the draft is written as YAML that
 * `darner topo` and a run load. One file a format, ending in its `dn_importer_<name>`; the list is
 * in src/topology/meson.build. What the text says carries `source:` with the file's name, what it
 * does not say carries `assumed:` with the reason, what has no place in a machine stands in a
 * comment at the top.
 * LIMITATIONS: one description at a time; nothing is asked of the hardware. */
#pragma once
#include "topology/import/draft.h"
#include "topology/import/text.h"

typedef struct {
    const char *name;    /* of --format */
    const char *summary; /* what it is and how to get it: "nvidia-smi topo -m" */
    const char *sign;    /* what it is recognised by, for messages */
    gboolean (*recognise)(const DnImportText *text);
    gboolean (*read)(const DnImportText *text, DnDraft *draft, GError **error);
} DnImporter;

extern const DnImporter *const dn_importers[]; /* NULL-terminated, generated */

/* (transfer full): the machine file of @text, read and loaded once as a check. @importer: which one
 * did it; or NULL. */
char *dn_import(const DnImportText *text, const char *format, const DnImporter **importer,
                GError **error) G_GNUC_WARN_UNUSED_RESULT;
