/* error_print.c - see error_print.h. */
#include "report/error_print.h"
#include "config/config.h"

#include <unistd.h>

void dn_error_print(const GError *error, const char *const *set)
{
    /* The source line only where people look at it: elsewhere an error is one line. */
    g_autofree char *excerpt = isatty(STDERR_FILENO) ? dn_config_excerpt(error->message, set)
                                                     : NULL;
    g_printerr("%s\n", error->message);
    if (excerpt != NULL)
        g_printerr("%s\n", excerpt);
}
