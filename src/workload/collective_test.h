/* collective_test.h - Programs of collectives from YAML text, for the tests of algorithms and of
 * their choice. */
#pragma once
#include <string.h>

#include "base/rng.h"
#include "workload/collective.h"
#include "workload/select.h"

static inline DnProgram *program_of(const char *yaml, guint32 ranks, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new(dn_config_get(root, "workload"), ranks, 1, 1, error);
}
