/* file.c - see file.h. */
#include "base/file.h"

#include <string.h>

/* GLib's messages name the file and what failed, and end in the system's reason. */
static const char *reason(const GError *problem)
{
    const char *at = g_strrstr(problem->message, ": ");
    return at != NULL ? at + strlen(": ") : problem->message;
}

char *dn_file_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    gsize length = 0;
    g_autoptr(GError) problem = NULL;
    if (!g_file_get_contents(path, &text, &length, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s:1:1: cannot read: %s", path,
                    reason(problem));
        return NULL;
    }
    if (strlen(text) == length && g_utf8_validate(text, (gssize)length, NULL))
        return g_steal_pointer(&text);
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:1:1: not UTF-8 text", path);
    return NULL;
}

gboolean dn_file_write(const char *path, const char *text, GError **error)
{
    g_autoptr(GError) problem = NULL;
    /* CONSISTENT: a new file beside it, then a rename. */
    if (g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", path, reason(problem));
    return FALSE;
}
