/* commands.h - subcommands: one file each, found by name in the table made from meson.build.
 *
 * To add one: `src/commands/x.c`, its declaration below, and one line in the list in
 * src/commands/meson.build. argv[0] is "darner x", the rest its own arguments. A command
 * returns the exit status, it never exits: only main.c does. */
#pragma once
#include "base/error.h"
#include "config/run_spec.h"

typedef enum {
    DN_EXIT_OK = 0,
    DN_EXIT_MISSED = 1,        /* validate: a tolerance was missed */
    DN_EXIT_USER = 2,          /* wrong or impossible input of the user */
    DN_EXIT_INTERRUPTED = 130, /* 128 + SIGINT, as shells report it */
} DnExit;

typedef struct {
    const char *name;
    const char *summary; /* one line for --help */
    int (*run)(int argc, char **argv);
    const char *const
        *words; /* first arguments with options of their own ("import"); ends in NULL */
} DnCommand;

extern const DnCommand dn_commands[]; /* a NULL name ends it; generated */

int dn_command_analyze(int argc, char **argv);
int dn_command_calibrate(int argc, char **argv);
int dn_command_completion(int argc, char **argv);
int dn_command_compare(int argc, char **argv);
int dn_command_compare_runs(int argc, char **argv);
int dn_command_explain(int argc, char **argv);
int dn_command_export(int argc, char **argv);
int dn_command_help(int argc, char **argv);
int dn_command_import(int argc, char **argv);
int dn_command_record(int argc, char **argv);
int dn_command_replay(int argc, char **argv);
int dn_command_report(int argc, char **argv);
int dn_command_run(int argc, char **argv);
int dn_command_sweep(int argc, char **argv);
int dn_command_topo(int argc, char **argv);
int dn_command_trace(int argc, char **argv);
int dn_command_validate(int argc, char **argv);

/* Exact name, or NULL. */
const DnCommand *dn_command_find(const char *name);

/* Parses the options of one subcommand; @usage: "RUN.yaml", without the
 * program's name and its options.
 * FALSE + DN_ERROR_UNKNOWN / DN_ERROR_TYPE on a bad option, with the nearest known one.
 * The rest of @argv after argv[0] are the positional arguments. `--help` prints, and sets @helped:
 * the command then returns DN_EXIT_OK. */
gboolean dn_command_options(int *argc, char ***argv, const GOptionEntry *entries, const char *usage,
                            const char *description, gboolean *helped, GError **error);

/* An option with a string whose arg_description begins with '[' may stand without its value, which
 * then is "". */

/* Takes @old ("-j") for @now, with a warning; before dn_command_options(). */
void dn_option_renamed(int argc, char **argv, const char *old, const char *now);

/* The value before parsing of an option whose default is not one it may be given. */
#define DN_OPTION_LEFT_OUT G_MININT
/* FALSE: *@value was given, and outside @least to @most. Left out it becomes 0: the default. */
gboolean dn_option_in_range(int *value, int least, int most);
#define DN_THREADS_WRONG "--threads is out of range; allowed: 1 to " G_STRINGIFY(DN_MAX_THREADS)

/* The texts of a command that it gives to dn_command_options(). */
typedef struct {
    const char *name; /* "darner topo import" */
    const char *usage, *description;
    const GOptionEntry *entries;
} DnCommandText;

/* Calls @see with the texts of @command, and with those of each of its words. Nothing runs. */
void dn_command_describe(const DnCommand *command,
                         void (*see)(void *data, const DnCommandText *text), void *data);

/* Whether @option's @file (or NULL, "-") could be written: asked before what takes long. */
gboolean dn_command_check_place(const char *option, const char *file, GError **error);

/* Into @file, or to standard output when it is NULL or "-"; @option ("--output") named it. */
gboolean dn_command_write(const char *option, const char *file, const char *text, GError **error);

/* Prints @error (transfer full) on stderr, on a terminal with the source line and a caret.
 * Returns the exit status that belongs to it. */
int dn_command_fail(GError *error);
/* The same where --set was given: @set are its arguments, or NULL. */
int dn_command_fail_set(GError *error, char **set);
