/* pattern_test.h - Programs of patterns from YAML text, and the bytes they move between ranks. */
#pragma once
#include <string.h>

#include "workload/program.h"

static inline DnProgram *try_program(const char *yaml, guint32 ranks, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new(dn_config_get(root, "workload"), ranks, 1, 1, error);
}
