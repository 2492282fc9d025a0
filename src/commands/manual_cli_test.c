/* manual_cli_test.c - the manual page and the completion say what --help says. */
#include "commands/cli_test.h"
#include <string.h>

/* The commands that --help lists: the first words of its indented lines. */
static GPtrArray *manual_listed(const CliFolder *f)
{
    g_auto(CliAnswer) help = cli_run(f, "--help");
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) lines = g_strsplit(help.out, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++)
        if (g_str_has_prefix(lines[i], "  ") && g_ascii_isalpha(lines[i][2]))
            g_ptr_array_add(names, g_strndup(lines[i] + 2, strcspn(lines[i] + 2, " ")));
    return names;
}

/* Every option that `darner COMMAND --help` shows stands in the manual page. */
static void test_manual(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) manual = cli_run(f, "--manual");
    g_assert_cmpint(manual.status, ==, 0);
    g_assert_true(g_str_has_prefix(manual.out, ".TH DARNER 1"));
    g_autoptr(GPtrArray) names = manual_listed(f);
    g_assert_cmpuint(names->len, >=, 9);
    for (guint c = 0; c < names->len; c++) {
        g_auto(CliAnswer) help = cli_run(f, names->pdata[c], "--help");
        g_autofree char *head = g_strdup_printf(".SS \"darner %s", (char *)names->pdata[c]);
        const char *section = strstr(manual.out, head);
        g_assert_nonnull(section);
        for (const char *p = strstr(help.out, " --"); p != NULL; p = strstr(p + 1, " --")) {
            g_autofree char *option = g_strndup(p + 3, strcspn(p + 3, "=, \n"));
            g_autofree char *roff = g_strdelimit(g_strdup(option), "-", '\001');
            g_auto(GStrv) parts = g_strsplit(roff, "\001", -1);
            g_autofree char *wanted = g_strjoinv("\\-", parts);
            if (strcmp(option, "help") != 0 && strstr(section, wanted) == NULL)
                g_error("%s --%s is not in the manual page", (char *)names->pdata[c], option);
        }
    }
}

/* bash runs the script and completes as it would at a prompt. */
static char *manual_complete(const CliFolder *f, const char *words, guint at)
{
    g_autofree char *script = cli_read(f, "completion");
    g_autofree char *text = g_strdup_printf(
        "complete() { :; }\ncompopt() { :; }\n%s\nCOMP_WORDS=(%s)\nCOMP_CWORD=%u\n_darner\n"
        "echo \"${COMPREPLY[*]}\"\n",
        script, words, at);
    cli_write(f, "try", text);
    g_autofree char *path = g_build_filename(f->dir, "try", NULL);
    g_autofree char *out = NULL;
    g_autoptr(GError) error = NULL;
    char *argv[] = {"bash", path, NULL};
    g_assert_true(g_spawn_sync(f->dir, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
                               NULL, &error));
    g_assert_no_error(error);
    return g_strdup(g_strstrip(out));
}

static void manual_expect(const CliFolder *f, const char *words, guint at, const char *reply)
{
    g_autofree char *got = manual_complete(f, words, at);
    g_assert_cmpstr(got, ==, reply);
}

static void test_completion(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) bash = cli_run(f, "completion", "bash");
    g_assert_cmpint(bash.status, ==, 0);
    cli_write(f, "completion", bash.out);
    cli_write(f, "some.yaml", "");
    manual_expect(f, "darner ru", 1, "run");
    manual_expect(f, "darner run --thr", 2, "--threads=");
    manual_expect(f, "darner run so", 2, "some.yaml");
    manual_expect(f, "darner topo imp", 2, "import");
    manual_expect(f, "darner topo import --form", 3, "--format=");
    manual_expect(f, "darner topo --sou", 2, "--sources");
    g_auto(CliAnswer) fish = cli_run(f, "completion", "fish");
    g_assert_nonnull(strstr(fish.out, "from run' -s t -l threads -r -d 'threads of"));
    g_auto(CliAnswer) zsh = cli_run(f, "completion", "zsh");
    g_assert_true(g_str_has_prefix(zsh.out, "#compdef darner\n"));
    g_auto(CliAnswer) other = cli_run(f, "completion", "zhs");
    g_assert_cmpint(other.status, ==, 2);
    g_assert_nonnull(strstr(other.err, "did you mean 'zsh'"));
    g_auto(CliAnswer) none = cli_run(f, "completion");
    g_assert_cmpint(none.status, ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/manual", test_manual);
    cli_test_add("/commands/completion", test_completion);
    return g_test_run();
}
