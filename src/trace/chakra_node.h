/* chakra_node.h - The nodes of Chakra's execution traces, from their protobuf messages. */
#pragma once
#include <glib.h>

enum {
    DN_CHAKRA_METADATA = 1,
    DN_CHAKRA_MEM_LOAD,
    DN_CHAKRA_MEM_STORE,
    DN_CHAKRA_COMP,
    DN_CHAKRA_SEND,
    DN_CHAKRA_RECV,
    DN_CHAKRA_COLLECTIVE
};

/* A stretch of a message. */
typedef struct {
    const guint8 *at, *end;
    gboolean ok;
} DnChakraBytes;

/* The fields of a node that a replay needs. */
typedef struct {
    guint64 id, type, duration_us, num_ops;
    gint64 comm_type, comm_size, src, dst, tag, root; /* -1: not said */
    gboolean cpu_op;
    DnChakraBytes group;  /* name; empty: of all */
    DnChakraBytes inputs; /* their values */
} DnChakraNode;

/* A dependency of the node at hand. */
typedef struct {
    guint64 id;
    gboolean control;
} DnChakraDependency;

/* @b->ok is FALSE afterwards where the bytes end within it. */
guint64 dn_chakra_varint(DnChakraBytes *b);
/* @deps: its dependencies (DnChakraDependency), which replace what was there. FALSE: the fields do
 * not fit the length. The node points into @bytes. */
gboolean dn_chakra_node_read(DnChakraBytes bytes, DnChakraNode *node, GArray *deps);
