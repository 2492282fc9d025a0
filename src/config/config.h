/* config.h - a YAML file as a tree whose every value knows where it stands.
 *
 * Built by yaml.c from libyaml events: includes spliced in, --set overrides applied. Reading a key
 * marks it consumed; dn_config_check_consumed() reports the leftovers with the nearest known key.
 * A scalar may be annotated: `{value: 200 Gb/s, source: "paper, table"}` or
 * `{value: 1 us, assumed: "reason"}`; readers see the value, `darner topo` lists the annotations.
 * `include: other.yaml` (or a list) inside a mapping merges that file's keys under it; keys written
 * beside it win. Paths are relative to the including file. */
#pragma once
#include "base/error.h"

typedef enum { DN_CONFIG_SCALAR, DN_CONFIG_MAP, DN_CONFIG_LIST } DnConfigKind;

typedef struct DnConfigNode DnConfigNode;
struct DnConfigNode {
    DnConfigKind kind;
    const char *file; /* interned */
    guint line, column; /* 1-based */
    char *path;         /* "jobs[0].workload.bytes"; for messages and --set */
    char *scalar;       /* DN_CONFIG_SCALAR */
    gboolean quoted;    /* written in quotes: always a string */
    GPtrArray *keys;    /* DN_CONFIG_MAP: char*, in file order; parallel to children */
    GPtrArray *key_nodes; /* DN_CONFIG_MAP: DnConfigNode* scalar per key: its position */
    GPtrArray *children; /* MAP and LIST: DnConfigNode* */
    gboolean consumed;
    char *source;  /* from {value:, source:}; or NULL */
    char *assumed; /* from {value:, assumed:}; or NULL */
};

/* (transfer full). @overrides: "key.path=value" strings or NULL. */
DnConfigNode *dn_config_load(const char *file, const char *const *overrides,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
DnConfigNode *dn_config_parse(const char *text, const char *file_name,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same checks as the file's own values: the path must exist or be an absent key of an existing
 * mapping; list items are addressed [i]. The value is parsed as YAML. */
gboolean dn_config_override(DnConfigNode *root, const char *assignment, GError **error);
DnConfigNode *dn_config_copy(const DnConfigNode *node);
void dn_config_free(DnConfigNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnConfigNode, dn_config_free)

/* Child by key, marked consumed; NULL when absent. */
const DnConfigNode *dn_config_get(const DnConfigNode *map, const char *key);
/* As above, but absent is an error naming the key. */
const DnConfigNode *dn_config_require(const DnConfigNode *map, const char *key, GError **error);
gboolean dn_config_expect(const DnConfigNode *node, DnConfigKind kind, GError **error);
/* FALSE + DN_ERROR_UNKNOWN at the first key of the subtree nobody read; @known: what would have
 * been read there (NULL-terminated), for the "did you mean". */
gboolean dn_config_check_consumed(const DnConfigNode *root, const char *const *known,
                                  GError **error);
/* Every error about a value goes through here: adds file:line:col. */
void dn_config_error(const DnConfigNode *at, DnError code, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Canonical text of the subtree (keys in file order, comments gone): input of the config hash. */
char *dn_config_to_string(const DnConfigNode *node);
