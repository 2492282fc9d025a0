/* completion.c - `darner completion SHELL` prints the shell's script that completes darner's
 * words. */
#include "commands/commands.h"
#include "commands/manual.h"
#include <stdio.h>

int dn_command_completion(int argc, char **argv)
{
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, NULL, "SHELL",
                            "SHELL: bash, fish or zsh. For this shell: source <(darner completion "
                            "bash); for all to come: write it\nwhere the shell looks, for example "
                            "~/.local/share/bash-completion/completions/darner.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (argc != 2)
        return dn_command_fail(g_error_new(DN_ERROR, DN_ERROR_RANGE,
                                           "darner completion: one shell is wanted; allowed: bash, "
                                           "fish, zsh"));
    if (!g_strv_contains(dn_manual_shells, argv[1])) {
        g_autofree char *unknown = dn_unknown(argv[1], dn_manual_shells, "allowed");
        return dn_command_fail(
            g_error_new(DN_ERROR, DN_ERROR_UNKNOWN, "unknown shell %s", unknown));
    }
    g_autofree char *text = dn_manual_completion(argv[1]);
    fputs(text, stdout);
    return DN_EXIT_OK;
}
