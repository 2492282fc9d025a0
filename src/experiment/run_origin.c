/* run_origin.c - see run_origin.h: timing.json has the name of the run file, summary.json the
 * hashes of its points. */
#include "experiment/run_origin.h"

#include "base/input_files.h"

#include <json-glib/json-glib.h>

#define MOST_LEVELS 500

/* TRUE: @text is one JSON object as a run writes it: no comments, nothing behind it, not too deep.
 * json-glib reads levels by recursion, and leaks a value that another one follows. */
static gboolean is_one_object(const char *text)
{
    guint depth = 0, objects = 0;
    gboolean quoted = FALSE;
    for (const char *p = text; *p != '\0'; p++) {
        if (quoted) {
            if (*p == '\\' && p[1] != '\0')
                p++;
            else
                quoted = *p != '"';
            continue;
        }
        if (g_ascii_isspace(*p))
            continue;
        quoted = *p == '"';
        if (*p == '/' || (depth == 0 && (*p != '{' || objects++ > 0)))
            return FALSE;
        if (*p == '[' || *p == '{')
            depth++;
        else if (*p == ']' || *p == '}')
            depth--;
        if (depth > MOST_LEVELS)
            return FALSE;
    }
    return depth == 0 && objects == 1;
}

/* An object; NULL + error. */
static JsonParser *run_origin_parse(const char *folder, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    g_autoptr(JsonParser) parser = json_parser_new();
    if (!g_file_get_contents(path, &text, NULL, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: cannot read it; wanted: the folder a run wrote, e.g. out/quickstart",
                    path);
        return NULL;
    }
    if (!is_one_object(text) || !json_parser_load_from_data(parser, text, -1, &problem) ||
        json_parser_get_root(parser) == NULL ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser))) {
        /* it may be cut inside of a character */
        g_autofree char *why = g_utf8_make_valid(problem != NULL ? problem->message : "", -1);
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: not what a run wrote%s%s", path,
                    problem != NULL ? ": " : "", why);
        return NULL;
    }
    return g_steal_pointer(&parser);
}

/* Member @name of that type, or NULL. */
static JsonNode *member_of(JsonObject *object, const char *name, JsonNodeType type)
{
    JsonNode *node = json_object_has_member(object, name) ? json_object_get_member(object, name)
                                                          : NULL;
    return node != NULL && JSON_NODE_TYPE(node) == type ? node : NULL;
}

static char *text_of(JsonObject *object, const char *name)
{
    JsonNode *node = member_of(object, name, JSON_NODE_VALUE);
    return node != NULL && json_node_get_value_type(node) == G_TYPE_STRING
               ? g_strdup(json_node_get_string(node))
               : NULL;
}

static char **words_of(JsonObject *object, const char *name)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    JsonNode *node = member_of(object, name, JSON_NODE_ARRAY);
    JsonArray *list = node != NULL ? json_node_get_array(node) : NULL;
    for (guint i = 0; list != NULL && i < json_array_get_length(list); i++) {
        JsonNode *item = json_array_get_element(list, i);
        if (JSON_NODE_HOLDS_VALUE(item) && json_node_get_value_type(item) == G_TYPE_STRING)
            g_ptr_array_add(words, (gpointer)json_node_get_string(item));
    }
    g_ptr_array_add(words, NULL);
    return g_strdupv((char **)words->pdata);
}

static void read_points(DnRunOrigin *origin, JsonObject *summary)
{
    JsonNode *node = member_of(summary, "points", JSON_NODE_ARRAY);
    JsonArray *list = node != NULL ? json_node_get_array(node) : NULL;
    for (guint i = 0; list != NULL && i < json_array_get_length(list); i++) {
        JsonNode *item = json_array_get_element(list, i);
        if (JSON_NODE_HOLDS_OBJECT(item))
            g_ptr_array_add(origin->hashes, text_of(json_node_get_object(item), "config_hash"));
    }
}

DnRunOrigin *dn_run_origin_read(const char *folder, GError **error)
{
    g_autoptr(DnRunOrigin) origin = g_new0(DnRunOrigin, 1);
    origin->folder = g_strdup(folder);
    origin->hashes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(JsonParser) summary = run_origin_parse(folder, "summary.json", error);
    g_autoptr(JsonParser) timing = summary != NULL ? run_origin_parse(folder, "timing.json", error)
                                                   : NULL;
    if (timing == NULL)
        return NULL;
    JsonObject *ran = json_node_get_object(json_parser_get_root(timing));
    origin->file = text_of(ran, "run_file");
    origin->set = words_of(ran, "set");
    origin->inputs = words_of(ran, "inputs");
    origin->name = text_of(json_node_get_object(json_parser_get_root(summary)), "run");
    read_points(origin, json_node_get_object(json_parser_get_root(summary)));
    if (origin->file == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s: timing.json does not say which file was run; run it again with `darner "
                    "run`",
                    folder);
        return NULL;
    }
    if (origin->hashes->len == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s: no point of this run is complete; run it again", folder);
        return NULL;
    }
    return g_steal_pointer(&origin);
}

void dn_run_origin_free(DnRunOrigin *origin)
{
    if (origin == NULL)
        return;
    g_free(origin->folder);
    g_free(origin->file);
    g_free(origin->name);
    g_strfreev(origin->set);
    g_strfreev(origin->inputs);
    g_ptr_array_unref(origin->hashes);
    g_free(origin);
}

/* The files of the run are there as they were. */
static gboolean check_files(const DnRunOrigin *origin, GError **error)
{
    const char *path;
    if (!g_file_test(origin->file, G_FILE_TEST_EXISTS)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: the run file of %s is not there any more; move it back, or run it again "
                    "where it is now",
                    origin->file, origin->folder);
        return FALSE;
    }
    for (guint i = 0; origin->inputs[i] != NULL; i++)
        if (!dn_input_files_unchanged(origin->inputs[i], &path)) {
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s: %s since %s was run; %srun it again",
                        path, g_file_test(path, G_FILE_TEST_EXISTS) ? "has changed" : "has gone",
                        origin->folder,
                        g_file_test(path, G_FILE_TEST_EXISTS) ? "" : "put it back, or ");
            return FALSE;
        }
    return TRUE;
}

DnRunSpec *dn_run_origin_spec(const DnRunOrigin *origin, guint point, GError **error)
{
    const char *const *set = (const char *const *)origin->set;
    if (point >= origin->hashes->len) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "--point %u: %s has points 0 to %u", point,
                    origin->folder, origin->hashes->len - 1);
        return NULL;
    }
    if (!check_files(origin, error))
        return NULL;
    g_autoptr(DnSweep) sweep = dn_sweep_load(origin->file, set, error);
    if (sweep == NULL)
        return NULL;
    g_autoptr(DnRunSpec) spec = NULL;
    if (point < sweep->n_points) {
        spec = dn_sweep_spec(sweep, point, error);
        if (spec == NULL)
            return NULL;
    }
    if (spec != NULL && g_strcmp0(spec->hash, origin->hashes->pdata[point]) == 0)
        return g_steal_pointer(&spec);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "%s: says something else than when %s was run (config %s); run it again",
                origin->file, origin->folder, (const char *)origin->hashes->pdata[point]);
    return NULL;
}
