/* trace_fuzz_test.c - samples of every format with random damage: a reader either refuses with a
 * place, or hands out a trace that runs to its end, or to where ranks wait in vain.
 *
 * Seeds are fixed: each run tries the same files. `trace_fuzz_test SECONDS` goes on with others for
 * so long. Run it under -fsanitize=address,undefined to see what is read out of bounds. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record_format.h"
#include "base/rng.h"
#include "trace/trace_test.h"
#include "trace/dry_run.h"

#define ROUNDS 400
#define LONGEST 65536

typedef struct {
    guint64 key, n;
} Draws;

static guint32 trace_fuzz_below(Draws *d, guint32 bound)
{
    return dn_draw_below(dn_draw(d->key, d->n++), bound);
}

typedef struct {
    const char *format, *name;
    GByteArray *(*make)(void);
} Sample;

static GByteArray *bytes_of(const char *text)
{
    GByteArray *b = g_byte_array_new();
    g_byte_array_append(b, (const guint8 *)text, (guint)strlen(text));
    return b;
}

static GByteArray *make_ti(void)
{
    return bytes_of("0 init\n1 init\n2 init\n0 send 1 7 1e3\n1 recv 0 7 1000 1\n"
                    "0 irecv 2 1 8\n2 isend 0 1 8 6\n0 wait 2 0 1\n2 waitall\n"
                    "0 alltoallv 100 1 40 30 1000 1 80 100\n1 alltoallv 1000 80 1 40 1000 40 1 30\n"
                    "2 alltoallv 1000 100 30 1 1000 30 40 1\n0 gatherv 2 2 3 4 1\n"
                    "1 gatherv 3 2 3 4 1\n2 gatherv 4 2 3 4 1\n0 allreduce 8 1e4 0\n"
                    "1 allreduce 8 1e4 0\n2 allreduce 8 1e4 0\n0 compute 2.5e8\n1 test 0 1 7\n"
                    "1 sendRecv 3 2 4 2 1 1\n2 sendRecv 4 1 3 1 1 1\n"
                    "0 allgatherv 2 1 2 3\n1 allgatherv 2 1 2 3\n2 allgatherv 2 1 2 3\n");
}

static GByteArray *make_goal(void)
{
    return bytes_of("num_ranks 2\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 8b to 1 tag 3\n"
                    "l2 requires l1\nl3: recv 4b from -1 tag -1\nl3 irequires l2\n}\n"
                    "/* c */ rank 1 {\nl1: recv 8b from 0 tag 3 cpu 0 nic 1\n"
                    "l2: send 4b to 0 tag 5\nl2 requires l1\n}\n");
}

/* What a writer of ours makes of the text. */
static GByteArray *make_goal_binary(void)
{
    g_autoptr(GByteArray) text = make_goal();
    char *in = test_file("t.goal", (const char *)text->data, text->len);
    char *out = test_file("t.bin", "", 0), *content;
    gsize length;
    g_autoptr(DnProgram) program = test_program(open_good(in), "");
    g_assert_true(dn_trace_writer_find("goal_binary")->write(program, out, NULL));
    g_assert_true(g_file_get_contents(out, &content, &length, NULL));
    GByteArray *b = g_byte_array_new_take((guint8 *)content, length);
    test_file_free(in);
    test_file_free(out);
    return b;
}

static void trace_fuzz_put(GByteArray *b, guint64 value, guint n)
{
    for (guint i = n; i-- > 0;) {
        guint8 byte = i < 8 ? (guint8)(value >> 8 * i) : 0;
        g_byte_array_append(b, &byte, 1);
    }
}

/* A record of each of DUMPI's functions that matter, of one rank: function, and its arguments as
 * pairs of value and size, ended by size 0. */
