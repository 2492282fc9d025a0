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
gboolean cli_exists(const CliFolder *folder, const char *name);

/* @words after the program's name, NULL-terminated. */
CliAnswer cli_run_words(const CliFolder *folder, const char *const *words);
#define cli_run(folder, ...) cli_run_words(folder, (const char *const[]){__VA_ARGS__, NULL})
void cli_answer_clear(CliAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliAnswer, cli_answer_clear)

/* Starts `darner run @file -o out`, waits until results.csv holds @rows rows, sends @number.
 * Returns the status as in CliAnswer. */
int cli_run_and_signal(const CliFolder *folder, const char *file, guint rows, int number);

#define cli_test_add(path, function)                                                               \
    g_test_add(path, CliFolder, NULL, cli_folder_make, function, cli_folder_remove)
