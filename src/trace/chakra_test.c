/* chakra_test.c - Chakra's traces: nodes byte by byte, process groups, damage. */
#include <glib/gstdio.h>
#include <string.h>

#include "trace/trace_test.h"
#include "trace/chakra_node.h"
#include "trace/dry_run.h"

static void chakra_attribute(GByteArray *node, const char *name, guint field, guint64 value)
{
    guint n = (guint)strlen(name);
    guint8 bytes[] = {10 << 3 | 2, (guint8)(n + 2 + 3), 1 << 3 | 2, (guint8)n};
    guint8 tail[] = {(guint8)(field << 3), (guint8)(value | 128), (guint8)(value >> 7)};
    g_byte_array_append(node, bytes, sizeof bytes);
    g_byte_array_append(node, (const guint8 *)name, n);
    g_byte_array_append(node, tail, sizeof tail);
}

static void close_node(GByteArray *file, GByteArray *node)
{
    guint8 length = (guint8)node->len;
    g_assert_cmpuint(node->len, <, 128);
    g_byte_array_append(file, &length, 1);
    g_byte_array_append(file, node->data, node->len);
    g_byte_array_set_size(node, 0);
}

/* id, type; 5: data dependency (packed); 7: duration of 3 us. Rank 0 computes 3 us, then sends 300
 * B; rank 1 receives. */
static GByteArray *chakra_file(guint rank)
{
    GByteArray *file = g_byte_array_new();
    g_autoptr(GByteArray) node = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)"\x02\x0a\x00", 3);
    if (rank == 0) {
        g_byte_array_append(node, (const guint8 *)"\x08\x05\x18\x04\x38\x03", 6);
        close_node(file, node);
    }
    g_byte_array_append(node, (const guint8 *)"\x08\x06\x18", 3);
    g_byte_array_append(node, (const guint8 *)(rank == 0 ? "\x05\x2a\x01\x05" : "\x06"),
                        rank == 0 ? 4 : 1);
    chakra_attribute(node, "comm_size", 9, 300);
    chakra_attribute(node, rank == 0 ? "comm_dst" : "comm_src", 7, !rank);
    chakra_attribute(node, "comm_tag", 7, 0);
    close_node(file, node);
    return file;
}

static void test_chakra(void)
{
    g_autoptr(GByteArray) zero = chakra_file(0);
    g_autoptr(GByteArray) one = chakra_file(1);
    GByteArray *files[2] = {zero, one};
    char *first = test_file("x.0.et", (const char *)files[0]->data, files[0]->len);
    g_autofree char *folder = g_path_get_dirname(first);
    g_autofree char *second = g_build_filename(folder, "x.1.et", NULL);
    g_assert_true(g_file_set_contents(second, (const char *)files[1]->data, files[1]->len, NULL));
    DnTrace *trace = open_good(first);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    g_assert_cmpint(op.duration_ps, ==, 3000000);
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    g_assert_cmpint(op.bytes, ==, 300);
    g_assert_cmpuint(op.n_deps, ==, 1);
    g_autoptr(DnProgram) program = test_program(g_steal_pointer(&trace), "");
    DnDryRunObserver nobody = {0};
    DnDryRunResult result;
    dn_dry_run(program, &nobody, &result);
    g_assert_cmpuint(result.blocked->len + result.unreceived->len, ==, 0);
    g_assert_cmpuint(result.messages, ==, 1);
    g_assert_cmpuint(result.bytes, ==, 300);
    dn_dry_run_result_clear(&result);
    g_assert_true(
        g_file_set_contents(second, (const char *)files[1]->data, files[1]->len - 4, NULL));
    open_bad(first, NULL, "x.1.et: byte 3: a message cut short");
    files[1]->data[3]--;
    g_assert_true(
        g_file_set_contents(second, (const char *)files[1]->data, files[1]->len - 1, NULL));
    open_bad(first, NULL, "x.1.et: byte 3: a node whose fields do not fit its length");
    files[1]->data[3]++;
    files[1]->data[7] = 9;
    g_assert_true(g_file_set_contents(second, (const char *)files[1]->data, files[1]->len, NULL));
    open_bad(first, NULL, "x.1.et: byte 3: a node of a type outside 1 to 7");
    g_remove(second);
    open_bad(first, NULL, "x.0.et: byte 10: a send whose comm_dst is no rank");
    test_file_free(first);
    open_bad("/nonexistent/x.et", NULL, "cannot be read");
}