static GByteArray *make_dumpi(void)
{
    static const struct {
        guint function;
        guint8 fields[40];
    } records[] = {
        {124, {1, 4, 2, 4, 'a', 1, 'b', 1}},
        {84, {2, 2, 4, 2}},
        {35, {3, 4, 9, 2, 28, 2}},
        {40, {2, 4, 2, 4, 1, 4, 1, 4, 2, 4, 0, 4, 8, 4, 2, 4, 9, 2, 14, 2, 29, 2}},
        {72, {2, 2, 3, 2}},
        {76, {3, 2, 1, 4, 1, 4, 0, 4, 4, 2}},
        {85, {2, 2, 4, 2, 5, 2}},
        {8, {1, 4, 28, 2, 0, 4, 7, 4, 4, 2, 2, 4}},
        {1, {1, 4, 28, 2, 0, 4, 7, 4, 4, 2, 1, 4, 4, 4, 0, 4, 0, 1, 0, 1, 7, 4}},
        {18, {1, 4, 1, 4, 2, 4, 0, 4}},
        {61, {1, 4, 1, 4, 5, 4, 1, 4, 0, 4, 9, 2, 1, 4, 5, 4, 1, 4, 0, 4, 9, 2, 2, 2}},
        {55, {0, 4, 1, 4, 3, 4, 9, 2, 0, 4, 2, 2, 1, 4, 3, 4, 1, 4, 0, 4, 9, 2}},
        {125, {0}},
    };
    GByteArray *b = g_byte_array_new();
    guint64 magic = G_GUINT64_CONSTANT(0xffaadd44554d5049);
    trace_fuzz_put(b, magic, 8);
    trace_fuzz_put(b, 0, 8);
    for (guint i = 0; i < G_N_ELEMENTS(records); i++) {
        trace_fuzz_put(b, records[i].function, 2);
        trace_fuzz_put(b, 0x40 | 8 | 3, 1);
        trace_fuzz_put(b, 0, 2);
        trace_fuzz_put(b, i, 2);
        trace_fuzz_put(b, 1000, 4);
        trace_fuzz_put(b, i, 2);
        trace_fuzz_put(b, 2000, 4);
        for (const guint8 *f = records[i].fields; f[1] != 0; f += 2)
            trace_fuzz_put(b, f[0], f[1]);
    }
    trace_fuzz_put(b, 293, 2);
    guint header = b->len;
    trace_fuzz_put(b, 0x010000, 3);
    trace_fuzz_put(b, 0, 20);
    guint sizes = b->len;
    trace_fuzz_put(b, 28, 4);
    for (guint i = 0; i < 28; i++)
        trace_fuzz_put(b, 4, 4);
    trace_fuzz_put(b, magic, 8);
    trace_fuzz_put(b, sizes, 8);
    trace_fuzz_put(b, 0, 16);
    trace_fuzz_put(b, header, 8);
    trace_fuzz_put(b, 8, 8);
    trace_fuzz_put(b, 0, 16);
    return b;
}

/* Metadata; compute 5; send to itself after it; receive; allreduce; a group and its allreduce. */
static GByteArray *make_chakra(void)
{
    static const char nodes[] = "\x07\x0a\x05"
                                "0.0.4"
                                "\x06\x08\x05\x18\x04\x38\x03"
                                "\x25\x08\x06\x18\x05\x2a\x01\x05"
                                "\x52\x0d\x0a\x09"
                                "comm_size\x48\x10"
                                "\x52\x0d\x0a\x08"
                                "comm_dst\x38\x80\x00"
                                "\x21\x08\x07\x18\x06"
                                "\x52\x0d\x0a\x09"
                                "comm_size\x48\x10"
                                "\x52\x0c\x0a\x08"
                                "comm_src\x38\x00"
                                "\x25\x08\x08\x18\x07\x22\x01\x07"
                                "\x52\x0d\x0a\x09"
                                "comm_type\x48\x00"
                                "\x52\x0d\x0a\x09"
                                "comm_size\x48\x40"
                                "\x25\x08\x09\x18\x01\x42\x1f\x0a\x1d"
                                "[{\"pg_name\":\"3\",\"ranks\":[0]}]"
                                "\x30\x08\x0a\x18\x07\x52\x0c\x0a\x07"
                                "pg_name\x6a\x01\x33"
                                "\x52\x0d\x0a\x09"
                                "comm_type\x48\x00"
                                "\x52\x0d\x0a\x09"
                                "comm_size\x48\x40";
    GByteArray *b = g_byte_array_new();
    g_byte_array_append(b, (const guint8 *)nodes, sizeof nodes - 1);
    return b;
}

/* ---- the recorder's own format ---- */

/* A record of numbers below 128: operation, two times, fields. */
static void put_record(GByteArray *b, guint8 operation, const char *fields, guint n)
{
    const guint8 head[] = {operation, 9, 1};
    g_byte_array_append(b, head, sizeof head);
    g_byte_array_append(b, (const guint8 *)fields, n);
}
#define PUT_RECORD(b, operation, fields) put_record(b, operation, fields, sizeof fields - 1)

