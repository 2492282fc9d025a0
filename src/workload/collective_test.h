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
