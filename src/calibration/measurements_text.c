/* measurements_text.c - tables that benchmarks print on a terminal: OSU's and nccl-tests'.
 *
 * OSU Micro-Benchmarks, mvapich.cse.ohio-state.edu/benchmarks: "# OSU MPI Latency Test", then
 * "# Size  Latency (us)" and a line a size. NVIDIA nccl-tests, doc/PERFORMANCE.md: a head of three
 * lines of '#', times out of place and in place; `size` is all that a rank sends or gets. */
#include "base/csv.h"
#include "calibration/measurements.h"
#include <string.h>

/* ---- OSU ---- */

/* The line that names the columns: "# Size" and a unit. */
static int osu_head(char **lines)
{
    for (int i = 0; lines[i] != NULL; i++) {
        if (lines[i][0] != '#')
            continue;
        g_auto(GStrv) words = dn_measurement_words(lines[i] + 1);
        if (words[0] != NULL && strcmp(words[0], "Size") == 0 &&
            (strstr(lines[i], "(us)") != NULL || strstr(lines[i], "(MB/s)") != NULL))
            return i;
    }
    return -1;
}

static gboolean is_osu(const DnMeasurementFile *file)
{
    if (file->text == NULL || strstr(file->text, "# OSU") == NULL)
        return FALSE;
    g_auto(GStrv) lines = dn_measurement_lines(file->text);
    return osu_head(lines) >= 0;
}

/* "OSU MPI Latency Test" of "# OSU MPI Latency Test v7.2", the nearest above @head. */
static char *osu_test(char **lines, int head)
{
    for (int i = head; i >= 0; i--)
        if (g_str_has_prefix(lines[i], "# OSU")) {
            const char *version = strstr(lines[i], " v");
            return g_strndup(lines[i] + 2,
                             version != NULL ? (gsize)(version - lines[i] - 2) : strlen(lines[i]));
        }
    return g_strdup("OSU");
}

static gboolean no_rows(const DnMeasurementFile *file, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no line with a size and a value",
                file->path);
    return FALSE;
}

static gboolean bad_line(const DnMeasurementFile *file, int line, const char *wanted,
                         GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:%d:1: wanted: %s", file->path, line + 1,
                wanted);
    return FALSE;
}

static gboolean convert_osu(const DnMeasurementFile *file, GString *csv, GError **error)
{
    g_auto(GStrv) lines = dn_measurement_lines(file->text);
    int head = osu_head(lines), rows = 0;
    gboolean rate = strstr(lines[head], "(us)") == NULL;
    g_autofree char *test = osu_test(lines, head);
    g_string_append_printf(csv, "test,bytes,%s\n", rate ? "goodput_gbps" : "time_us");
    for (int i = head + 1; lines[i] != NULL; i++) {
        g_auto(GStrv) words = dn_measurement_words(lines[i]);
        double bytes, value;
        if (words[0] == NULL)
            continue;
        if (words[0][0] == '#')
            return bad_line(file, i, "one test a file; here another begins", error);
        if (words[1] == NULL || !dn_measurement_number(words[0], &bytes) || bytes < 0 ||
            !dn_measurement_number(words[1], &value) || value < 0)
            return bad_line(file, i, "a size and a number of 0 or more", error);
        dn_csv_cell(csv, test);
        dn_measurement_cell(csv, bytes);
        dn_measurement_cell(csv, rate ? value * 8e-3 : value); /* MB/s: 1e6 B/s */
        dn_csv_end_row(csv);
        rows++;
    }
    return rows > 0 || no_rows(file, error);
}

const DnMeasurementFormat dn_measurement_osu = {
    .name = "osu",
    .summary = "what a test of the OSU Micro-Benchmarks prints, by size",
    .recognise = is_osu,
    .convert = convert_osu,
};

/* ---- nccl-tests ---- */

/* Columns of each of the two groups: time algbw busbw #wrong (or error). */
enum { GROUP = 4 };

static gboolean is_nccl_head(const char *line)
{
    g_auto(GStrv) words = dn_measurement_words(line);
    guint n = g_strv_length(words);
    return n >= 3 + 2 * GROUP && strcmp(words[0], "#") == 0 && strcmp(words[1], "size") == 0 &&
           strcmp(words[n - GROUP], "time") == 0 && strcmp(words[n - 2 * GROUP], "time") == 0;
}

static gboolean is_nccl(const DnMeasurementFile *file)
{
    if (file->text == NULL || strstr(file->text, "algbw") == NULL)
        return FALSE;
    g_auto(GStrv) lines = dn_measurement_lines(file->text);
    gboolean found = FALSE;
    for (char **line = lines; !found && *line != NULL; line++)
        found = is_nccl_head(*line);
    return found;
}

/* The last column of a group counts the elements whose result was wrong, "N/A" if nobody looked.
 * Earlier versions have the largest error there instead: @head, the names, says which. */
static gboolean has_wrong(char **words, const char *head)
{
    guint n = g_strv_length(words);
    double out_of_place, in_place;
    return g_str_has_suffix(head, "#wrong") &&
           ((dn_measurement_number(words[n - 1], &in_place) && in_place > 0) ||
            (dn_measurement_number(words[n - 1 - GROUP], &out_of_place) && out_of_place > 0));
}

/* Columns before the times may be blank (redop, root), so those are counted from the end. */
static gboolean convert_nccl(const DnMeasurementFile *file, GString *csv, GError **error)
{
    g_auto(GStrv) lines = dn_measurement_lines(file->text);
    const char *head = NULL;
    guint rows = 0;
    g_string_append(csv, "bytes,time_us,in_place_us\n");
    for (int i = 0; lines[i] != NULL; i++) {
        g_auto(GStrv) words = dn_measurement_words(lines[i]);
        guint n = g_strv_length(words);
        double bytes, time, in_place;
        if (head == NULL && is_nccl_head(lines[i]))
            head = g_strchomp(lines[i]);
        /* Lines that the job printed before the table, or between its lines, do not begin with a
         * size. */
        if (head == NULL || n == 0 || !dn_measurement_number(words[0], &bytes))
            continue;
        if (n < 2 + 2 * GROUP || bytes < 0 || !dn_measurement_number(words[n - 2 * GROUP], &time) ||
            !dn_measurement_number(words[n - GROUP], &in_place) || time < 0 || in_place < 0)
            return bad_line(file, i, "a size, and times out of place and in place", error);
        if (has_wrong(words, head))
            return bad_line(file, i, "0 in #wrong; delete the line to leave it out", error);
        dn_measurement_cell(csv, bytes);
        dn_measurement_cell(csv, time);
        dn_measurement_cell(csv, in_place);
        dn_csv_end_row(csv);
        rows++;
    }
    return rows > 0 || no_rows(file, error);
}

const DnMeasurementFormat dn_measurement_nccl_tests = {
    .name = "nccl-tests",
    .bytes_of_all = TRUE,
    .summary = "the table that nccl-tests (or rccl-tests) print",
    .recognise = is_nccl,
    .convert = convert_nccl,
};