/* ---- process groups ---- */

static void text_attribute(GByteArray *node, const char *name, const char *text)
{
    guint n = (guint)strlen(name), m = (guint)strlen(text);
    guint8 head[] = {10 << 3 | 2, (guint8)(n + m + 4), 1 << 3 | 2, (guint8)n};
    guint8 middle[] = {13 << 3 | 2, (guint8)m};
    g_byte_array_append(node, head, sizeof head);
    g_byte_array_append(node, (const guint8 *)name, n);
    g_byte_array_append(node, middle, sizeof middle);
    g_byte_array_append(node, (const guint8 *)text, m);
}

/* Node @id: a collective of @type and @bytes in @group. */
static void put_collective(GByteArray *file, guint8 id, guint type, guint bytes, const char *group)
{
    g_autoptr(GByteArray) node = g_byte_array_new();
    const guint8 head[] = {1 << 3, id, 3 << 3, 7};
    g_byte_array_append(node, head, sizeof head);
    chakra_attribute(node, "comm_type", 9, type);
    chakra_attribute(node, "comm_size", 9, bytes);
    text_attribute(node, "pg_name", group);
    close_node(file, node);
}

/* A metadata node whose inputs have the values @text. */
static void put_metadata(GByteArray *file, const char *text)
{
    g_autoptr(GByteArray) node = g_byte_array_new();
    guint8 n = (guint8)strlen(text);
    const guint8 head[] = {1 << 3, 1, 3 << 3, 1, 8 << 3 | 2, (guint8)(n + 2), 1 << 3 | 2, n};
    g_byte_array_append(node, head, sizeof head);
    g_byte_array_append(node, (const guint8 *)text, n);
    close_node(file, node);
}

typedef struct {
    char *folder, *first;
} Trace;

/* Four ranks in a folder of their own: ranks 0 and 2 in group 7, 1 and 3 in group 8, each with an
 * allreduce (0) of 1,000 B; then an alltoall (6) of 800 B in group 7. @noted: of metadata nodes. */
static Trace make_grouped(const char *noted)
{
    Trace t = {.folder = g_dir_make_tmp("darner-test-XXXXXX", NULL)};
    for (guint rank = 0; rank < 4; rank++) {
        g_autofree char *name = g_strdup_printf("x.%u.et", rank);
        g_autofree char *path = g_build_filename(t.folder, name, NULL);
        g_autoptr(GByteArray) file = g_byte_array_new();
        g_byte_array_append(file, (const guint8 *)"\x02\x0a\x00", 3);
        if (noted)
            put_metadata(file, noted);
        put_collective(file, 5, 0, 1000, rank % 2 ? "8" : "7");
        if (rank % 2 == 0)
            put_collective(file, 6, 6, 800, "7");
        g_assert_true(g_file_set_contents(path, (const char *)file->data, file->len, NULL));
        if (rank == 0)
            t.first = g_steal_pointer(&path);
    }
    return t;
}

static void put_list(const Trace *t, const char *name, const char *json)
{
    g_autofree char *path = g_build_filename(t->folder, name, NULL);
    g_assert_true(g_file_set_contents(path, json, -1, NULL));
}

static void trace_clear(Trace *t)
{
    const char *name;
    GDir *dir = g_dir_open(t->folder, 0, NULL);
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(t->folder, name, NULL);
        g_remove(path);
    }
    g_dir_close(dir);
    g_rmdir(t->folder);
    g_free(t->folder);
    g_free(t->first);
}

/* Ring allreduce of two: each rank sends twice 500 B; the alltoall's block for the other is 400 B.
 * Who exchanges with whom is seen from rank 0's communicator. */
