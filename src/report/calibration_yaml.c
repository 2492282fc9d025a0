/* calibration_yaml.c - a calibration as a mechanism for a machine to include: one mapping, or with
 * several ranges of size a list of rules. */
#include "base/number.h"
#include "config/config.h"
#include "report/calibration_report.h"

#include <math.h>
#include <string.h>

/* Four digits, without the zeros at the end. */
static const char *short_number(double value, char buf[DN_NUMBER_BUF])
{
    dn_format_digits(value, 4, buf);
    gsize n = strlen(buf);
    while (strchr(buf, '.') != NULL && (buf[n - 1] == '0' || buf[n - 1] == '.'))
        buf[--n] = '\0';
    return buf;
}

/* (transfer full), in double quotes. */
static char *source_text(const DnCalibration *c, const DnFit *fit)
{
    g_autofree char *from = dn_calibration_source(c);
    GString *why = g_string_new("calibrated on ");
    g_string_append_printf(why, "%s; residuals %.1f %%, worst %+.1f %%", from, 100.0 * fit->rms,
                           100.0 * fit->worst);
    if (c->has_path)
        g_string_append_printf(why, "; less %.4g us of path between endpoints %s",
                               c->path.latency_us, c->query->between);
    g_string_append_printf(why, "; latency shared %s (issue, start, receive); data %s",
                           c->query->split, c->data.hash);
    g_autofree char *text = g_string_free(why, FALSE);
    return dn_config_quote(text);
}

static void add_time(GString *out, const char *indent, const char *key, double us)
{
    char value[DN_NUMBER_BUF];
    g_string_append_printf(out, "%s%s: %s us\n", indent, key, short_number(us, value));
}

static void add_step(const DnCalibration *c, const DnFit *fit, const char *indent, GString *out)
{
    if (isnan(fit->step_us.value))
        return;
    if (!c->query->rendezvous) {
        add_time(out, indent, "t_setup", fit->step_us.value);
        g_string_append_printf(out, "%ssetup_threshold: %.0f B\n", indent, fit->step_from_bytes);
        return;
    }
    /* A handshake is two crossings of the path and two handlings. */
    double control = (fit->step_us.value - (c->has_path ? 2.0 * c->path.latency_us : 0.0)) / 2.0;
    add_time(out, indent, "t_control", MAX(0.0, control));
    g_string_append_printf(out, "%seager_threshold: %.0f B\n", indent, fit->step_after_bytes);
}

static void add_part(const DnCalibration *c, const DnCalibrateRange *range, const char *indent,
                     GString *out)
{
    const DnFit *fit = range->fit;
    char rate[DN_NUMBER_BUF];
    g_autofree char *source = source_text(c, fit);
    g_string_append_printf(out, "%ssource: %s\n", indent, source);
    add_time(out, indent, "t_issue", range->issue_us);
    add_time(out, indent, "t_start", range->start_us);
    add_time(out, indent, "t_recv", range->recv_us);
    add_step(c, fit, indent, out);
    if (!isnan(fit->gap_us.value))
        g_string_append_printf(out, "%sserial: true\n", indent);
    double limit = c->has_path ? c->path.bandwidth_bps * c->path.efficiency * c->path.payload
                               : INFINITY;
    /* A rate that the links give, within 2 %, is left to them. */
    if (fit->rate_bps.value < 0.98 * limit)
        g_string_append_printf(out, "%srate: %s Gb/s\n", indent,
                               short_number(fit->rate_bps.value * 1e-9, rate));
    double efficiency = dn_calibration_efficiency(c, fit);
    if (!isnan(efficiency))
        g_string_append_printf(out,
                               "%s# its narrowest link reaches the rate with efficiency %.3g\n",
                               indent, efficiency);
}

static void add_rule(const DnCalibration *c, guint p, GString *out)
{
    g_string_append(out, "  - ");
    if (p + 1 < c->n_parts)
        g_string_append_printf(out,
                               "to: {value: %.0f B, source: \"likewise: least residuals\"}\n    ",
                               c->data.points[dn_calibration_end(c, p) - 1].bytes);
    g_string_append(out, "use:\n");
    add_part(c, &c->parts[p], "      ", out);
}

char *dn_calibration_yaml(const DnCalibration *c)
{
    GString *out = g_string_new("# By `darner calibrate`; a machine takes it up with\n"
                                "#   mechanisms: {include: this-file.yaml}\n");
    g_string_append_printf(out, "%s:\n", c->query->name);
    if (c->n_parts == 1)
        add_part(c, &c->parts[0], "  ", out);
    for (guint p = 0; c->n_parts > 1 && p < c->n_parts; p++)
        add_rule(c, p, out);
    return g_string_free(out, FALSE);
}
