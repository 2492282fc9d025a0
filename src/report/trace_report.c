/* trace_report.c - see trace_report.h. */
#include "report/trace_report.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/units.h"
#include "report/json.h"
#include "report/table.h"
#include "trace/to_dag.h"

#define SIDE_PX 768

/* ---- info ---- */

static void comm_text(GString *out, const DnTrace *trace)
{
    guint32 made = trace->n_comms - 1 - trace->ranks; /* besides the world's and each rank's own */
    guint32 least = G_MAXUINT32, most = 0;
    for (guint32 c = 1 + trace->ranks; c < trace->n_comms; c++) {
        least = MIN(least, trace->comms[c].n);
        most = MAX(most, trace->comms[c].n);
    }
    if (made > 0)
        g_string_append_printf(out, "communicators made: %u, of %u to %u ranks\n", made, least,
                               most);
}

char *dn_trace_info_text(const DnTrace *trace)
{
    GString *out = g_string_new(NULL);
    g_autoptr(DnTable) table = dn_table_new();
    g_string_append_printf(out, "%s: %s (%s)\n%u ranks, %" G_GUINT64_FORMAT " operations%s\n",
                           trace->path, trace->reader->name, trace->reader->source, trace->ranks,
                           trace->ops, trace->reader->graph ? ", each with what it waits for" : "");
    comm_text(out, trace);
    for (guint i = 0; i < trace->notes->len; i++)
        g_string_append_printf(out, "note: %s\n", (char *)g_ptr_array_index(trace->notes, i));
    g_string_append_c(out, '\n');
    dn_table_column(table, "call", DN_ALIGN_LEFT);
    dn_table_column(table, "count", DN_ALIGN_RIGHT);
    for (guint call = 0; call < DN_CALLS; call++) {
        if (trace->calls[call] == 0)
            continue;
        dn_table_row(table);
        dn_table_cell(table, "%s", dn_call_name(call));
        dn_table_cell(table, "%" G_GUINT64_FORMAT, trace->calls[call]);
    }
    g_autofree char *calls = dn_table_text(table);
    g_string_append(out, calls);
    return g_string_free(out, FALSE);
}

char *dn_trace_info_json(const DnTrace *trace)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "file", trace->path);
    dn_json_string(json, "format", trace->reader->name);
    dn_json_int(json, "ranks", trace->ranks);
    dn_json_int(json, "operations", (gint64)trace->ops);
    dn_json_int(json, "communicators_made", (gint64)trace->n_comms - 1 - trace->ranks);
    dn_json_object(json, "calls");
    for (guint call = 0; call < DN_CALLS; call++)
        if (trace->calls[call] > 0)
            dn_json_int(json, dn_call_name(call), (gint64)trace->calls[call]);
    json_builder_end_object(json);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return dn_json_text(root);
}

/* ---- check ---- */

/* @fate: NULL: another size is sent. */
static void list_loose(const DnProgram *program, const GArray *loose, const char *fate)
{
    enum { MOST = 20 };
    for (guint i = 0; i < MIN(loose->len, MOST); i++) {
        const DnDryRunLoose *l = &g_array_index(loose, DnDryRunLoose, i);
        g_autofree char *what = dn_trace_describe(program, l->rank, &l->op);
        printf("%s: ", what);
        if (fate != NULL)
            fputs(fate, stdout);
        else
            printf("%" G_GINT64_FORMAT " B are sent", l->sent_bytes);
        if (l->more > 0)
            printf("; and %" G_GUINT64_FORMAT " more", l->more);
        putchar('\n');
    }
    if (loose->len > MOST)
        printf("and %u more ranks\n", loose->len - MOST);
}

gboolean dn_trace_print_check(const DnProgram *program, const char *path,
                              const DnDryRunResult *result, GError **error)
{
    gboolean fits = result->blocked->len == 0 && result->unreceived->len == 0 &&
                    result->unfit->len == 0;
    list_loose(program, result->blocked, "nobody answers");
    list_loose(program, result->unreceived, "nobody receives it");
    list_loose(program, result->unfit, NULL);
    if (fits)
        printf("%u ranks, %" G_GUINT64_FORMAT " messages: all are received, all ranks end\n",
               program->ranks, result->messages);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_STALLED,
                    "%s: %u of %u ranks wait for ever, %u have messages nobody receives, %u "
                    "messages that do not fit",
                    path, result->blocked->len, program->ranks, result->unreceived->len,
                    result->unfit->len);
    return fits;
}

/* ---- the matrix ---- */

static void trace_report_extremes(const double *values, guint32 n, double *least, double *most)
{
    *least = G_MAXDOUBLE;
    *most = 0;
    for (guint32 i = 0; i < n; i++) {
        *least = MIN(*least, values[i]);
        *most = MAX(*most, values[i]);
    }
}