static void check_grouped(const Trace *t)
{
    DnTrace *trace = open_good(t->first);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    guint32 me;
    do
        g_assert_true(dn_trace_cursor_next(cursor, &op));
    while (op.call == DN_CALL_COMPUTE); /* metadata, of no duration */
    const DnTraceComm *comm = dn_trace_comm(trace, 0, op.comm, &me);
    g_assert_cmpuint(comm->n, ==, 2);
    g_assert_cmpuint(comm->ranks[1], ==, 2);
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    g_assert_cmpuint(op.call, ==, DN_CALL_ALLTOALL);
    g_assert_cmpint(op.bytes, ==, 400);
    g_assert_false(dn_trace_cursor_next(cursor, &op));
    g_autoptr(DnProgram) program = test_program(trace, "algorithm: {allreduce: ring}");
    DnDryRunObserver nobody = {0};
    DnDryRunResult result;
    dn_dry_run(program, &nobody, &result);
    g_assert_cmpuint(result.blocked->len + result.unreceived->len, ==, 0);
    g_assert_cmpuint(result.messages, ==, 4 * 2 + 2);
    g_assert_cmpuint(result.bytes, ==, 4 * 2 * 500 + 2 * 400);
    dn_dry_run_result_clear(&result);
}

/* From a file of the trace's name, else comm_group.json, else metadata nodes, which win. */
static void test_groups(void)
{
    static const char right[] = "{\n\t\"7\":[0,2],\n\t\"8\":[1,3]\n}\n";
    static const char wrong[] = "{\"7\": [0, 1], \"8\": [2, 3]}";
    Trace t = make_grouped(NULL);
    put_list(&t, "comm_group.json", right);
    check_grouped(&t);
    put_list(&t, "comm_group.json", wrong);
    put_list(&t, "x.json", right);
    check_grouped(&t);
    trace_clear(&t);
    t = make_grouped("['[{\"pg_name\": \"7\", \"ranks\": [0, 2]}, "
                     "{\"pg_name\": \"8\", \"ranks\": [1, 3]}]']");
    put_list(&t, "comm_group.json", wrong);
    check_grouped(&t);
    trace_clear(&t);
}

static void test_group_errors(void)
{
    Trace t = make_grouped(NULL);
    open_bad(t.first, NULL, "x.0.et: byte 3: a collective of the process group '7', which no");
    put_list(&t, "x.json", "{\"7\": [1, 2], \"8\": [0, 3]}");
    open_bad(t.first, NULL, "the process group '7', in which rank 0 is not");
    put_list(&t, "x.json", "{\"7\": [0, 1, 2], \"8\": [1, 3]}");
    open_bad(t.first, NULL, "x.0.et"); /* rank 1 never takes part */
    put_list(&t, "x.json", "{\"7\": [0, 4]}");
    open_bad(t.first, NULL, "x.json:1:11: '4' in a process group; ranks are 0 to 3");
    put_list(&t, "x.json", "{\"7\": [0, 0]}");
    open_bad(t.first, NULL, "x.json:1:11: rank 0 twice in a process group");
    put_list(&t, "x.json", "{\"7\": []}");
    open_bad(t.first, NULL, "x.json:1:7: a process group of nobody");
    put_list(&t, "x.json", "{\"7\": 3}");
    open_bad(t.first, NULL, "x.json:1:7: ");
    put_list(&t, "x.json", "[0, 1");
    open_bad(t.first, NULL, "x.json:");
    trace_clear(&t);
    t = make_grouped("['[{\"pg_name\": \"7\", \"ranks\": [0, 9]}]']");
    open_bad(t.first, NULL, "x.0.et: byte 3: a list of process groups that is no JSON, or of");
    trace_clear(&t);
}

/* As PyTorch's: node 1 launches the allreduce that is node 2, which also depends (ctrl_deps) on a
 * node 9 that is not there; node 3 is another of the same group, which nothing but the group holds
 * back. */
