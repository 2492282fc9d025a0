/* file_test.c - Tests of reading and writing files, with one reason when it fails. */
#include "base/file.h"
#include "base/interrupt.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

static char *folder;

static void test_round_trip(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    g_assert_true(dn_file_write(path, "old", &error));
    g_assert_true(dn_file_write(path, "the n\303\253w one", &error));
    g_autofree char *text = dn_file_read(path, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, "the n\303\253w one");
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_assert_null(g_dir_read_name(dir)); /* nothing was left beside it */
}

static void gzip_write(const char *path, const char *text, guint members)
{
    gzFile out = gzopen(path, "wb1");
    g_assert_cmpint(gzputs(out, text), ==, (int)strlen(text));
    g_assert_cmpint(gzclose(out), ==, Z_OK);
    g_autofree char *one = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &one, &length, NULL));
    FILE *all = g_fopen(path, "w"); /* members one after another are a file too */
    for (guint i = 0; i < members; i++)
        g_assert_cmpuint(fwrite(one, 1, length, all), ==, length);
    g_assert_cmpint(fclose(all), ==, 0);
}

/* Packed files have the same limit, of what they are unpacked. */
static void test_gzip(void)
{
    GError *error = NULL;
    g_autofree char *path = g_build_filename(folder, "x.gz", NULL);
    gzip_write(path, "\xef\xbb\xbfkey\n", 1);
    g_autofree char *text = dn_file_read_gzip(path, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, "key\n");
    g_autofree char *large = g_strnfill(16 << 20, 'x');
    gzip_write(path, large, 17);
    g_assert_null(dn_file_read_gzip(path, &error));
    g_assert_true(g_str_has_suffix(error->message, "more than 256 MiB when unpacked"));
    g_clear_error(&error);
    g_assert_cmpint(truncate(path, 100), ==, 0);
    g_assert_null(dn_file_read_gzip(path, &error));
    g_assert_true(g_str_has_suffix(error->message, "x.gz: cannot read: unexpected end of file"));
    g_clear_error(&error);
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_null(dn_file_read_gzip(path, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_clear_error(&error);
}

/* A link stays and what it names is replaced; a pipe is written to and stays one. */
static void test_special(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    g_autofree char *link = g_build_filename(folder, "link", NULL);
    g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);
    g_assert_true(dn_file_write(path, "old", &error));
    g_assert_cmpint(symlink("x", link), ==, 0);
    g_assert_true(dn_file_write(link, "new", &error));
    g_assert_no_error(error);
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *text = dn_file_read(path, &error);
    g_assert_cmpstr(text, ==, "new");
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    int reader = open(fifo, O_RDONLY | O_NONBLOCK);
    g_assert_true(dn_file_write(fifo, "words", &error));
    g_assert_no_error(error);
    char got[8] = "";
    g_assert_cmpint(read(reader, got, sizeof got), ==, 5);
    g_assert_cmpstr(got, ==, "words");
    close(reader);
    g_autofree char *target = NULL, *other = NULL;
    g_autofree char *same = dn_file_new_path(fifo, ".part", &target);
    g_assert_cmpstr(same, ==, fifo);
    g_assert_true(dn_file_publish(same, target));
    dn_file_discard(same, target);
    g_assert_true(g_file_test(fifo, G_FILE_TEST_EXISTS));
    g_autofree char *part = dn_file_new_path(link, ".part", &other);
    g_assert_true(g_str_has_suffix(part, "/x.part"));
    g_assert_cmpint(g_unlink(fifo) + g_unlink(link) + g_unlink(path), ==, 0);
}

static void test_absent(void)
{
    GError *error = NULL;
    g_assert_null(dn_file_read("no/such: file", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_assert_cmpstr(error->message, ==, "no/such: file: cannot read: No such file or directory");
    g_clear_error(&error);
    g_assert_false(dn_file_write("no/such/file", "", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_assert_cmpstr(error->message, ==, "no/such/file: cannot write it: No such file or directory");
    g_clear_error(&error);
}

/* A device without end is left after its first zero byte, any other at the limit. */
static void test_endless(void)
{
    GError *error = NULL;
    g_assert_null(dn_file_read("/dev/zero", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
    g_clear_error(&error);
    g_autofree char *path = g_build_filename(folder, "large", NULL);
    g_autofree char *line = g_strnfill(1 << 20, 'x');
    FILE *out = g_fopen(path, "w");
    for (guint i = 0; i <= DN_FILE_MAX_BYTES >> 20; i++)
        g_assert_cmpuint(fwrite(line, 1, 1 << 20, out), ==, 1 << 20);
    g_assert_cmpint(fclose(out), ==, 0);
    g_assert_null(dn_file_read(path, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_true(g_str_has_suffix(error->message, "large:1:1: more than 256 MiB"));
    g_clear_error(&error);
    g_assert_cmpint(g_unlink(path), ==, 0);
}

/* Windows editors begin a file with it. */
static void test_byte_order_mark(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    g_assert_true(dn_file_write(path, "\xef\xbb\xbfkey: 1\n", &error));
    g_autofree char *text = dn_file_read(path, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, "key: 1\n");
    g_assert_cmpint(g_unlink(path), ==, 0);
}

/* A byte that begins nothing, and a NUL. */
static void test_no_text(void)
{
    static const char *const bytes[] = {"a\xff"
                                        "b",
                                        "a\0b"};
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(bytes); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_true(g_file_set_contents(path, bytes[i], 3, NULL));
        g_assert_null(dn_file_read(path, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
        g_assert_true(g_str_has_suffix(error->message, "/x:1:1: not UTF-8 text"));
    }
    g_assert_cmpint(g_unlink(path), ==, 0);
}

/* What is appended stands behind what was there; a file that does not exist is not made. */
static void test_append(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder, "rows", NULL);
    g_autofree char *text = NULL;
    g_assert_false(dn_file_append(path, "a\n", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_assert_true(g_str_has_suffix(error->message, "/rows: cannot write it: No such file or "
                                                   "directory"));
    g_clear_error(&error);
    g_assert_true(dn_file_write(path, "a\n", &error));
    g_assert_true(dn_file_append(path, "b\n", &error));
    g_assert_true(dn_file_append(path, "", &error));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "a\nb\n");
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_false(dn_file_append("/dev/full", "x", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
}

static void on_alarm(int number)
{
    (void)number;
    raise(SIGXCPU);
}

static void test_place(void)
{
    static const char *const wrong[][2] = {
        {"none/x", "none/x: cannot write it: No such file"},
        {"/", "/: cannot write it: Is a directory"},
        {"", ": cannot write it: No such file"},
    };
    g_autofree char *fine = g_build_filename(folder, "x", NULL);
    g_assert_true(dn_file_check_place(fine, NULL));
    g_assert_true(dn_file_check_place("/dev/null", NULL));
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(dn_file_check_place(wrong[i][0], &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
        g_assert_true(g_str_has_prefix(error->message, wrong[i][1]));
    }
}

/* A pipe that nobody writes to: a signal, here the limit of CPU time, ends the wait. */
static void test_interrupted(void)
{
    if (g_test_subprocess()) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = g_build_filename(folder, "pipe", NULL);
        g_assert_cmpint(mkfifo(path, 0600), ==, 0);
        dn_interrupt_install();
        const struct itimerval soon = {.it_value = {.tv_usec = 50000}};
        g_assert_cmpint(setitimer(ITIMER_REAL, &soon, NULL), ==, 0);
        g_assert_true(signal(SIGALRM, on_alarm) != SIG_ERR);
        g_assert_null(dn_file_read(path, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_INTERRUPTED);
        g_assert_cmpint(g_unlink(path), ==, 0);
        g_rmdir(folder);
        return;
    }
    g_test_trap_subprocess(NULL, 10 * G_USEC_PER_SEC, 0);
    g_test_trap_assert_passed();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("darner-file-XXXXXX", NULL);
    g_test_add_func("/base/file/round-trip", test_round_trip);
    g_test_add_func("/base/file/special", test_special);
    g_test_add_func("/base/file/gzip", test_gzip);
    g_test_add_func("/base/file/absent", test_absent);
    g_test_add_func("/base/file/no-text", test_no_text);
    g_test_add_func("/base/file/endless", test_endless);
    g_test_add_func("/base/file/byte-order-mark", test_byte_order_mark);
    g_test_add_func("/base/file/append", test_append);
    g_test_add_func("/base/file/place", test_place);
    g_test_add_func("/base/file/interrupted", test_interrupted);
    int status = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    return status;
}
