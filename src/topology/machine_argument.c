/* machine_argument.c - see machine_argument.h. */
#include "topology/machine_argument.h"

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

DnConfigNode *dn_machine_argument(const char *machine, const char *endpoints,
                                  const char *const *set, GError **error)
{
    /* A scalar as long as nothing is added: a path then may also be a plain file. */
    gboolean map = endpoints != NULL || set != NULL;
    g_autoptr(GString) text = g_string_new(map ? "{name: " : NULL);
    append_quoted(text, machine);
    if (endpoints != NULL) {
        g_string_append(text, ", endpoints: ");
        append_quoted(text, endpoints);
    }
    if (map)
        g_string_append_c(text, '}');
    g_autoptr(DnConfigNode) node = dn_config_parse(text->str, "command line", error);
    if (node == NULL)
        return NULL;
    for (guint i = 0; set != NULL && set[i] != NULL; i++)
        if (!dn_config_override(node, set[i], error))
            return NULL;
    return g_steal_pointer(&node);
}

DnConfigNode *dn_routing_argument(const char *routing, const char *option, GError **error)
{
    if (*routing == '{')
        return dn_config_parse(routing, option, error);
    g_autoptr(GString) text = g_string_new("{algorithm: ");
    append_quoted(text, routing);
    g_string_append_c(text, '}');
    return dn_config_parse(text->str, option, error);
}
