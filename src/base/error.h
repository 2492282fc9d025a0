/* error.h - the one error domain for what users get wrong.
 *
 * A bug is a g_assert; an input the user can mend is a GError in DN_ERROR whose message reads
 * `file.yaml:14:12: what is wrong; what is allowed`. Programs exit with status 2 on these. */
#pragma once
#include <glib.h>

#define DN_ERROR (dn_error_quark())
GQuark dn_error_quark(void);

typedef enum {
    DN_ERROR_SYNTAX,  /* not YAML / not CSV / not a number */
    DN_ERROR_TYPE,    /* a list where a number is wanted */
    DN_ERROR_UNIT,    /* unit missing or of another dimension */
    DN_ERROR_RANGE,   /* outside what is allowed */
    DN_ERROR_UNKNOWN, /* unknown key or name */
    DN_ERROR_MISSING, /* a required key is absent */
    DN_ERROR_FILE,    /* missing, unreadable, unwritable */
    DN_ERROR_CYCLE,   /* include cycle, channel dependency cycle */
    DN_ERROR_MEMORY,  /* would not fit this machine */
    DN_ERROR_STALLED, /* the watchdog: nothing moves */
    DN_ERROR_INTERRUPTED,
    DN_ERROR_COMBINATION, /* each exists, but not together: a routing of another fabric */
} DnError;

/* Nearest of @known (NULL-terminated) to @word by edit distance, or NULL when none is near. */
const char *dn_nearest(const char *word, const char *const *known);

/* TRUE for tabs, line ends, escapes and the like (Unicode category Cc) anywhere in @text, UTF-8. */
gboolean dn_has_control_character(const char *text);
/* (transfer full): @text in single quotes, on one line, cut after 48 characters; for messages. */
char *dn_quote(const char *text);
/* (transfer full): the name and all after it of the message "unknown routing 'ugla'; did you mean
 * 'ugal'? known: a, b": @known is NULL-terminated, NULL or empty: nothing is listed; @heading is
 * "known" or "allowed". @where: what stands between the
 * name and the semicolon, such as " for dragonfly". */
char *dn_unknown(const char *word, const char *const *known, const char *heading);
char *dn_unknown_where(const char *word, const char *where, const char *const *known,
                       const char *heading);