/* Open blocks, which carry no checksum: so damage gets to the records. */
static void put_block(GByteArray *b, guint32 rank, const GByteArray *records)
{
    DnRecBlock head = {.magic = DN_REC_MAGIC,
                       .version = DN_REC_VERSION,
                       .state = DN_REC_OPEN,
                       .run = 5,
                       .rank = rank,
                       .ranks = 2,
                       .raw_bytes = records->len,
                       .stored_bytes = records->len};
    g_byte_array_append(b, (const guint8 *)&head, sizeof head);
    g_byte_array_append(b, records->data, records->len);
}

/* Two ranks: a split, a message with a wildcard receive, a persistent one, collectives. Signed
 * fields are zigzag: 0, 2 and 4 are 0, 1 and 2; 1 is DN_REC_ANY. */
static GByteArray *make_darner(void)
{
    GByteArray *b = g_byte_array_new();
    for (guint8 rank = 0; rank < 2; rank++) {
        g_autoptr(GByteArray) r = g_byte_array_new();
        const char split[] = {DN_REC_SPLIT, 0, 3, 0, (char)rank, 0};
        PUT_RECORD(r, DN_REC_BEGIN, "\0\0\1p\1m");
        put_record(r, DN_REC_COMM, split, sizeof split);
        if (rank == 0) {
            PUT_RECORD(r, DN_REC_IRECV, "\1\0\1\1\100\4");
            PUT_RECORD(r, DN_REC_SEND_INIT, "\2\2\2\6\3\10\0");
            PUT_RECORD(r, DN_REC_START, "\1\2");
            PUT_RECORD(r, DN_REC_COMPLETE, "\1\2\2\1\1\2\16\20\2\4");
            PUT_RECORD(r, DN_REC_FREE, "\2");
        } else {
            PUT_RECORD(r, DN_REC_SEND, "\0\0\16\4\4\0");
            PUT_RECORD(r, DN_REC_RECV, "\2\0\6\3\10\0");
        }
        PUT_RECORD(r, DN_REC_COLLECTIVE, "\3\0\2\0\4\10\4\10\0");            /* allreduce */
        PUT_RECORD(r, DN_REC_COLLECTIVE, "\13\0\0\0\1\4\1\4\0\2\1\1\2\1\1"); /* alltoallv */
        PUT_RECORD(r, DN_REC_COMM_FREE, "\2");
        PUT_RECORD(r, DN_REC_END, "");
        put_block(b, rank, r);
    }
    return b;
}

static void trace_fuzz_insert(GByteArray *b, guint at, const guint8 *bytes, guint n)
{
    guint tail = b->len - at;
    g_byte_array_set_size(b, b->len + n);
    if (n == 0)
        return;
    memmove(b->data + at + n, b->data + at, tail);
    memcpy(b->data + at, bytes, n);
}

/* One damage: a byte or a bit changed, a number of 4 bytes made extreme, a stretch cut, doubled or
 * put elsewhere, the end cut off, a nasty word put in. */
static void trace_fuzz_damage(GByteArray *b, Draws *d)
{
    static const char *const words[] = {"99999999999999999999",
                                        "-1",
                                        "0",
                                        "1e308",
                                        "\n",
                                        "{",
                                        "}",
                                        ":",
                                        "/*",
                                        "rank",
                                        "l1",
                                        " ",
                                        "b"};
    static const guint32 numbers[] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 65535, 1u << 26};
    guint at = trace_fuzz_below(d, b->len + 1), wanted = trace_fuzz_below(d, 40),
          n = MIN(wanted, b->len - at);
    guint32 number = numbers[trace_fuzz_below(d, G_N_ELEMENTS(numbers))];
    const char *word = words[trace_fuzz_below(d, G_N_ELEMENTS(words))];
    g_autofree guint8 *part = g_memdup2(b->data + at, n);
    switch (trace_fuzz_below(d, 8)) {
    case 0:
        if (at < b->len)
            b->data[at] = (guint8)trace_fuzz_below(d, 256);
        return;
    case 1:
        if (at < b->len)
            b->data[at] ^= (guint8)(1u << trace_fuzz_below(d, 8));
        return;
    case 2:
        if (at + 4 <= b->len)
            memcpy(b->data + at, &number, 4);
        return;
    case 3:
        g_byte_array_remove_range(b, at, n);
        return;
    case 4:
        if (b->len < LONGEST)
            trace_fuzz_insert(b, at, part, n);
        return;
    case 5:
        g_byte_array_remove_range(b, at, n);
        trace_fuzz_insert(b, trace_fuzz_below(d, b->len + 1), part, n);
        return;
    case 6:
        g_byte_array_set_size(b, at);
        return;
    default:
        trace_fuzz_insert(b, at, (const guint8 *)word, (guint)strlen(word));
    }
}

