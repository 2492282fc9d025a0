/* collective_test.h - Programs of collectives from YAML text, for the tests of algorithms and of
 * their choice. */
#pragma once
#include <string.h>

#include "base/rng.h"
#include "workload/collective.h"
#include "workload/select.h"

/* Of programs, as the library sees it; NULL: none is known. */
static const DnCollMachine *test_machine;

static inline DnProgram *program_of(const char *yaml, guint32 ranks, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new_on(dn_config_get(root, "workload"), test_machine, ranks, 1, 1, error);
}

/* Returns what @rank does: copies are "=bytes", or "+bytes" for a further run of the same call;
 * sums "~bytes", receives "<peer", sends ">peer", waits ".". */
static inline char *operations_of(const char *yaml, guint32 n, guint32 rank)
{
    static const char signs[] = {
        [DN_OP_SEND] = '>', [DN_OP_RECV] = '<', [DN_OP_COPY] = '=', [DN_OP_REDUCE] = '~'};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    GString *text = g_string_new(NULL);
    DnCursor cursor = {0};
    DnOp op;
    while (program->type->next(program, rank, &cursor, &op)) {
        if (text->len > 0)
            g_string_append_c(text, ' ');
        g_assert_cmpuint(op.kind, <, DN_OP_SIGNAL);
        gboolean local = op.kind == DN_OP_COPY || op.kind == DN_OP_REDUCE;
        if (op.kind == DN_OP_WAIT)
            g_string_append_c(text, '.');
        else
            g_string_append_printf(text, "%c%d", op.flags & DN_OP_JOINED ? '+' : signs[op.kind],
                                   local ? (int)op.bytes : (int)op.peer);
        g_assert_cmpuint(op.flags & DN_OP_NONBLOCKING, ==, 0);
    }
    return g_string_free(text, FALSE);
}
