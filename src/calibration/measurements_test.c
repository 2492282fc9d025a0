/* measurements_test.c - Tests of benchmark output, line for line as manuals show it, as CSV. */
#include "calibration/measurements.h"
#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *measurements_put(const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL);
    g_autofree char *above = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(above, 0777), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static void measurements_gives(const char *text, const char *format, const char *csv)
{
    g_autofree char *path = measurements_put("file", text);
    const DnMeasurementFormat *found = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *got = dn_measurements_csv(path, NULL, &found, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(found->name, ==, format);
    g_assert_cmpstr(got, ==, csv);
}

static void measurements_refuses(const char *path, const char *format, DnError code,
                                 const char *words)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *got = dn_measurements_csv(path, format, NULL, &error);
    g_assert_null(got);
    g_assert_error(error, DN_ERROR, (int)code);
    if (strstr(error->message, words) == NULL)
        g_error("'%s' is not in '%s'", words, error->message);
}

static void refuses_text(const char *text, const char *format, DnError code, const char *words)
{
    g_autofree char *path = measurements_put("file", text);
    measurements_refuses(path, format, code, words);
}

/* The manual's own layout; of allreduce the average, which comes first. */
static void test_osu(void)
{
    measurements_gives(
        "# OSU MPI-CUDA Latency Test v5.9\n# Send Buffer on DEVICE (D)\n"
        "# Size          Latency (us)\n0                       1.10\n1                       "
        "1.25\n",
        "osu",
        "test,bytes,time_us\nOSU MPI-CUDA Latency Test,0,1.1\n"
        "OSU MPI-CUDA Latency Test,1,1.25\n");
    /* 12,500 MB/s of 1e6 bytes are 100 Gb/s. */
    measurements_gives(
        "Loading modules\n# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n"
        "1048576     12500.00\n",
        "osu", "test,bytes,goodput_gbps\nOSU MPI Bandwidth Test,1048576,100\n");
    measurements_gives(
        "\n# OSU MPI Allreduce Latency Test v7.2\n# Datatype: MPI_INT.\n"
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
        "4                       2.50              2.00              3.00        1000\n",
        "osu", "test,bytes,time_us\nOSU MPI Allreduce Latency Test,4,2.5\n");
    refuses_text("# OSU MPI Latency Test v7.2\n# Size Latency (us)\n", NULL, DN_ERROR_MISSING,
                 "no line with a size");
    refuses_text("# OSU MPI Latency Test v7.2\n# Size Latency (us)\n1 fast\n", NULL,
                 DN_ERROR_SYNTAX, "file:3:1: wanted: a size and a number of 0 or more");
    refuses_text("# OSU A v1\n# Size Latency (us)\n1 1\n# OSU B v1\n", NULL, DN_ERROR_SYNTAX,
                 "file:4:1: wanted: one test a file");
    refuses_text("# OSU MPI Latency Test\n# Size Latency (us)\n1 1.2\n2 -3\n", NULL,
                 DN_ERROR_SYNTAX, "file:4:1: wanted: a size and a number of 0 or more");
    refuses_text("a,b\n1,2\n", "osu", DN_ERROR_SYNTAX, "not osu");
}

/* Of today's releases, with a root, and of older ones, whose alltoall leaves redop blank; what
 * mpirun puts before each line goes. */
static void test_nccl(void)
{
    measurements_gives(
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5\n"
        "#                                                              out-of-place        "
        "in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
        "time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
        "           8             2     float     sum      -1    17.55    0.00    0.00      0    "
        "17.35    0.00    0.00    N/A\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.1\n",
        "nccl-tests", "bytes,time_us,in_place_us\n8,17.55,17.35\n");
    measurements_gives(
        "[1,0]<stdout>:#       size         count      type   redop     time   algbw   busbw  "
        "error "
        "    time   algbw   busbw  error\n"
        "[1,0]<stdout>:   268435456       1048576     float           520935    0.52    0.51  "
        "0e+00 "
        "  519562    0.52    0.51  1e+00\n",
        "nccl-tests", "bytes,time_us,in_place_us\n268435456,520935,519562\n");
    refuses_text(
        "# size count type redop time algbw busbw error time algbw busbw error\n8 2 float\n", NULL,
        DN_ERROR_SYNTAX, "file:2:1: wanted: a size, and times");
    refuses_text("# size count type redop time algbw busbw #wrong time algbw busbw #wrong\n"
                 "8 2 float sum 10 1 1 0 10 1 1 0\n8 2 float sum 10 1 1 3 10 1 1 N/A\n",
                 NULL, DN_ERROR_SYNTAX, "file:3:1: wanted: 0 in #wrong");
    refuses_text("# size count type redop time algbw busbw error time algbw busbw error\n", NULL,
                 DN_ERROR_MISSING, "no line with a size");
}

static void test_blink_run(void)
{
    measurements_gives("0_Transfer Time_s,0_Bandwidth_GB/s\n2e-05,5\n3e-05,4\n", "blink",
                       "iteration,time_us\n0,20\n1,30\n");
    /* The slowest rank; a row that another application alone has is left out. */
    measurements_gives("0_Avg-Duration_s,0_Max-Duration_s,1_time_us\n1e-6,2e-6,9\n,,9\n", "blink",
                       "iteration,time_us\n0,2\n");
    refuses_text("0_Transfer Time_s\nfast\n", NULL, DN_ERROR_SYNTAX, "file:2:1: 'fast'");
    refuses_text("0_Transfer Time_s\n", NULL, DN_ERROR_MISSING, "no times");
}

