/* bottleneck_text.c - The line that says which link is the bottleneck, or else what takes the time.
 *
 * A share of half of an iteration's time or more is named as what limits; otherwise all known
 * shares are listed. */
#include "base/units.h"
#include "experiment/results.h"

#include <math.h>

#define LIMITS 0.5 /* the share of what limits alone */

/* The mechanism's cap on a message, where it is below that of the busiest link; 0: there is none,
 * or it depends on the message. */
static gint64 own_rate(const DnRunResult *result, const DnJobResult *job, guint32 link)
{
    const DnMechanism *m = job->mechanism;
    gint64 bps = m != NULL && m->n_rules <= 1 ? m->rules[0].costs.rate_bps : 0;
    return bps < dn_link_bandwidth_bps(result->machine->graph, link) ? bps : 0;
}

static char *transfer_text(const DnRunResult *result, const DnJobResult *job, guint32 link,
                           double share)
{
    char rate[DN_UNIT_BUF];
    gint64 bps = own_rate(result, job, link);
    if (bps > 0)
        return g_strdup_printf("the endpoints' rate of %s a message does (%.1f %% of an iteration)",
                               dn_format_rate(bps, rate), 100.0 * share);
    return g_strdup_printf("serialization and waits on one link after the other do (%.1f %% of an "
                           "iteration)",
                           100.0 * share);
}

static void add_share(GString *out, const char *name, double share)
{
    if (isfinite(share))
        g_string_append_printf(out, "%s%s %.1f %%", out->len > 0 ? ", " : "", name, 100.0 * share);
}

/* (transfer full): the known shares, none of which limits alone. */
static char *shares_text(const DnTimeShares *s)
{
    GString *out = g_string_new(NULL);
    const char *rest = isnan(s->compute) ? "serialization and waits"
                                         : "transfers and the endpoints' costs";
    add_share(out, "computation", s->compute);
    add_share(out, "the endpoints' costs", s->endpoint);
    add_share(out, "the program without a network", s->program);
    add_share(out, "latency", s->latency);
    add_share(out, rest, s->transfer);
    return g_string_free(out, FALSE);
}

/* (transfer full) */
static char *limit_text(const DnRunResult *result, guint32 link)
{
    const DnTimeShares *s = &result->shares;
    const DnJobResult *job = &result->jobs[s->job];
    char each[DN_UNIT_BUF];
    if (s->latency >= LIMITS && s->n > 0)
        return g_strdup_printf("latency does (%.4g step%s of %s, %.1f %% of it latency)", s->n,
                               s->n > 1 ? "s" : "", dn_format_time(s->each_ps, each),
                               100.0 * s->latency);
    if (s->latency >= LIMITS)
        return g_strdup_printf("latency does (%.1f %%)", 100.0 * s->latency);
    if (s->program >= LIMITS)
        return g_strdup_printf("the program does: without a network it takes %.1f %% of the time",
                               100.0 * s->program);
    if (s->compute >= LIMITS && job->load.intended_bps > 0)
        return g_strdup("the load that it offers does");
    if (s->compute >= LIMITS)
        return g_strdup_printf("computation does (%.1f %% of an iteration)", 100.0 * s->compute);
    if (s->endpoint >= LIMITS)
        return g_strdup_printf("the endpoints' costs do (%.1f %% of an iteration)",
                               100.0 * s->endpoint);
    if (s->transfer >= LIMITS && isfinite(s->endpoint))
        return transfer_text(result, job, link, s->transfer);
    return shares_text(s);
}

static void add_limit(GString *out, const DnRunResult *result, guint32 link)
{
    if (!result->shares.known) {
        g_string_append(out, "; no single link limits");
        return;
    }
    g_autofree char *text = limit_text(result, link);
    if (result->n_jobs > 1)
        g_string_append_printf(out, "; of job %s no single link limits; %s",
                               result->jobs[result->shares.job].name, text);
    else
        g_string_append_printf(out, "; no single link limits; %s", text);
}

char *dn_bottleneck_text(const DnRunResult *result)
{
    DnBottleneck b = dn_bottleneck(result);
    if (b.link == DN_NONE)
        return g_strdup("no link carried anything");
    char name[160], time[DN_UNIT_BUF];
    GString *out = g_string_new(dn_link_name(result->machine->graph, b.link, name));
    g_string_append_printf(out, ": busy %.1f %% of %s", 100.0 * b.busy,
                           dn_format_time(b.of_ps, time));
    if (b.stalled >= 0.0005)
        g_string_append_printf(out, ", out of credits %.1f %%", 100.0 * b.stalled);
    if (b.peers > 0)
        g_string_append_printf(out, ", and %u more link%s as busy", b.peers,
                               b.peers > 1 ? "s" : "");
    if (!dn_bottleneck_limits(&b))
        add_limit(out, result, b.link);
    return g_string_free(out, FALSE);
}
