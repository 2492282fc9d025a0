/* import.c - see import.h. */
#include "topology/import/import.h"
#include "base/registry.h"

#include "topology/machine.h"

static const DnImporter *import_find(const char *format, GError **error)
{
    const DnImporter *importer = dn_registry_find(dn_importers, format);
    if (importer != NULL)
        return importer;
    g_autofree char *unknown = dn_registry_unknown(dn_importers, format);
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--format: unknown format %s", unknown);
    return NULL;
}

/* The first that recognises @text, or the one called @format; NULL + error naming what is known. */
static const DnImporter *importer_for(const DnImportText *text, const char *format, GError **error)
{
    if (format != NULL)
        return import_find(format, error);
    g_autoptr(GString) wanted = g_string_new(NULL);
    for (const DnImporter *const *i = dn_importers; *i != NULL; i++) {
        if ((*i)->recognise(text))
            return *i;
        g_string_append_printf(wanted, "%s%s (%s)", wanted->len > 0 ? "; " : "", (*i)->name,
                               (*i)->sign);
    }
    dn_import_error(text, 1, 1, DN_ERROR_SYNTAX, error,
                    "no format that is known by its content; wanted one of: %s; or name it with "
                    "--format",
                    wanted->str);
    return NULL;
}

/* Draft to text, and the text through the loader: a file that does not load is not handed out. */
static char *write_checked(const DnImportText *text, const DnDraft *draft, GError **error)
{
    g_autofree char *yaml = dn_draft_yaml(draft);
    g_autoptr(GError) fault = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse(yaml, "imported machine", &fault);
    g_autoptr(DnMachine) machine = root != NULL ? dn_machine_load(root, 0, &fault) : NULL;
    if (machine != NULL)
        return g_steal_pointer(&yaml);
    dn_import_error(text, 1, 1, (DnError)fault->code, error,
                    "what it describes is no machine Darner can load: %s", fault->message);
    return NULL;
}

char *dn_import(const DnImportText *text, const char *format, const DnImporter **importer,
                GError **error)
{
    const DnImporter *chosen = importer_for(text, format, error);
    if (chosen == NULL)
        return NULL;
    if (importer != NULL)
        *importer = chosen;
    g_autoptr(DnDraft) draft = dn_draft_new(chosen->summary, text->name);
    if (!chosen->read(text, draft, error))
        return NULL;
    return write_checked(text, draft, error);
}
