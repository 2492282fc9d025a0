/* config.h - a YAML file as a tree whose every value knows where it stands.
 *
 * Built by yaml.c from libyaml events: includes spliced in, --set overrides applied. Reading a key
 * marks it consumed; dn_config_check_consumed() reports the leftovers with the nearest known key.
 * A scalar may be annotated: `{value: 200 Gb/s, source: "paper, table"}` or
 * `{value: 1 us, assumed: "reason"}`; readers see the value, `darner topo` lists the annotations.
 * Either reason, not both, and no other key beside them.
 * A range (1..30, or {from: 1, to: 30}; ranges.c) is the list of its numbers.
 * `include: other.yaml` (or a list) inside a mapping merges that file's keys under it; keys written
 * beside it win whole (no merging further down), later files win over earlier ones. Paths are
 * relative to the including file. Anchors, aliases and `<<` work. Limits: 64 levels, 64 MiB a file,
 * 256 MiB of tree (against alias and include bombs). A file is UTF-8, one document. */
#pragma once
#include "base/error.h"

typedef enum { DN_CONFIG_SCALAR, DN_CONFIG_MAP, DN_CONFIG_LIST } DnConfigKind;

typedef struct DnConfigNode DnConfigNode;
struct DnConfigNode {
    DnConfigKind kind;
    const char *file;     /* interned */
    const char *base;     /* interned: of a value of --set the file it is set in; or NULL */
    guint line, column;   /* 1-based */
    char *path;           /* "jobs[0].workload.bytes"; for messages and --set */
    char *scalar;         /* DN_CONFIG_SCALAR */
    gboolean quoted;      /* written in quotes: always a string */
    GPtrArray *keys;      /* DN_CONFIG_MAP: char*, in file order; parallel to children */
    GPtrArray *key_nodes; /* DN_CONFIG_MAP: DnConfigNode* scalar per key: its position */
    GPtrArray *children;  /* MAP and LIST: DnConfigNode* */
    gboolean consumed;
    char *source;  /* from {value:, source:}; or NULL */
    char *assumed; /* from {value:, assumed:}; or NULL */
};

/* (transfer full). @overrides: "key.path=value" strings or NULL. */
DnConfigNode *dn_config_load(const char *file, const char *const *overrides,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
DnConfigNode *dn_config_parse(const char *text, const char *file_name,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* "jobs[0].workload.bytes=1 MiB": the same checks as the file's own values. The value is parsed as
 * YAML and stands at `--set <key path>:line:column`. Absent keys are created (a misspelt one is
 * then left over and reported by its reader); list items must exist; a scalar has no keys. */
gboolean dn_config_override(DnConfigNode *root, const char *assignment, GError **error);
/* Replaces what stands at @path by @value (transfer full, even on error); errors stand at @at. */
gboolean dn_config_replace(DnConfigNode *root, const char *path, DnConfigNode *value,
                           const DnConfigNode *at, GError **error);
/* Deep; nothing in the copy is consumed. */
DnConfigNode *dn_config_copy(const DnConfigNode *node);
void dn_config_free(DnConfigNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnConfigNode, dn_config_free)

/* Child by key, marked consumed; NULL when absent. */
const DnConfigNode *dn_config_get(const DnConfigNode *map, const char *key);
/* Does what dn_config_get() does; a missing key is an error that names it. */
const DnConfigNode *dn_config_require(const DnConfigNode *map, const char *key, GError **error);
/* `key:` with nothing after it, or ~ or null. */
gboolean dn_config_is_empty(const DnConfigNode *node);
gboolean dn_config_expect(const DnConfigNode *node, DnConfigKind kind, GError **error);
/* The subtree's own text form as a message shows it: "a list", "'pingpong'". (transfer full) */
char *dn_config_describe(const DnConfigNode *node);
/* The file beside which a name in @node is looked for: where it stands, or is set by --set. */
const char *dn_config_base(const DnConfigNode *node);
/* source, assumed or description: keys for a reader of the file, which change no result. */
gboolean dn_config_is_remark(const char *key);
/* Marks @node and all below as read: for a subtree that is passed on unread. */
void dn_config_consume(const DnConfigNode *node);
/* FALSE + DN_ERROR_UNKNOWN at the first key of the subtree nobody read; @known: what would have
 * been read there (NULL-terminated), for the "did you mean". */
gboolean dn_config_check_consumed(const DnConfigNode *root, const char *const *known,
                                  GError **error);
/* Every error about a value goes through here: adds file:line:col. */
void dn_config_error(const DnConfigNode *at, DnError code, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Canonical text of the subtree (keys in file order, comments gone): input of the config hash. YAML
 * again: parsed and printed once more it is the same text. */
char *dn_config_to_string(const DnConfigNode *node);
/* (transfer full): @text as a quoted scalar of YAML: whatever it holds, it is read as that text.
 * Bytes that are not UTF-8 become U+FFFD. */
char *dn_config_quote(const char *text);
/* (transfer full): the source line a message `file:line:col: ...` points at and a caret below it,
 * two lines without a final line end; NULL when there is no such line to show. A message about a
 * value of --set shows that value, which @overrides (or NULL) still hold. */
char *dn_config_excerpt(const char *message, const char *const *overrides);
