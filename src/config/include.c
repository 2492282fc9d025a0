/* include.c - files to trees: reading, splicing includes, unwrapping annotated values.
 *
 * A raw tree is walked bottom up: children first, then `<<` and `include` of their mapping, then
 * the mapping itself if it is {value:, source:}. A file may be included twice side by side; inside
 * itself it is a cycle, known by device and inode, so that links cannot hide it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input_files.h"
#include "base/interrupt.h"
#include "config/config_internal.h"
#include "base/compare.h"

typedef struct {
    char *name;
    dev_t device;
    ino_t inode;
} DnConfigFile;

static gboolean include_resolve(DnConfigNode **slot, DnConfigLoader *loader, GError **error);

static void file_free(gpointer data)
{
    DnConfigFile *file = data;
    g_free(file->name);
    g_free(file);
}

DnConfigLoader *dn_config_loader_new(void)
{
    DnConfigLoader *loader = g_new0(DnConfigLoader, 1);
    loader->budget = DN_CONFIG_MAX_TREE;
    loader->chain = g_ptr_array_new_with_free_func(file_free);
    return loader;
}

void dn_config_loader_free(DnConfigLoader *loader)
{
    if (loader == NULL)
        return;
    g_ptr_array_unref(loader->chain);
    g_free(loader);
}

static gboolean push_file(DnConfigLoader *loader, const char *path, const struct stat *status,
                          const DnConfigNode *at, GError **error)
{
    gboolean cycle = FALSE;
    GString *chain = g_string_new(NULL);
    for (guint i = 0; i < loader->chain->len; i++) {
        const DnConfigFile *file = loader->chain->pdata[i];
        cycle = cycle || (file->device == status->st_dev && file->inode == status->st_ino);
        if (cycle)
            g_string_append_printf(chain, "%s -> ", file->name);
    }
    g_string_append(chain, path);
    g_autofree char *names = g_string_free(chain, FALSE);
    if (cycle) {
        dn_config_error(at, DN_ERROR_CYCLE, error, "include cycle: %s", names);
        return FALSE;
    }
    if (loader->chain->len >= DN_CONFIG_MAX_DEPTH) {
        dn_config_error(at, DN_ERROR_RANGE, error, "includes nest too deep; allowed: %d levels",
                        DN_CONFIG_MAX_DEPTH);
        return FALSE;
    }
    DnConfigFile *file = g_new0(DnConfigFile, 1);
    file->name = g_strdup(path);
    file->device = status->st_dev;
    file->inode = status->st_ino;
    g_ptr_array_add(loader->chain, file);
    return TRUE;
}

/* Appends the file's bytes, at most one more than allowed; FALSE: errno. */
static gboolean include_slurp(int fd, GByteArray *bytes)
{
    guint8 block[1 << 16];
    while (bytes->len <= DN_CONFIG_MAX_FILE) {
        if (!dn_file_wait(fd))
            return FALSE;
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return n == 0;
        g_byte_array_append(bytes, block, (guint)n);
    }
    return TRUE;
}

static char *stem_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name ? g_strndup(name, (gsize)(dot - name)) : g_strdup(name);
}

/* A neighbour of nearly the same name; a listing costs nothing next to a puzzled user. The ending
 * does not count: all have the same. */
static char *suggest_file(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *base = g_path_get_basename(path);
    g_autofree char *stem = stem_of(base);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name = NULL;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL)
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, dn_compare_texts); /* folders list in any order */
    g_autoptr(GPtrArray) stems = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < names->len; i++)
        g_ptr_array_add(stems, stem_of(names->pdata[i]));
    g_ptr_array_add(stems, NULL);
    const char *nearest = dn_nearest(stem, (const char *const *)stems->pdata);
    for (guint i = 0; nearest != NULL && i < names->len; i++)
        if (stems->pdata[i] == nearest)
            return g_strdup_printf("; did you mean '%s'?", (const char *)names->pdata[i]);
    return g_strdup("");
}

/* @at: of the file's name, or NULL. */
static void open_error(const char *path, const DnConfigNode *at, int why, GError **error)
{
    g_autofree char *shown = dn_quote(path);
    g_autofree char *tail = why == ENOENT ? suggest_file(path) : g_strdup("");
    if (at == NULL) /* a file that is not there has no lines */
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot read: %s%s", path, g_strerror(why),
                    tail);
    else
        dn_config_error(at, DN_ERROR_FILE, error, "cannot read %s: %s%s", shown, g_strerror(why),
                        tail);
}

