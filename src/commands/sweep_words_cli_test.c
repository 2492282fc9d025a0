/* sweep_words_cli_test.c - Tests of `darner run --shard` and `darner sweep`, with a batch system
 * that is a script: it does the tasks of the array one after another, or loses some. */
#include "commands/cli_test.h"

#include <glib/gstdio.h>
#include <string.h>

#define RUN                                                                                        \
    "machine: h200x4\n"                                                                            \
    "jobs: [{name: a, workload: {type: pingpong, bytes: 1 KiB}, ranks: 2, mechanism: d2d}]\n"      \
    "sweep: {\"jobs[0].workload.bytes\": [1 KiB, 1 MiB], seed: [1, 2, 3, 4, 5]}\n"

/* Tasks whose number is in $LOST do not run; the job's number is 42. With $SAYS that is all it does
 * and prints. */
#define SBATCH                                                                                     \
    "#!/bin/bash\n"                                                                                \
    "[[ ! -v SAYS ]] || { echo \"$SAYS\"; exit; }\n"                                               \
    "script=${!#}\n"                                                                               \
    "tasks=$(sed -n 's/^#SBATCH --array=//p' \"$script\" | tr , ' ')\n"                            \
    "echo \"$tasks\" >> asked.txt\n"                                                               \
    "for range in $tasks; do\n"                                                                    \
    "  for ((i = ${range%-*}; i <= ${range#*-}; i++)); do\n"                                       \
    "    [[ \" $LOST \" == *\" $i \"* ]] || SLURM_ARRAY_TASK_ID=$i bash \"$script\" >&2 || exit "  \
    "1\n"                                                                                          \
    "  done\n"                                                                                     \
    "done\n"                                                                                       \
    "echo 42\n"

/* Before PATH's: sbatch, and a squeue that knows no job. */
static void sweep_prepare(const CliFolder *f)
{
    static const char *const names[] = {"bin/sbatch", "bin/squeue"};
    g_autofree char *bin = g_build_filename(f->dir, "bin", NULL);
    g_autofree char *path = g_strconcat(bin, ":", "/usr/bin:/bin", NULL);
    cli_write(f, "run.yaml", RUN);
    cli_write(f, names[0], SBATCH);
    cli_write(f, names[1], "#!/bin/sh\n[ -z \"$QUEUED\" ] || echo 42\n");
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *file = g_build_filename(f->dir, names[i], NULL);
        g_assert_cmpint(g_chmod(file, 0755), ==, 0);
    }
    g_setenv("PATH", path, TRUE);
    g_unsetenv("LOST");
    g_unsetenv("QUEUED");
    g_unsetenv("SAYS");
}

static void test_shards(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN);
    g_auto(CliAnswer) whole = cli_run(f, "run", "run.yaml", "-o", "whole");
    g_auto(CliAnswer) b = cli_run(f, "run", "run.yaml", "-o", "out", "--shard", "2/3");
    g_assert_cmpstr(b.out, ==,
                    "shard 2/3: 3 of 10 points of the run are complete in "
                    "out/unfinished\n");
    g_auto(CliAnswer) early = cli_run(f, "sweep", "collect", "run.yaml", "-o", "out");
    g_assert_cmpint(early.status, ==, 2);
    g_assert_nonnull(strstr(early.err, "7 of 10 points are missing"));
    g_auto(CliAnswer)
        a = cli_run(f, "run", "run.yaml", "-o", "out", "--shard", "1/3", "--jobs", "2");
    g_auto(CliAnswer) other = cli_run(f, "run", "run.yaml", "-o", "out", "--shard", "1/2");
    g_assert_nonnull(strstr(other.out, "shard 1/2: 9 of 10 points"));
    g_auto(CliAnswer) status = cli_run(f, "sweep", "status", "run.yaml", "-o", "out");
    g_assert_cmpstr(status.out, ==, "9 of 10 points are complete in out/unfinished\n");
    g_auto(CliAnswer)
        changed = cli_run(f, "run", "run.yaml", "-o", "out", "--shard", "3/3", "--links", "1");
    g_assert_cmpint(changed.status, ==, 2);
    g_assert_nonnull(strstr(changed.err, "points of another run: --links differs"));
    g_auto(CliAnswer) c = cli_run(f, "run", "run.yaml", "-o", "out", "--shard", "3/3");
    g_auto(CliAnswer) all = cli_run(f, "sweep", "collect", "run.yaml", "-o", "out");
    g_assert_cmpint(whole.status | a.status | b.status | c.status | all.status, ==, 0);
    cli_same_results(f, "whole", "out");
    g_assert_false(cli_exists(f, "out/unfinished"));
    g_auto(CliAnswer) again = cli_run(f, "sweep", "collect", "run.yaml", "-o", "out");
    g_assert_cmpint(again.status, ==, 2);
    g_assert_nonnull(strstr(again.err, "out: nothing to collect: its results are whole"));
    cli_same_results(f, "whole", "out");
}

