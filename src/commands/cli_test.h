/* cli_test.h - runs the built program as a user does: for the tests of the commands.
 *
 * The program's path is in DARNER_BIN (meson sets it). Each test works in an empty folder of its
 * own, which is removed with all in it. */
#pragma once
#include <glib.h>

typedef struct {
    char *dir;
} CliFolder;

typedef struct {
    int status; /* exit status; -signal when killed */
    char *out, *err;
} CliAnswer;

void cli_folder_make(CliFolder *folder, gconstpointer unused);
void cli_folder_remove(CliFolder *folder, gconstpointer unused);
void cli_write(const CliFolder *folder, const char *name, const char *text);
/* (transfer full); NULL when there is no such file. */
char *cli_read(const CliFolder *folder, const char *name);
/* Asserts that each of @names (NULL-terminated) is in the folders @a and @b with the same bytes. */
void cli_same_files(const CliFolder *folder, const char *a, const char *b,
                    const char *const *names);
/* The same of what `darner run` writes. */
void cli_same_results(const CliFolder *folder, const char *a, const char *b);
gboolean cli_exists(const CliFolder *folder, const char *name);

/* @words after the program's name, NULL-terminated. */
CliAnswer cli_run_words(const CliFolder *folder, const char *const *words);
#define cli_run(folder, ...) cli_run_words(folder, (const char *const[]){__VA_ARGS__, NULL})
void cli_answer_clear(CliAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliAnswer, cli_answer_clear)

/* Asserts that nothing stands on standard error but the estimate and the progress of a run that
 * takes more than a second, as in slow builds. */
void cli_assert_silent(const CliAnswer *answer);

/* Starts `darner run @file -o out`, waits until its results.csv, in the folder of what is
 * unfinished, holds @rows rows, sends @number.
 * Returns the status as in CliAnswer. */
int cli_run_and_signal(const CliFolder *folder, const char *file, guint rows, int number);

/* Machines for the tests' runs.
 * CLI_SWITCH: a switch has "2" @terminals, or more; b bytes from one to another, over two links and
 * the switch, take 120 ns plus 80 ps a byte, heads cut through. */
#define CLI_SWITCH(terminals)                                                                      \
    "machine:\n"                                                                                   \
    "  fabric:\n"                                                                                  \
    "    type: full_mesh\n"                                                                        \
    "    switches: 2\n"                                                                            \
    "    terminals_per_switch: " terminals "\n"                                                    \
    "    links:\n"                                                                                 \
    "      assumed: round numbers\n"                                                               \
    "      terminal: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                      \
    "      link: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                          \
    "    switch: {latency: {value: 100 ns, assumed: round number}}\n"                              \
    "  hardware: {assumed: round numbers, packet: 1 kB}\n"
/* Two switches with four terminals each: 100 ps a byte on any link; a path between the switches
 * takes 10 + 20 + 10 ns of wire and 100 ns in each switch. */
#define CLI_PAIR                                                                                   \
    "machine:\n"                                                                                   \
    "  fabric:\n    type: torus\n    assumed: any values do\n    dims: [2]\n    wrap: [false]\n"   \
    "    terminals_per_switch: 4\n    links:\n"                                                    \
    "      terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"                       \
    "      link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                            \
    "    switch: {latency: 100 ns}\n"                                                              \
    "  hardware: {packet: 1 KiB, header: 0 B}\n"

#define cli_test_add(path, function)                                                               \
    g_test_add(path, CliFolder, NULL, cli_folder_make, function, cli_folder_remove)
