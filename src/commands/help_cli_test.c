/* help_cli_test.c - `darner help`: topics, wrong topics, the schema; and the tables of the READMEs,
 * which are what help prints. */
#include "commands/cli_test.h"
#include "report/help_text.h"
#include <json-glib/json-glib.h>
#include <string.h>

/* ---- the tables behind it ---- */

/* A key whose value has a structure has a form, so that help and schema can say what it holds. */
static void test_forms(void)
{
    g_autoptr(GPtrArray) topics = dn_topics_new();
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        g_assert_nonnull(topic->help);
        for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++) {
            g_assert_true(spec->help != NULL && spec->help[0] != '\0');
            if (spec->type == DN_PARAM_NODE && dn_topic_form(topic, spec) == NULL)
                g_error("%s: key '%s' has no form", topic->name, spec->key);
        }
    }
}

/* Each word after an @ is a topic with keys of its own. */
static void test_references(void)
{
    g_autoptr(GPtrArray) topics = dn_topics_new();
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        for (const DnHelpForm *f = topic->forms; f != NULL && f->key != NULL; f++)
            for (const char *at = strchr(f->form, '@'); at != NULL; at = strchr(at + 1, '@')) {
                g_autofree char *name = g_strndup(at + 1, strcspn(at + 1, "|]}"));
                const DnTopic *other = dn_topic_find(topics, g_strstrip(name));
                if (other == NULL)
                    g_error("%s: %s: no topic '%s'", topic->name, f->key, name);
            }
    }
}

/* Every registered type says what it does and where it comes from. */
static void test_types(void)
{
    static const char *const families[] = {"workload ", "routing ", "machine fabric ", "library "};
    g_autoptr(GPtrArray) topics = dn_topics_new();
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        for (guint f = 0; f < G_N_ELEMENTS(families); f++)
            if (g_str_has_prefix(topic->name, families[f]) && topic->source == NULL)
                g_error("%s: no source", topic->name);
        if (topic->value != NULL && !g_str_has_prefix(topic->name, "workload "))
            g_assert_nonnull(topic->limits);
    }
}

/* ---- the command ---- */

static void test_topics(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) all = cli_run(f, "help");
    g_assert_nonnull(strstr(all.out, "\n  workload "));
    g_auto(CliAnswer) jobs = cli_run(f, "help", "run", "jobs");
    g_assert_cmpint(jobs.status, ==, 0);
    g_assert_nonnull(strstr(jobs.out, "an aggregated packet takes one path"));
    g_assert_nonnull(
        strstr(jobs.out, "\n  packet_aggregation: whole number, 1 to 64, default 1\n"));
    g_assert_nonnull(strstr(jobs.out, "random_switch"));
    g_auto(CliAnswer) halo = cli_run(f, "help", "halo");
    g_assert_true(g_str_has_prefix(halo.out, "workload halo - "));
    g_assert_nonnull(strstr(halo.out, "\nSource: Gropp"));
    g_auto(CliAnswer) dragonfly = cli_run(f, "help", "machine", "fabric", "dragonfly");
    g_assert_nonnull(strstr(dragonfly.out, "\nLimitations: "));
    g_assert_nonnull(strstr(dragonfly.out, "\n  groups: whole number, "));
    g_auto(CliAnswer) metrics = cli_run(f, "help", "metrics");
    g_assert_nonnull(strstr(metrics.out, "\n  time_median_s "));
    g_auto(CliAnswer) costs = cli_run(f, "help", "costs");
    g_assert_nonnull(strstr(costs.out, "\n  ack_ns "));
    g_auto(CliAnswer) command = cli_run(f, "help", "compare");
    g_assert_nonnull(strstr(command.out, "darner compare"));
}

static void test_unknown(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) near = cli_run(f, "help", "routin");
    g_assert_cmpint(near.status, ==, 2);
    g_assert_nonnull(strstr(near.err, "unknown topic 'routin'; did you mean 'routing'?"));
    g_auto(CliAnswer) type = cli_run(f, "help", "workload", "hallo");
    g_assert_cmpint(type.status, ==, 2);
    g_assert_nonnull(strstr(type.err, "did you mean 'workload halo'?"));
    g_auto(CliAnswer) several = cli_run(f, "help", "allreduce");
    g_assert_cmpint(several.status, ==, 2);
    g_assert_nonnull(strstr(several.err, "several topics end in 'allreduce': "));
    g_assert_nonnull(strstr(several.err, "'workload allreduce'"));
    g_auto(CliAnswer) far = cli_run(f, "help", "xyzzy");
    g_assert_cmpint(far.status, ==, 2);
    g_assert_cmpstr(far.out, ==, "");
}

static void test_schema(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) run = cli_run(f, "help", "--schema");
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, run.out, -1, NULL));
    JsonObject *root = json_node_get_object(json_parser_get_root(parser));
    g_assert_cmpstr(json_object_get_string_member(root, "$schema"), ==,
                    "https://json-schema.org/draft/2020-12/schema");
    JsonObject *defs = json_object_get_object_member(root, "$defs");
    g_assert_true(json_object_has_member(defs, "run"));
    g_assert_true(json_object_has_member(defs, "machine"));
    g_assert_true(json_object_has_member(defs, "run.jobs"));
}

/* What stands between <!-- help TOPIC --> and <!-- /help --> is what `help --markdown` prints. */
static void check_page(const char *name, guint least)
{
    g_autoptr(GPtrArray) topics = dn_topics_new();
    g_autofree char *path = g_build_filename(g_getenv("DARNER_ROOT"), name, NULL);
    g_autofree char *text = NULL;
    guint n = 0;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_null(strstr(text, "src/experiment/"));
    for (const char *at = strstr(text, "<!-- help "); at != NULL; at = strstr(at, "<!-- help ")) {
        at += strlen("<!-- help ");
        g_autofree char *topic = g_strndup(at, (gsize)(strstr(at, " -->") - at));
        const char *begin = strchr(at, '\n') + 1, *end = strstr(begin, "<!-- /help -->");
        g_autofree char *shown = g_strndup(begin, (gsize)(end - begin));
        g_autofree char *says = dn_help_markdown(topics, dn_topic_find(topics, topic));
        g_assert_cmpstr(shown, ==, says);
        n++;
    }
    g_assert_cmpuint(n, >=, least);
}

static void test_pages(void)
{
    check_page("configs/README.md", 9);
    check_page("workloads/README.md", 3);
    check_page("topologies/README.md", 8);
    check_page("traces/README.md", 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/help/forms", test_forms);
    g_test_add_func("/help/references", test_references);
    g_test_add_func("/help/types", test_types);
    cli_test_add("/help/topics", test_topics);
    cli_test_add("/help/unknown", test_unknown);
    cli_test_add("/help/schema", test_schema);
    g_test_add_func("/help/pages", test_pages);
    return g_test_run();
}