#define HEAD "app_mix,system,numnodes,allocation_mode,allocation_split,ppn,out_format,extra,path\n"

/* Two runs listed, one of them here; 10, 20, 30, 40, 50 us: quartiles 20 and 40, by interpolation
 * the 5th percentile 12 and the 95th 48. */
static void test_blink_folder(void)
{
    g_autofree char *list = measurements_put(
        "blink/data/description.csv",
        HEAD "./apps_mix/gpubench/a2a-nccl/2MiB_plus_incast,lumi,4,l,100,8,csv,,./data/lumi/R1\n"
             "./apps_mix/gpubench/a2a-nccl/1GiB,lumi,4,l,100,8,csv,,./data/lumi/R2\n");
    g_autofree char *run = measurements_put("blink/data/lumi/R1/data.csv",
                                            "0_Transfer Time_s\n1e-5\n2e-5\n5e-5\n4e-5\n3e-5\n");
    g_autofree char *top = g_build_filename(folder, "blink", NULL);
    g_autofree char *data = g_build_filename(top, "data", NULL);
    const char *const both[] = {top, data};
    for (guint i = 0; i < G_N_ELEMENTS(both); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *got = dn_measurements_csv(both[i], NULL, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(
            got, ==,
            "system,bench,beside,bytes,nodes,ppn,extra,n_iter,median_us,mean_us,min_us,"
            "p5_us,q1_us,q3_us,p95_us,max_us,run\n"
            "lumi,gpubench/a2a-nccl,plus_incast,2097152,4,8,,5,30,30,10,nan,20,40,nan,50,"
            "R1\n");
    }
    g_autofree char *gone = measurements_put("none/description.csv", HEAD);
    g_autofree char *none = g_path_get_dirname(gone);
    measurements_refuses(none, NULL, DN_ERROR_MISSING, "none of its runs is here");
    g_autofree char *bad = measurements_put("none/description.csv", "app_mix,system\n");
    measurements_refuses(none, NULL, DN_ERROR_MISSING, "description.csv:1:1: no column 'numnodes'");
    measurements_refuses(folder, NULL, DN_ERROR_SYNTAX, "a folder without description.csv");
}

/* 100,000 round trips of 8 words in 1.96 s: 9.8 us one way; 1000 cycles in 6 s: 6000 us each. */
static void test_stream(void)
{
    measurements_gives("GPU,Backend,Buffering,Iters,Items,Time\nMI250,cxi,db,100000,8,1.96\n",
                       "stream-triggering",
                       "gpu,backend,buffering,bytes,time_us\nMI250,cxi,db,32,9.8\n");
    measurements_gives(
        "nodes,ntasks,backend,solver_creation,solver_time,system,size,memory_type,send_type,"
        "cycles\n2,8,X,0.1,6,frontier,16384,fine,Standard,1000\n",
        "stream-triggering",
        "system,nodes,ntasks,backend,size,memory_type,send_type,time_us\n"
        "frontier,2,8,X,16384,fine,Standard,6000\n");
    refuses_text("GPU,Backend,Buffering,Iters,Items,Time\nMI250,cxi,db,0,8,1.96\n", NULL,
                 DN_ERROR_RANGE, "file:2:14: allowed: 1 or more");
}

static void test_csv(void)
{
    measurements_gives("bytes,time_us\n8,1\n", "csv", "bytes,time_us\n8,1\n");
    refuses_text("hello\n", NULL, DN_ERROR_SYNTAX, "file:1:1: no measurements: ");
    refuses_text("hello\nworld\n", NULL, DN_ERROR_SYNTAX, "file:1:1: no measurements: ");
    refuses_text("a,b\n1\n", NULL, DN_ERROR_SYNTAX, "this line has 1 cells");
    refuses_text("a\n\xff\n", NULL, DN_ERROR_SYNTAX, "not UTF-8");
    refuses_text("a\n1\n", "ous", DN_ERROR_UNKNOWN,
                 "unknown format 'ous' of measurements; did you "
                 "mean 'osu'?");
    measurements_refuses("nowhere", NULL, DN_ERROR_FILE, "nowhere: cannot read");
}

static void test_sizes(void)
{
    g_assert_cmpint(dn_measurement_size("1B"), ==, 1);
    g_assert_cmpint(dn_measurement_size("4 KiB"), ==, 4096);
    g_assert_cmpint(dn_measurement_size("8GiB"), ==, 8589934592);
    g_assert_cmpint(dn_measurement_size("nccl"), ==, -1);
    g_assert_cmpint(dn_measurement_size("3 apples"), ==, -1);
}

static void remove_all(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        remove_all(below);
    }
    g_remove(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("darner-measurements-XXXXXX", NULL);
    g_test_add_func("/measurements/osu", test_osu);
    g_test_add_func("/measurements/nccl", test_nccl);
    g_test_add_func("/measurements/blink-run", test_blink_run);
    g_test_add_func("/measurements/blink-folder", test_blink_folder);
    g_test_add_func("/measurements/stream", test_stream);
    g_test_add_func("/measurements/csv", test_csv);
    g_test_add_func("/measurements/sizes", test_sizes);
    int status = g_test_run();
    remove_all(folder);
    g_free(folder);
    return status;
}