static void trace_fuzz_try(const Sample *sample, const char *path)
{
    GError *error = NULL;
    DnTrace *trace = dn_trace_open(path, sample->format, &error);
    g_assert_true((trace == NULL) == (error != NULL));
    if (trace == NULL) {
        g_assert_true(error->domain == DN_ERROR);
        if (!g_utf8_validate(error->message, -1, NULL))
            g_error("not UTF-8: %s", error->message);
        g_error_free(error);
        return;
    }
    DnDryRunObserver nobody = {0};
    DnDryRunResult result;
    g_autoptr(DnConfigNode) map = dn_config_parse("{file: x}", "fuzz", NULL);
    g_autoptr(DnProgram) program = dn_trace_program(trace, map, NULL, &error);
    if (program == NULL) { /* more cpus than a rank has streams */
        g_assert_true(error->domain == DN_ERROR);
        g_error_free(error);
        return;
    }
    dn_dry_run(program, &nobody, &result);
    dn_dry_run_result_clear(&result);
}

static char *sample_path(const Sample *sample)
{
    return test_file(sample->name, "", 0);
}

static void fuzz_round(const Sample *sample, const GByteArray *whole, const char *path,
                       guint64 round)
{
    Draws d = {dn_draw_key(round, DN_DRAW_TEST, g_str_hash(sample->format)), 0};
    g_autoptr(GByteArray) b = g_byte_array_new();
    g_byte_array_append(b, whole->data, whole->len);
    for (guint n = 1 + trace_fuzz_below(&d, 5); n > 0; n--)
        trace_fuzz_damage(b, &d);
    g_assert_true(g_file_set_contents_full(path, (const char *)b->data, b->len,
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    trace_fuzz_try(sample, path);
}

static const Sample samples[] = {
    {"ti", "t.txt", make_ti},
    {"goal", "t.goal", make_goal},
    {"goal_binary", "t.bin", make_goal_binary},
    {"dumpi", "x-0000.bin", make_dumpi},
    {"chakra", "x.0.et", make_chakra},
    {"darner", "t.drn", make_darner},
};

static void trace_fuzz_fuzz(gconstpointer data)
{
    const Sample *sample = data;
    g_autoptr(GByteArray) whole = sample->make();
    char *path = sample_path(sample);
    g_assert_true(g_file_set_contents(path, (const char *)whole->data, whole->len, NULL));
    g_autoptr(DnTrace) good = open_good(path); /* undamaged, it is read */
    g_assert_nonnull(good);
    for (guint round = 0; round < ROUNDS; round++)
        fuzz_round(sample, whole, path, round);
    test_file_free(path);
}

/* From other seeds each time, till the time is over. */
static int fuzz_for(double seconds)
{
    g_autoptr(GTimer) timer = g_timer_new();
    guint64 rounds = 0, first = (guint64)g_get_real_time();
    GByteArray *wholes[G_N_ELEMENTS(samples)];
    char *paths[G_N_ELEMENTS(samples)];
    for (guint i = 0; i < G_N_ELEMENTS(samples); i++) {
        wholes[i] = samples[i].make();
        paths[i] = sample_path(&samples[i]);
    }
    for (; g_timer_elapsed(timer, NULL) < seconds; rounds++)
        for (guint i = 0; i < G_N_ELEMENTS(samples); i++)
            fuzz_round(&samples[i], wholes[i], paths[i], first + rounds);
    g_print("# %" G_GUINT64_FORMAT " rounds of %zu formats in %.0f s, seeds from %" G_GUINT64_FORMAT
            "\n",
            rounds, G_N_ELEMENTS(samples), seconds, first);
    for (guint i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_byte_array_unref(wholes[i]);
        test_file_free(paths[i]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        return fuzz_for(g_ascii_strtod(argv[1], NULL));
    for (guint i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_autofree char *path = g_strdup_printf("/trace/fuzz/%s", samples[i].format);
        g_test_add_data_func(path, &samples[i], trace_fuzz_fuzz);
    }
    return g_test_run();
}
