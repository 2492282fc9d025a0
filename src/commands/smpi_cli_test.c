/* smpi_cli_test.c - a recorded program through SimGrid's own replay and through our flow engine.
 *
 * traces/halo-64.drn.zst: 20 steps of six neighbours each and an allreduce, 64 ranks on a torus of
 * 64. SimGrid gets the trace by `darner trace convert`, collectives as the messages of the
 * algorithms that our replay takes too, and the machine by `darner topo export`; it shares links by
 * max-min fairness without factors, as our flow engine does. What is different: SimGrid weighs
 * shares by latency and lets it pass before the first byte, and its MPI sends messages below
 * 64 KiB before the receive is there; ours does that for all without a mechanism. Both hold to
 * 2 %, with the recorded computing and, where it could hide nothing, without. */
#include <stdlib.h>
#include <string.h>

#include "commands/cli_test.h"

#define RANKS 64
#define PERCENT 2.0

static double smpi_us(const CliFolder *folder)
{
    char *words[] = {(char *)"smpirun",
                     (char *)"-np",
                     (char *)"64",
                     (char *)"-platform",
                     (char *)"torus.xml",
                     (char *)"-hostfile",
                     (char *)"hosts",
                     (char *)"-replay",
                     (char *)"list",
                     (char *)"--cfg=smpi/bw-factor:0:1",
                     (char *)"--cfg=smpi/lat-factor:0:1",
                     (char *)"--cfg=network/model:CM02",
                     (char *)"--cfg=network/crosstraffic:no",
                     (char *)"--cfg=network/TCP-gamma:0",
                     NULL};
    g_autofree char *text = NULL, *other = NULL;
    g_autoptr(GError) error = NULL;
    g_spawn_sync(folder->dir, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, &other, NULL,
                 &error);
    g_assert_no_error(error);
    g_autofree char *all = g_strconcat(text, other, NULL);
    const char *time = strstr(all, "Simulation time ");
    if (time == NULL)
        g_error("smpirun said %s", all);
    return g_ascii_strtod(time + strlen("Simulation time "), NULL) * 1e6;
}

/* replay.csv: job,ranks,messages,makespan_us,... */
static double flow_us(const CliFolder *folder, const char *trace)
{
    g_auto(CliAnswer)
        answer = cli_run(folder, "replay", trace, "--on", "torus-4x4x4", "--mechanism", "direct",
                         "--engine", "flow", "--no-ideal", "-o", "out");
    cli_assert_silent(&answer);
    g_autofree char *csv = cli_read(folder, "out/replay.csv");
    g_auto(GStrv) cells = g_strsplit(strchr(csv, '\n') + 1, ",", 5);
    return g_ascii_strtod(cells[3], NULL);
}

static void smpi_compare(const CliFolder *folder, const char *trace)
{
    g_autofree char *list = g_strconcat(trace, "\n", NULL);
    cli_write(folder, "list", list);
    double theirs = smpi_us(folder), ours = flow_us(folder, trace);
    g_test_message("%s: smpirun %.0f us, flow %.1f us", trace, theirs, ours);
    g_assert_cmpfloat(theirs, >, ours * (1 - PERCENT / 100));
    g_assert_cmpfloat(theirs, <, ours * (1 + PERCENT / 100));
}

static void write_hosts(const CliFolder *folder)
{
    g_autoptr(GString) hosts = g_string_new(NULL);
    for (guint r = 0; r < RANKS; r++)
        g_string_append_printf(hosts, "e%u\n", r);
    cli_write(folder, "hosts", hosts->str);
}

static void write_without_computing(const CliFolder *folder)
{
    g_autofree char *text = cli_read(folder, "halo.txt");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; lines[i] != NULL; i++)
        if (lines[i][0] != '\0' && strstr(lines[i], " compute ") == NULL)
            g_string_append_printf(out, "%s\n", lines[i]);
    cli_write(folder, "messages.txt", out->str);
}

static void test_halo(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_autofree char *smpirun = g_find_program_in_path("smpirun");
    g_autofree char *trace =
        g_build_filename(g_getenv("DARNER_ROOT"), "traces", "halo-64.drn.zst", NULL);
    if (smpirun == NULL) {
        g_test_skip("no smpirun in PATH");
        return;
    }
    g_auto(CliAnswer)
        converted = cli_run(folder, "trace", "convert", trace, "--to", "ti", "-o", "halo.txt");
    g_assert_cmpint(converted.status, ==, 0);
    g_auto(CliAnswer) exported =
        cli_run(folder, "topo", "export", "torus-4x4x4", "-f", "simgrid", "-o", "torus.xml");
    g_assert_cmpint(exported.status, ==, 0);
    write_hosts(folder);
    write_without_computing(folder);
    smpi_compare(folder, "halo.txt");
    smpi_compare(folder, "messages.txt");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/smpi/halo-64", test_halo);
    return g_test_run();
}
