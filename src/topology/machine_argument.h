/* machine_argument.h - a machine as the command line names it. */
#pragma once
#include "config/config.h"

/* (transfer full): what `machine:` of a run would say: "x", or {name: x} with @endpoints ("cpu")
 * and with the overrides of @set applied; both may be NULL. NULL + DN_ERROR_*. */
DnConfigNode *dn_machine_argument(const char *machine, const char *endpoints,
                                  const char *const *set, GError **error);
/* (transfer full): "minimal", or a mapping "{algorithm: valiant, level: switch}", as `routing:` of
 * a run would say it; @option names it in errors. */
DnConfigNode *dn_routing_argument(const char *routing, const char *option, GError **error);
