/* chakra_node.c - The nodes of Chakra's traces are read from protobuf messages (et_def.proto). */
#include "trace/chakra_node.h"

#include <string.h>

/* ---- protobuf ---- */

guint64 dn_chakra_varint(DnChakraBytes *b)
{
    guint64 value = 0;
    for (guint shift = 0; shift < 70; shift += 7) {
        if (b->at == b->end)
            break;
        guint8 byte = *b->at++;
        if (shift < 64)
            value |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    b->ok = FALSE;
    return 0;
}

static DnChakraBytes get_part(DnChakraBytes *b)
{
    guint64 n = dn_chakra_varint(b);
    if (n > (guint64)(b->end - b->at)) {
        b->ok = FALSE;
        n = 0;
    }
    DnChakraBytes part = {b->at, b->at + n, b->ok};
    b->at += n;
    return part;
}

typedef struct {
    guint64 field, number; /* number: of a varint or fixed field */
    DnChakraBytes part;    /* of others */
    gboolean is_part, is_fixed;
} Field;

/* FALSE: at the end, or b->ok is FALSE. */
static gboolean get_field(DnChakraBytes *b, Field *f)
{
    if (!b->ok || b->at == b->end)
        return FALSE;
    guint64 key = dn_chakra_varint(b);
    guint wire = key & 7, fixed = wire == 1 ? 8 : 4;
    *f = (Field){.field = key >> 3, .is_part = wire == 2, .is_fixed = wire == 1 || wire == 5};
    if (wire == 0) {
        f->number = dn_chakra_varint(b);
    } else if (wire == 2) {
        f->part = get_part(b);
    } else if ((wire == 1 || wire == 5) && (gsize)(b->end - b->at) >= fixed) {
        for (guint i = fixed; i-- > 0;)
            f->number = f->number << 8 | b->at[i];
        b->at += fixed;
    } else {
        b->ok = FALSE;
    }
    return b->ok;
}

static gboolean is_named(const DnChakraBytes *name, const char *wanted)
{
    gsize n = (gsize)(name->end - name->at);
    return n == strlen(wanted) && memcmp(name->at, wanted, n) == 0;
}

/* ---- nodes ---- */

static void set_attribute(DnChakraNode *node, const DnChakraBytes *name, gint64 value,
                          const DnChakraBytes *text)
{
    static const struct {
        const char *name;
        gsize offset;
    } numbers[] = {{"comm_type", G_STRUCT_OFFSET(DnChakraNode, comm_type)},
                   {"comm_size", G_STRUCT_OFFSET(DnChakraNode, comm_size)},
                   {"comm_src", G_STRUCT_OFFSET(DnChakraNode, src)},
                   {"comm_dst", G_STRUCT_OFFSET(DnChakraNode, dst)},
                   {"comm_tag", G_STRUCT_OFFSET(DnChakraNode, tag)},
                   {"root", G_STRUCT_OFFSET(DnChakraNode, root)},
                   {"num_ops", G_STRUCT_OFFSET(DnChakraNode, num_ops)}};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (is_named(name, numbers[i].name))
            G_STRUCT_MEMBER(gint64, node, numbers[i].offset) = value;
    if (is_named(name, "is_cpu_op"))
        node->cpu_op = value != 0;
    if (is_named(name, "pg_name") && !is_named(text, "0"))
        node->group = *text;
}

/* A double (3) or float (5) as a whole number; beyond 64 bits, the largest. */
static gint64 whole_of(const Field *f)
{
    guint32 low = (guint32)f->number;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &f->number, sizeof value);
    if (f->field == 5)
        value = (double)single;
    return value >= -9e18 && value <= 9e18 ? (gint64)value : G_MAXINT64;
}

/* 15, 17: zigzag. */
static gboolean read_attribute(DnChakraNode *node, DnChakraBytes bytes)
{
    DnChakraBytes name = {0}, text = {0};
    gint64 value = 0;
    Field f;
    while (get_field(&bytes, &f)) {
        if (f.field == 1 && f.is_part)
            name = f.part;
        else if (f.field > 2 && f.is_part)
            text = f.part;
        else if (f.field == 15 || f.field == 17)
            value = (gint64)(f.number >> 1 ^ -(f.number & 1));
        else if (f.is_fixed && (f.field == 3 || f.field == 5))
            value = whole_of(&f);
        else if (f.field == 7)
            value = (gint32)f.number;
        else if (f.field > 2)
            value = (gint64)f.number;
    }
    if (bytes.ok && name.at)
        set_attribute(node, &name, value, &text);
    return bytes.ok;
}

/* The text of all values of a node's inputs. */
static gboolean read_inputs(DnChakraNode *node, DnChakraBytes bytes)
{
    Field f;
    while (get_field(&bytes, &f))
        if (f.field == 1 && f.is_part)
            node->inputs = f.part;
    return bytes.ok;
}

static gboolean read_deps(GArray *deps, const Field *f)
{
    DnChakraBytes part = f->part;
    DnChakraDependency dep = {f->number, f->field == 4};
    if (!f->is_part)
        g_array_append_val(deps, dep);
    while (f->is_part && part.ok && part.at != part.end) {
        dep.id = dn_chakra_varint(&part);
        if (part.ok)
            g_array_append_val(deps, dep);
    }
    return !f->is_part || part.ok;
}

gboolean dn_chakra_node_read(DnChakraBytes bytes, DnChakraNode *node, GArray *deps)
{
    Field f;
    gboolean ok = TRUE;
    *node = (DnChakraNode){.comm_type = -1, .comm_size = -1, .src = -1, .dst = -1};
    g_array_set_size(deps, 0);
    while (ok && get_field(&bytes, &f)) {
        if (f.field == 1 && !f.is_part)
            node->id = f.number;
        else if (f.field == 3 && !f.is_part)
            node->type = f.number;
        else if (f.field == 7 && !f.is_part)
            node->duration_us = f.number;
        else if (f.field == 4 || f.field == 5)
            ok = read_deps(deps, &f);
        else if (f.field == 8)
            ok = f.is_part && read_inputs(node, f.part);
        else if (f.field == 10)
            ok = f.is_part && read_attribute(node, f.part);
    }
    return ok && bytes.ok;
}