static void bytes_line(GString *out, const char *what, double bytes)
{
    char text[DN_UNIT_BUF];
    g_string_append_printf(out, "%s %s", what, dn_format_bytes((gint64)bytes, text));
}

char *dn_trace_matrix_text(const DnTraceMatrix *m)
{
    GString *out = g_string_new(NULL);
    double least, most;
    g_string_append_printf(out, "%" G_GUINT64_FORMAT " messages,", m->messages);
    bytes_line(out, "", m->total);
    g_string_append_printf(out, "; %.6g s of computation on all ranks together\n", m->computed_s);
    trace_report_extremes(m->sent, m->ranks, &least, &most);
    bytes_line(out, "a rank sends", least);
    bytes_line(out, " to", most);
    trace_report_extremes(m->received, m->ranks, &least, &most);
    bytes_line(out, ", receives", least);
    bytes_line(out, " to", most);
    g_string_append(out, "\n\n");
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "bytes up to", DN_ALIGN_RIGHT);
    dn_table_column(table, "messages", DN_ALIGN_RIGHT);
    for (guint i = 0; i < G_N_ELEMENTS(m->sizes); i++) {
        if (m->sizes[i] == 0)
            continue;
        dn_table_row(table);
        dn_table_cell(table, "%" G_GUINT64_FORMAT, ((guint64)1 << i) - 1);
        dn_table_cell(table, "%" G_GUINT64_FORMAT, m->sizes[i]);
    }
    g_autofree char *sizes = dn_table_text(table);
    g_string_append(out, sizes);
    return g_string_free(out, FALSE);
}

/* ---- pictures ---- */

static gboolean trace_report_keep(const char *path, GString *text, GError **error)
{
    gboolean ok = dn_file_write(path, text->str, error);
    g_string_free(text, TRUE);
    return ok;
}

/* White to dark blue by the logarithm, over six decades below the largest. */
static void cell_color(double bytes, double largest, char *out, gsize space)
{
    double depth = MAX(0, 1 + log10(bytes / largest) / 6);
    g_snprintf(out, space, "#%02x%02x%02x", (guint)(230 - 222 * depth), (guint)(240 - 192 * depth),
               (guint)(255 - 148 * depth));
}

gboolean dn_trace_matrix_svg(const DnTraceMatrix *m, const char *title, const char *path,
                             GError **error)
{
    GString *out = g_string_new(NULL);
    double side = (double)SIDE_PX / m->cells;
    char text[DN_UNIT_BUF], color[8];
    g_autofree char *escaped = g_markup_escape_text(title, -1);
    g_string_append_printf(out,
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                           "font-family=\"sans-serif\" font-size=\"14\">\n"
                           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                           "<text x=\"60\" y=\"24\">%s: bytes from rank (down) to rank (across), "
                           "at most %s%s</text>\n",
                           SIDE_PX + 90, SIDE_PX + 80, escaped,
                           dn_format_bytes((gint64)m->largest, text),
                           m->cells < m->ranks ? " between groups of ranks" : "");
    for (guint32 i = 0; i < m->cells; i++)
        for (guint32 k = 0; k < m->cells; k++) {
            double bytes = m->bytes[(gsize)i * m->cells + k];
            if (bytes <= 0)
                continue;
            cell_color(bytes, m->largest, color, sizeof color);
            g_string_append_printf(out,
                                   "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" "
                                   "fill=\"%s\"/>\n",
                                   60 + k * side, 40 + i * side, side, side, color);
        }
    g_string_append_printf(out,
                           "<rect x=\"60\" y=\"40\" width=\"%d\" height=\"%d\" fill=\"none\" "
                           "stroke=\"black\"/>\n<text x=\"40\" y=\"52\">0</text>\n"
                           "<text x=\"10\" y=\"%d\">%u</text>\n<text x=\"%d\" y=\"%d\">%u</text>\n"
                           "</svg>\n",
                           SIDE_PX, SIDE_PX, SIDE_PX + 40, m->ranks - 1, SIDE_PX + 30, SIDE_PX + 60,
                           m->ranks - 1);
    return trace_report_keep(path, out, error);
}

gboolean dn_trace_matrix_csv(const DnTraceMatrix *m, const char *path, GError **error)
{
    GString *out = g_string_new("from,to,bytes\n");
    for (guint32 i = 0; i < m->cells; i++)
        for (guint32 k = 0; k < m->cells; k++)
            if (m->bytes[(gsize)i * m->cells + k] > 0)
                g_string_append_printf(
                    out, "%u,%u,%.0f\n", (guint)((guint64)i * m->ranks / m->cells),
                    (guint)((guint64)k * m->ranks / m->cells), m->bytes[(gsize)i * m->cells + k]);
    return trace_report_keep(path, out, error);
}
