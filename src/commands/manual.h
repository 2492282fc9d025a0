/* manual.h - The manual page and shell completion are made from the texts of each command.
 *
 * Every command states its options, its usage and a description in one call of
 * dn_command_options(); --help prints them, and so do these: there is no second list to keep. */
#pragma once
#include "commands/commands.h"

/* (transfer full): darner(1) in roff (man(7)). */
char *dn_manual_page(void);
/* (transfer full): a completion script; @shell one of dn_manual_shells. */
char *dn_manual_completion(const char *shell);
extern const char *const dn_manual_shells[]; /* NULL-terminated */