static void test_pytorch(void)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_autoptr(GByteArray) node = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)"\x02\x0a\x00", 3);
    g_byte_array_append(node, (const guint8 *)"\x08\x01\x18\x07\x38\x03", 6);
    chakra_attribute(node, "is_cpu_op", 14, 1);
    close_node(file, node);
    g_byte_array_append(node, (const guint8 *)"\x08\x02\x18\x07\x22\x01\x09\x2a\x01\x01", 10);
    chakra_attribute(node, "comm_type", 9, 0);
    chakra_attribute(node, "comm_size", 9, 400);
    close_node(file, node);
    put_collective(file, 3, 0, 400, "0");
    char *first = test_file("x.0.et", (const char *)file->data, file->len);
    g_autofree char *folder = g_path_get_dirname(first);
    g_autofree char *second = g_build_filename(folder, "x.1.et", NULL);
    g_assert_true(g_file_set_contents(second, (const char *)file->data, file->len, NULL));
    DnTrace *trace = open_good(first);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 1);
    static const guint8 calls[] = {DN_CALL_COMPUTE, DN_CALL_ALLREDUCE, DN_CALL_ALLREDUCE};
    DnTraceOp op;
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_assert_true(dn_trace_cursor_next(cursor, &op));
        g_assert_cmpuint(op.call, ==, calls[i]);
        g_assert_cmpuint(op.n_deps, ==, i == 0 ? 0 : 1);
        g_assert_cmpint(op.duration_ps, ==, i == 0 ? 3000000 : 0);
    }
    g_assert_false(dn_trace_cursor_next(cursor, &op));
    /* 24 channels, two streams each, which wait for one another by events of their own; so many
     * workers as fit into a rank's streams */
    g_autoptr(DnProgram) program = test_program(trace, "algorithm: nccl_tree\nchannels: 24");
    DnDryRunObserver nobody = {0};
    DnDryRunResult result;
    dn_dry_run(program, &nobody, &result);
    g_assert_cmpuint(result.blocked->len + result.unreceived->len, ==, 0);
    g_assert_cmpuint(result.bytes, ==, 2 * 2 * 400);
    dn_dry_run_result_clear(&result);
    g_assert_cmpint(program->type->computes(program, 0), ==, 0); /* the host's only */
    g_assert_cmpstr(program->note, ==,
                    "2 communications of the host without a comm_size are launches: the kernels' "
                    "nodes are the calls; 2 ctrl_deps name nodes that are not there");
    g_autoptr(DnProgram) plain = test_program(open_good(first), "compute_scale: 2");
    g_assert_nonnull(
        strstr(plain->note, "; collectives are chosen as by Open MPI, since the machine"));
    g_remove(second);
    test_file_free(first);
}

/* Node 2, an allreduce, waits for node 4, which stands behind allreduce 3. */
static void test_later(void)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_autoptr(GByteArray) node = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)"\x02\x0a\x00", 3);
    g_byte_array_append(node, (const guint8 *)"\x08\x02\x18\x07\x2a\x01\x04", 7);
    chakra_attribute(node, "comm_type", 9, 0);
    chakra_attribute(node, "comm_size", 9, 400);
    close_node(file, node);
    put_collective(file, 3, 0, 400, "0");
    g_byte_array_append(node, (const guint8 *)"\x08\x04\x18\x04\x38\x03", 6);
    close_node(file, node);
    char *first = test_file("x.0.et", (const char *)file->data, file->len);
    g_autoptr(DnProgram) program = test_program(open_good(first), "library: ompi");
    g_assert_cmpstr(program->note, ==,
                    "on 1 ranks a node waits for one that stands later, so that collectives of a "
                    "group do not go one after another there");
    test_file_free(first);
}

/* Numbers as doubles and floats, which some writers use for all attributes. */
static void test_real_attributes(void)
{
    static const struct {
        const char *bytes;
        gsize n;
        gint64 num_ops;
    } nodes[] = {{"\x52\x12\x0a\x07num_ops\x19\0\0\0\0\x80\x84\x2e\x41", 20, 1000000},
                 {"\x52\x0e\x0a\x07num_ops\x2d\0\x24\x74\x49", 16, 1000000},
                 {"\x52\x12\x0a\x07num_ops\x19\0\0\0\0\0\0\xf0\x7f", 20, G_MAXINT64}};
    g_autoptr(GArray) deps = g_array_new(FALSE, FALSE, sizeof(DnChakraDependency));
    for (guint i = 0; i < G_N_ELEMENTS(nodes); i++) {
        const guint8 *at = (const guint8 *)nodes[i].bytes;
        DnChakraNode node;
        g_assert_true(dn_chakra_node_read((DnChakraBytes){at, at + nodes[i].n, TRUE}, &node, deps));
        g_assert_cmpint((gint64)node.num_ops, ==, nodes[i].num_ops);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/chakra/two", test_chakra);
    g_test_add_func("/chakra/pytorch", test_pytorch);
    g_test_add_func("/chakra/later", test_later);
    g_test_add_func("/chakra/groups", test_groups);
    g_test_add_func("/chakra/group-errors", test_group_errors);
    g_test_add_func("/chakra/real-attributes", test_real_attributes);
    return g_test_run();
}