static GByteArray *read_bytes(const char *path, const DnConfigNode *at, struct stat *status,
                              GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe may have no writer yet */
    if (fd < 0) {
        open_error(path, at, errno, error);
        return NULL;
    }
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    int failure = 0;
    if (fstat(fd, status) != 0)
        failure = errno;
    else if (S_ISDIR(status->st_mode))
        failure = EISDIR;
    else if (!include_slurp(fd, bytes))
        failure = errno;
    close(fd);
    if (failure == EINTR && !dn_interrupt_check(error))
        return NULL;
    if (failure != 0) {
        open_error(path, at, failure, error);
        return NULL;
    }
    if (bytes->len > DN_CONFIG_MAX_FILE) {
        g_autofree char *shown = dn_quote(path);
        DnConfigNode start = {.file = path, .line = 1, .column = 1};
        dn_config_error(at != NULL ? at : &start, DN_ERROR_RANGE, error,
                        "%s is too large; allowed: %d MiB", shown, (int)(DN_CONFIG_MAX_FILE >> 20));
        return NULL;
    }
    dn_input_files_note(path, bytes->data, bytes->len);
    return g_steal_pointer(&bytes);
}

DnConfigNode *dn_config_read_file(const char *path, const DnConfigNode *at, DnConfigLoader *loader,
                                  GError **error)
{
    enum { FILE_COST = 4096 }; /* makes a bomb of many tiny files finite too */
    DnConfigNode start = {.file = g_intern_string(path), .line = 1, .column = 1};
    const DnConfigNode *report = at != NULL ? at : &start;
    struct stat status = {0};
    g_autoptr(GByteArray) bytes = read_bytes(path, at, &status, error);
    if (bytes == NULL || !dn_config_charge(&loader->budget, FILE_COST, report, error) ||
        !push_file(loader, path, &status, report, error))
        return NULL;
    DnConfigNode *root =
        dn_yaml_parse((const char *)bytes->data, bytes->len, path, &loader->budget, error);
    if (root != NULL &&
        (!dn_config_expect(root, DN_CONFIG_MAP, error) || !include_resolve(&root, loader, error)))
        g_clear_pointer(&root, dn_config_free);
    g_ptr_array_set_size(loader->chain, (gint)loader->chain->len - 1);
    return root;
}

DnConfigNode *dn_config_read_text(const char *text, const char *file_name, GError **error)
{
    g_autoptr(DnConfigLoader) loader = dn_config_loader_new();
    struct stat status = {0};
    if (stat(file_name, &status) == 0 && !push_file(loader, file_name, &status, NULL, error))
        return NULL;
    DnConfigNode *root = dn_yaml_parse(text, strlen(text), file_name, &loader->budget, error);
    if (root != NULL && !include_resolve(&root, loader, error))
        g_clear_pointer(&root, dn_config_free);
    return root;
}

/* Moves every pair of @from to @into; a key already there keeps its place and takes the value. */
static void merge_map(DnConfigNode *into, DnConfigNode *from)
{
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < into->keys->len; i++)
        g_hash_table_insert(index, into->keys->pdata[i], GUINT_TO_POINTER(i + 1));
    for (guint i = 0; i < from->keys->len; i++) {
        DnConfigNode *key_node = g_steal_pointer(&from->key_nodes->pdata[i]);
        DnConfigNode *child = g_steal_pointer(&from->children->pdata[i]);
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(index, from->keys->pdata[i]));
        if (at == 0) {
            dn_config_map_add(into, from->keys->pdata[i], key_node, child);
            continue;
        }
        dn_config_free(into->key_nodes->pdata[at - 1]);
        dn_config_free(into->children->pdata[at - 1]);
        into->key_nodes->pdata[at - 1] = key_node;
        into->children->pdata[at - 1] = child;
    }
}

static char *sibling_path(const DnConfigNode *name)
{
    if (g_path_is_absolute(name->scalar) || g_str_has_prefix(name->file, "--set "))
        return g_strdup(name->scalar);
    g_autofree char *folder = g_path_get_dirname(name->file);
    return strcmp(folder, ".") == 0 ? g_strdup(name->scalar)
                                    : g_build_filename(folder, name->scalar, NULL);
}

static gboolean include_one(DnConfigNode *into, DnConfigNode *name, DnConfigLoader *loader,
                            GError **error)
{
    if (name->kind != DN_CONFIG_SCALAR || name->scalar[0] == '\0') {
        g_autofree char *found = dn_config_describe(name);
        dn_config_error(name, DN_ERROR_TYPE, error,
                        "include: a file name or a list of them is wanted, not %s", found);
        return FALSE;
    }
    g_autofree char *path = sibling_path(name);
    g_autoptr(DnConfigNode) root = dn_config_read_file(path, name, loader, error);
    if (root == NULL || !dn_config_expect(root, DN_CONFIG_MAP, error))
        return FALSE;
    merge_map(into, root);
    return TRUE;
}

static gboolean merge_one(DnConfigNode *into, DnConfigNode *value, DnConfigLoader *loader,
                          GError **error)
{
    if (value->kind != DN_CONFIG_MAP) {
        dn_config_error(value, DN_ERROR_TYPE, error, "<<: a mapping or a list of them is wanted");
        return FALSE;
    }
    merge_map(into, value);
    return TRUE;
}

