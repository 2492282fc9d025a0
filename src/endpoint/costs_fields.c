/* costs_fields.c - the members of DnCosts and DnStage as tables; their lists are in mechanism.h. */
#include <stddef.h>
#include <string.h>

#include "endpoint/costs.h"

#define FIELD(struct_, type, name_, unit_, help_, member)                                          \
    {.name = #name_,                                                                               \
     .unit = unit_,                                                                                \
     .help = help_,                                                                                \
     .offset = offsetof(struct_, member),                                                          \
     .size = sizeof(type)},
#define COSTS_FIELD(type, name, unit, help) FIELD(DnCosts, type, name, unit, help, name)
#define PATH_FIELD(type, name, unit, help) FIELD(DnCosts, type, name, unit, help, path.name)
#define LOCAL_FIELD(type, name, unit, help) FIELD(DnCosts, type, name, unit, help, local.name)
#define RECEIVE_FIELD(type, name, unit, help) FIELD(DnCosts, type, name, unit, help, receive.name)
#define STAGE_FIELD(type, name, unit, help) FIELD(DnStage, type, name, unit, help, name)

const DnCostsField dn_costs_fields[] = {
    DN_COSTS_FIELDS(COSTS_FIELD, PATH_FIELD, LOCAL_FIELD, RECEIVE_FIELD){0}};
const DnCostsField dn_stage_fields[] = {DN_STAGE_FIELDS(STAGE_FIELD){0}};

void dn_costs_read_keys(const DnParams *params, const DnCostsKey *keys, DnCosts *out)
{
    for (const DnCostsKey *k = keys; k->key != NULL; k++) {
        gint64 whole = k->truth ? dn_params_bool(params, k->key) : dn_params_int(params, k->key);
        guint32 word = (guint32)whole;
        g_assert(k->size == sizeof whole || k->size == sizeof word);
        if (k->size == sizeof whole)
            memcpy((char *)out + k->offset, &whole, sizeof whole);
        else
            memcpy((char *)out + k->offset, &word, sizeof word);
    }
}

gint64 dn_costs_value(const void *costs, const DnCostsField *field)
{
    const char *at = (const char *)costs + field->offset;
    guint8 byte;
    guint16 half;
    guint32 word;
    gint64 whole;
    switch (field->size) {
    case sizeof byte:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case sizeof half:
        memcpy(&half, at, sizeof half);
        return half;
    case sizeof word:
        memcpy(&word, at, sizeof word);
        return word;
    case sizeof whole:
        memcpy(&whole, at, sizeof whole);
        return whole;
    default:
        g_assert_not_reached();
    }
}

const char *dn_stage_unit_name(guint unit)
{
    static const char *const names[DN_STAGE_UNITS] = {"copy", "post",    "proxy",
                                                      "read", "receive", "cpu"};
    g_assert(unit < DN_STAGE_UNITS);
    return names[unit];
}
