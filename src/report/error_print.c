/* error_print.c - see error_print.h. */
#include "report/error_print.h"
#include "config/config.h"

#include <unistd.h>

/* (transfer full): the message with control characters and line breaks escaped, which names in it
 * may contain. Only a report of blocked ranks has lines of its own. */
static char *without_controls(const GError *error)
{
    gboolean lines = g_error_matches(error, DN_ERROR, DN_ERROR_STALLED);
    GString *out = g_string_new(NULL);
    for (const char *p = error->message; *p != '\0'; p++)
        if (*p == '\n' && !lines)
            g_string_append(out, "\\n");
        else if (g_ascii_iscntrl(*p) && *p != '\n')
            g_string_append_printf(out, "\\u%04x", (guint)(guchar)*p);
        else
            g_string_append_c(out, *p);
    return g_string_free(out, FALSE);
}

void dn_error_print(const GError *error, const char *const *set)
{
    /* The source line only where people look at it: elsewhere an error is one line. */
    g_autofree char *excerpt = isatty(STDERR_FILENO) ? dn_config_excerpt(error->message, set)
                                                     : NULL;
    g_autofree char *message = without_controls(error);
    g_printerr("%s\n", message);
    if (excerpt != NULL)
        g_printerr("%s\n", excerpt);
}
