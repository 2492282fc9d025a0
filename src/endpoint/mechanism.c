/* mechanism.c - see mechanism.h. */
#include "endpoint/mechanism.h"

#include <string.h>

const DnParamSpec dn_mechanism_params[] = {
    {"t_issue", DN_PARAM_TIME, "0", 0, 1e15, NULL, "the rank is busy this long per send"},
    {"t_start", DN_PARAM_TIME, "0", 0, 1e15, NULL, "from issue to the first byte on the wire"},
    {"t_recv", DN_PARAM_TIME, "0", 0, 1e15, NULL, "from the last byte to completion"},
    {"t_setup", DN_PARAM_TIME, "0", 0, 1e15, NULL, "extra start-up of a large transfer"},
    {"setup_threshold", DN_PARAM_BYTES, "0", 0, 1e15, NULL, "sizes from here pay t_setup"},
    {"serial", DN_PARAM_BOOL, "false", 0, 0, NULL, "sends of one source run one after another"},
    {"rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "cap of one message; 0: the links'"},
    {"eager_threshold", DN_PARAM_BYTES, "", 0, 1e15, NULL, "longer messages go by rendezvous"},
    /* assumed: a header's order of size (UCX's rendezvous request is some tens of bytes); beside
     * a network's latency it does not show */
    {"control_bytes", DN_PARAM_BYTES, "64 B", 0, 1e9, NULL, "size of an RTS or CTS on the wire"},
    {"t_control", DN_PARAM_TIME, "0", 0, 1e15, NULL, "handling of an RTS or CTS at its target"},
    {"reduce_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "local reduction; 0: free"},
    {"copy_rate", DN_PARAM_RATE, "0", 0, 1e18, NULL, "copy within a rank's memory; 0: free"},
    {0},
};

static gboolean read_mapping(const DnConfigNode *map, const char *name, DnMechanism *out,
                             GError **error)
{
    static const char *const ignore[] = {"description", "source", "assumed", NULL};
    if (map && !dn_config_expect(map, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; map && ignore[i]; i++)
        (void)dn_config_get(map, ignore[i]);
    g_autoptr(DnParams) params = dn_params_read(map, dn_mechanism_params, ignore, error);
    if (!params)
        return FALSE;
    *out = (DnMechanism){
        .name = g_intern_string(name),
        .issue_ps = dn_params_int(params, "t_issue"),
        .start_ps = dn_params_int(params, "t_start"),
        .recv_ps = dn_params_int(params, "t_recv"),
        .setup_ps = dn_params_int(params, "t_setup"),
        .setup_threshold_bytes = dn_params_int(params, "setup_threshold"),
        .serial = dn_params_bool(params, "serial"),
        .rate_bps = dn_params_int(params, "rate"),
        .rendezvous_from_bytes = dn_params_has(params, "eager_threshold")
                                     ? dn_params_int(params, "eager_threshold") + 1
                                     : 0,
        .control_bytes = dn_params_int(params, "control_bytes"),
        .control_ps = dn_params_int(params, "t_control"),
        .reduce_bps = dn_params_int(params, "reduce_rate"),
        .copy_bps = dn_params_int(params, "copy_rate"),
    };
    return TRUE;
}

static void unknown_name(const DnConfigNode *node, const DnConfigNode *known, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; known && i < known->keys->len; i++)
        g_ptr_array_add(names, g_ptr_array_index(known->keys, i));
    g_ptr_array_add(names, (gpointer) "direct");
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = dn_quote(node->scalar);
    g_autofree char *tail = dn_suggest(node->scalar, (const char *const *)names->pdata, "known");
    dn_config_error(node, DN_ERROR_UNKNOWN, error, "unknown mechanism %s on this machine%s", shown,
                    tail);
}

gboolean dn_mechanism_read(const DnConfigNode *node, const DnConfigNode *known, DnMechanism *out,
                           GError **error)
{
    *out = (DnMechanism){.name = "direct"};
    if (!node)
        return TRUE;
    if (node->kind != DN_CONFIG_SCALAR)
        return read_mapping(node, "inline", out, error);
    if (known && !dn_config_expect(known, DN_CONFIG_MAP, error))
        return FALSE;
    const DnConfigNode *entry = known ? dn_config_get(known, node->scalar) : NULL;
    if (entry)
        return read_mapping(entry, node->scalar, out, error);
    if (strcmp(node->scalar, "direct") == 0)
        return TRUE;
    unknown_name(node, known, error);
    return FALSE;
}