/* Two of four tasks are lost: the same command submits those, and nothing else. */
static void test_lost(CliFolder *f, gconstpointer unused)
{
    sweep_prepare(f);
    g_auto(CliAnswer) whole = cli_run(f, "run", "run.yaml", "-o", "whole");
    g_setenv("LOST", "2 4", TRUE);
    g_auto(CliAnswer) first = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm",
                                      "--points-per-task", "3", "--links", "2");
    g_assert_cmpstr(first.err, ==, "");
    g_assert_true(g_str_has_prefix(first.out, "job 42: 4 tasks for 10 of 10 points, in "));
    g_setenv("QUEUED", "1", TRUE);
    g_auto(CliAnswer) status = cli_run(f, "sweep", "status", "run.yaml", "-o", "out");
    g_assert_true(g_str_has_prefix(status.out, "5 of 10 points are complete in out/unfinished\n"
                                               "job 42 is in the queue\n"));
    g_auto(CliAnswer) early = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm",
                                      "--points-per-task", "3", "--links", "2");
    g_assert_cmpint(early.status, ==, 2);
    g_assert_nonnull(strstr(early.err, "job 42 of this run is still in the queue"));
    g_auto(CliAnswer) anew = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm",
                                     "--points-per-task", "3", "--links", "2", "--restart");
    g_assert_cmpint(anew.status, ==, 2);
    g_assert_nonnull(strstr(anew.err, "job 42 of this run is still in the queue"));
    g_unsetenv("QUEUED");
    g_unsetenv("LOST");
    g_auto(CliAnswer) again = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm",
                                      "--points-per-task", "3", "--links", "2");
    g_assert_true(g_str_has_prefix(again.out, "job 42: 2 tasks for 5 of 10 points, in "));
    g_autofree char *asked = cli_read(f, "asked.txt");
    g_assert_cmpstr(asked, ==, "1-4\n2 4\n");
    g_auto(CliAnswer) all = cli_run(f, "sweep", "collect", "run.yaml", "-o", "out");
    g_assert_cmpint(all.status, ==, 0);
    g_auto(CliAnswer) links = cli_run(f, "run", "run.yaml", "-o", "links", "--links", "2");
    cli_same_results(f, "links", "out");
    g_assert_false(cli_exists(f, "out/unfinished"));
    g_assert_false(cli_exists(f, "out/slurm.sh"));
}

/* An sbatch that ends without an error and prints no number has submitted nothing that could be
 * asked for. A line before the number is none. */
static void test_no_number(CliFolder *f, gconstpointer unused)
{
    sweep_prepare(f);
    static const char *const wrong[] = {"", "submitted", "4x2"};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_setenv("SAYS", wrong[i], TRUE);
        g_auto(CliAnswer) a = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm");
        g_autofree char *message =
            g_strdup_printf("sbatch ends without an error, but prints '%s' where", wrong[i]);
        g_assert_cmpint(a.status, ==, 2);
        g_assert_cmpstr(a.out, ==, "");
        g_assert_nonnull(strstr(a.err, message));
        g_assert_false(cli_exists(f, "out/unfinished/slurm-job"));
    }
    g_setenv("SAYS", "welcome\n42;cluster", TRUE);
    g_auto(CliAnswer) right = cli_run(f, "sweep", "submit", "run.yaml", "-o", "out", "--slurm");
    g_assert_cmpint(right.status, ==, 0);
    g_assert_true(g_str_has_prefix(right.out, "job 42: "));
    g_unsetenv("SAYS");
}

/* The cases of `darner validate`, of which a part keeps its runs for whoever puts them together. */
static void test_validate(CliFolder *f, gconstpointer unused)
{
    sweep_prepare(f);
    g_auto(CliAnswer) sent = cli_run(f, "sweep", "submit", "--validate", "keep", "h200x4-p2p",
                                     "--slurm", "--tasks", "2");
    g_assert_cmpstr(sent.err, ==, "");
    g_assert_true(g_str_has_prefix(sent.out, "job 42: 2 tasks, in "));
    g_assert_true(cli_exists(f, "keep/h200x4-p2p.parts"));
    g_auto(CliAnswer) all = cli_run(f, "validate", "-q", "--keep", "keep", "h200x4-p2p");
    g_auto(CliAnswer) whole = cli_run(f, "validate", "-q", "h200x4-p2p");
    g_assert_cmpint(all.status, ==, whole.status);
    g_assert_cmpstr(all.out, ==, whole.out);
    g_assert_false(cli_exists(f, "keep/h200x4-p2p.parts"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/sweep/shards", test_shards);
    cli_test_add("/commands/sweep/lost", test_lost);
    cli_test_add("/commands/sweep/no-number", test_no_number);
    cli_test_add("/commands/sweep/validate", test_validate);
    return g_test_run();
}
