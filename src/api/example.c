/* example.c - the public interface in use: how long a message takes between two nodes, by size.
 *
 * Build: cc example.c $(pkg-config --cflags --libs darner) -o example
 * Run:   ./example [MACHINE]                       default: h200x4 */
#include <darner/darner.h>
#include <stdio.h>
#include <stdlib.h>

static const char run_file[] =
    "machine: h200x4\n"
    "jobs:\n"
    "  - {name: pair, ranks: 2, workload: {type: pingpong, bytes: 1 KiB}}\n"
    "sweep:\n"
    "  jobs[0].workload.bytes: [1 KiB, 64 KiB, 4 MiB]\n";

static int example_fail(darner_error *error)
{
    fprintf(stderr, "%s\n", darner_error_message(error));
    if (darner_error_line(error) > 0)
        fprintf(stderr, "(the mistake stands in line %u)\n", darner_error_line(error));
    darner_error_free(error);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char machine[256];
    snprintf(machine, sizeof machine, "machine=%s", argc > 1 ? argv[1] : "h200x4");
    const char *const set[] = {machine, NULL};
    darner_error *error = NULL;
    darner_spec *spec = darner_spec_parse(run_file, "example", set, &error);
    if (spec == NULL)
        return example_fail(error);
    darner_result *result = darner_run(spec, NULL, &error);
    if (result == NULL) {
        darner_spec_free(spec);
        return example_fail(error);
    }
    const darner_table *jobs = darner_result_table(result, "jobs");
    ptrdiff_t time = darner_table_find(jobs, "time_median_s");
    for (size_t row = 0; time >= 0 && row < darner_table_rows(jobs); row++)
        printf("%8s  %8.2f us\n", darner_spec_swept_value(spec, row, 0),
               darner_table_number(jobs, row, (size_t)time) * 1e6);
    darner_result_free(result);
    darner_spec_free(spec);
    return EXIT_SUCCESS;
}
