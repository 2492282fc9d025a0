/* error.c - errors of the library: a GError, taken apart into message, position and kind. */
#include "api/api_internal.h"
#include <string.h>

struct darner_error {
    char *message, *file;
    unsigned line, column;
    darner_error_code code;
};

static darner_error_code code_of(const GError *problem)
{
    if (problem->domain != DN_ERROR)
        return DARNER_ERROR_INPUT;
    switch ((DnError)problem->code) {
    case DN_ERROR_FILE:
        return DARNER_ERROR_FILE;
    case DN_ERROR_MEMORY:
        return DARNER_ERROR_MEMORY;
    case DN_ERROR_STALLED:
        return DARNER_ERROR_STALLED;
    case DN_ERROR_INTERRUPTED:
        return DARNER_ERROR_INTERRUPTED;
    default:
        return DARNER_ERROR_INPUT;
    }
}

/* Finds "file:line:column: " at the beginning of a message; a file name may hold colons too. */
static void read_position(darner_error *e)
{
    g_autoptr(GRegex) regex = g_regex_new("^(.+?):([0-9]+):([0-9]+): ", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(regex, e->message, 0, &match))
        return;
    g_autofree char *line = g_match_info_fetch(match, 2);
    g_autofree char *column = g_match_info_fetch(match, 3);
    e->file = g_match_info_fetch(match, 1);
    e->line = (unsigned)g_ascii_strtoull(line, NULL, 10);
    e->column = (unsigned)g_ascii_strtoull(column, NULL, 10);
}

void dn_api_error_give(darner_error **error, GError *problem)
{
    if (error != NULL) {
        darner_error *e = g_new0(darner_error, 1);
        e->message = g_strdup(problem->message);
        e->code = code_of(problem);
        read_position(e);
        *error = e;
    }
    g_error_free(problem);
}

gboolean dn_api_given(const char *text, const char *what, darner_error **error)
{
    if (text == NULL)
        dn_api_error_give(
            error, g_error_new(DN_ERROR, DN_ERROR_MISSING, "%s is NULL; a string is wanted", what));
    return text != NULL;
}

const char *darner_error_message(const darner_error *error)
{
    return error != NULL ? error->message : "";
}

darner_error_code darner_error_get_code(const darner_error *error)
{
    return error != NULL ? error->code : DARNER_ERROR_INPUT;
}

const char *darner_error_file(const darner_error *error)
{
    return error != NULL ? error->file : NULL;
}

unsigned darner_error_line(const darner_error *error)
{
    return error != NULL ? error->line : 0;
}

unsigned darner_error_column(const darner_error *error)
{
    return error != NULL ? error->column : 0;
}

void darner_error_free(darner_error *error)
{
    if (error == NULL)
        return;
    g_free(error->message);
    g_free(error->file);
    g_free(error);
}