/* The named key taken out of @map; its parts merged into @into in order. */
static gboolean splice_key(DnConfigNode *map, const char *key, DnConfigNode *into,
                           gboolean (*one)(DnConfigNode *, DnConfigNode *, DnConfigLoader *,
                                           GError **),
                           DnConfigLoader *loader, GError **error)
{
    guint i = 0;
    if (!dn_config_find(map, key, &i))
        return TRUE;
    DnConfigNode *value = map->children->pdata[i];
    gboolean ok = TRUE;
    if (value->kind != DN_CONFIG_LIST)
        ok = one(into, value, loader, error);
    for (guint k = 0; ok && value->kind == DN_CONFIG_LIST && k < value->children->len; k++)
        ok = one(into, value->children->pdata[k], loader, error);
    if (ok)
        dn_config_map_remove(map, key);
    return ok;
}

static gboolean splice_all(DnConfigNode *map, DnConfigLoader *loader, GError **error)
{
    guint i = 0;
    if (!dn_config_find(map, "include", &i) && !dn_config_find(map, "<<", &i))
        return TRUE;
    g_autoptr(DnConfigNode)
        merged = dn_config_node_new(DN_CONFIG_MAP, map->file, map->line, map->column);
    if (!splice_key(map, "include", merged, include_one, loader, error) ||
        !splice_key(map, "<<", merged, merge_one, loader, error))
        return FALSE;
    merge_map(merged, map); /* what is written here wins */
    GPtrArray *arrays[] = {map->keys, map->key_nodes, map->children};
    map->keys = merged->keys;
    map->key_nodes = merged->key_nodes;
    map->children = merged->children;
    merged->keys = arrays[0];
    merged->key_nodes = arrays[1];
    merged->children = arrays[2];
    return TRUE;
}

static gboolean check_annotation(const DnConfigNode *map, gboolean *is_one, GError **error)
{
    guint value = 0, source = 0, assumed = 0;
    gboolean sourced = dn_config_find(map, "source", &source);
    gboolean guessed = dn_config_find(map, "assumed", &assumed);
    *is_one = dn_config_find(map, "value", &value) && (sourced || guessed);
    if (!*is_one)
        return TRUE;
    if (sourced && guessed) {
        dn_config_error(map->key_nodes->pdata[MAX(source, assumed)], DN_ERROR_SYNTAX, error,
                        "a value has a source: or is assumed:, not both");
        return FALSE;
    }
    guint reason = sourced ? source : assumed;
    for (guint i = 0; i < map->keys->len; i++) {
        if (i == value || i == reason)
            continue;
        g_autofree char *shown = dn_quote(map->keys->pdata[i]);
        dn_config_error(map->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error,
                        "unknown key %s beside value:; allowed: value, and source or assumed",
                        shown);
        return FALSE;
    }
    const DnConfigNode *why = map->children->pdata[reason];
    const DnConfigNode *child = map->children->pdata[value];
    if (why->kind != DN_CONFIG_SCALAR || why->scalar[0] == '\0') {
        dn_config_error(why, DN_ERROR_TYPE, error, "%s: a text that says where from is wanted",
                        (const char *)map->keys->pdata[reason]);
        return FALSE;
    }
    if (child->source != NULL || child->assumed != NULL) {
        dn_config_error(child, DN_ERROR_SYNTAX, error, "a value is annotated twice");
        return FALSE;
    }
    return TRUE;
}

/* {value: x, source: why} becomes x, which keeps the reason. */
static gboolean include_unwrap(DnConfigNode **slot, GError **error)
{
    DnConfigNode *map = *slot;
    gboolean is_one = FALSE;
    if (!check_annotation(map, &is_one, error))
        return FALSE;
    if (!is_one)
        return TRUE;
    guint i = 0, reason = 0;
    dn_config_find(map, "value", &i);
    DnConfigNode *value = g_steal_pointer(&map->children->pdata[i]);
    gboolean sourced = dn_config_find(map, "source", &reason);
    if (!sourced)
        dn_config_find(map, "assumed", &reason);
    const DnConfigNode *why = map->children->pdata[reason];
    *(sourced ? &value->source : &value->assumed) = g_strdup(why->scalar);
    dn_config_free(map);
    *slot = value;
    return TRUE;
}

static gboolean include_resolve(DnConfigNode **slot, DnConfigLoader *loader, GError **error)
{
    DnConfigNode *node = *slot;
    if (node->kind == DN_CONFIG_SCALAR)
        return TRUE;
    for (guint i = 0; i < node->children->len; i++) {
        DnConfigNode *child = node->children->pdata[i];
        gboolean ok = include_resolve(&child, loader, error);
        node->children->pdata[i] = child;
        if (!ok)
            return FALSE;
    }
    if (node->kind == DN_CONFIG_LIST)
        return TRUE;
    return splice_all(node, loader, error) && include_unwrap(slot, error);
}
