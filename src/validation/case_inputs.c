/* case_inputs.c - see case_inputs.h. A word that happens to be the name of a machine or workload as
 * well counts as one: a result is then taken for old without need. */
#include "validation/case_inputs.h"

#include "base/data_folders.h"
#include "base/file.h"
#include "config/config.h"

#include <string.h>

enum { HASH_DIGITS = 16, LONGEST_NAME = 255 };

typedef struct {
    GChecksum *sum;
    GHashTable *seen;  /* paths of the files that are in the sum */
    GHashTable *names; /* "folder\nname", looked for already */
} Inputs;

static void add_file(Inputs *inputs, const char *path);

static void add_text(const Inputs *inputs, const char *text)
{
    g_checksum_update(inputs->sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

static void add_found(Inputs *inputs, const char *path)
{
    if (path != NULL && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        add_file(inputs, path);
}

/* The files that @node may name: a machine, workload or population, or a file by its path. */
static void add_named(Inputs *inputs, const DnConfigNode *node)
{
    const char *name = node->scalar;
    if (name[0] == '\0' || strlen(name) > LONGEST_NAME)
        return;
    const char *base = dn_config_base(node);
    g_autofree char *folder = g_path_get_dirname(base);
    if (!g_hash_table_add(inputs->names, g_strconcat(folder, "\n", name, NULL)))
        return;
    g_autofree char *population = g_strconcat("populations/", name, NULL);
    g_autofree char *machine = dn_data_file("topologies", base, name);
    g_autofree char *workload = dn_data_file("workloads", base, name);
    g_autofree char *jobs = dn_data_file("workloads", base, population);
    g_autofree char *relative = g_path_is_absolute(name) ? g_strdup(name)
                                                         : g_build_filename(folder, name, NULL);
    add_found(inputs, machine);
    add_found(inputs, workload);
    add_found(inputs, jobs);
    add_found(inputs, relative);
}

static void add_tree(Inputs *inputs, const DnConfigNode *node)
{
    static const char *const begin[] = {
        [DN_CONFIG_SCALAR] = "=", [DN_CONFIG_MAP] = "{", [DN_CONFIG_LIST] = "["};
    add_text(inputs, begin[node->kind]);
    if (node->kind == DN_CONFIG_SCALAR) {
        add_text(inputs, node->quoted ? "quoted" : "plain");
        add_text(inputs, node->scalar);
        add_named(inputs, node);
        return;
    }
    for (guint i = 0; i < node->children->len; i++) {
        const DnConfigNode *child = node->children->pdata[i];
        const char *key = node->kind == DN_CONFIG_MAP ? node->keys->pdata[i] : "-";
        if (child->kind == DN_CONFIG_SCALAR && dn_config_is_remark(key))
            continue;
        add_text(inputs, key);
        add_tree(inputs, child);
    }
    add_text(inputs, "end");
}

static void add_bytes(const Inputs *inputs, const char *path)
{
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
    if (file != NULL)
        g_checksum_update(inputs->sum, (const guchar *)g_mapped_file_get_contents(file),
                          (gssize)g_mapped_file_get_length(file));
}

/* A YAML file by its values, any other by its bytes. */
static void add_file(Inputs *inputs, const char *path)
{
    char *whole = g_canonicalize_filename(path, NULL);
    if (!g_hash_table_add(inputs->seen, whole)) /* takes it in any case */
        return;
    g_autofree char *name = g_path_get_basename(path);
    add_text(inputs, name);
    g_autoptr(DnConfigNode)
        root = g_str_has_suffix(name, ".yaml") ? dn_config_load(path, NULL, NULL) : NULL;
    if (root != NULL)
        add_tree(inputs, root);
    else
        add_bytes(inputs, path);
}

/* FALSE for files that change no result: text, and the values that a case is compared with. */
static gboolean is_input(const char *name)
{
    static const char *const others[] = {"case.yaml", "expected.csv", NULL};
    return !g_str_has_suffix(name, ".md") && !g_strv_contains(others, name);
}

/* In the order of their names. */
static void add_folder(Inputs *inputs, const char *dir)
{
    g_autoptr(GPtrArray) names = dn_file_list(dir, NULL);
    for (guint i = 0; names != NULL && i < names->len; i++) {
        g_autofree char *path = g_build_filename(dir, names->pdata[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            add_folder(inputs, path);
        else if (is_input(names->pdata[i]))
            add_file(inputs, path);
    }
}

char *dn_case_inputs_hash(const char *dir)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Inputs inputs = {.sum = sum, .seen = seen, .names = names};
    add_folder(&inputs, dir);
    return g_strndup(g_checksum_get_string(sum), HASH_DIGITS);
}
