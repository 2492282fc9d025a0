/* input_files.c - see input_files.h. */
#include "base/input_files.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>

#define HASH_DIGITS 16

/* What a file is known by, and as which file it was hashed: readers open a trace several times. */
typedef struct {
    char *known_by;
    gboolean hashed; /* from disk, as @state says */
    struct stat state;
} Noted;

static GHashTable *noted; /* absolute path to Noted; NULL: nobody asks */

static void noted_free(gpointer data)
{
    Noted *n = data;
    g_free(n->known_by);
    g_free(n);
}

void dn_input_files_begin(void)
{
    g_clear_pointer(&noted, g_hash_table_unref);
    noted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, noted_free);
}

static char *hash_bytes(const void *bytes, gsize length)
{
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, length);
    return g_strndup(sum, HASH_DIGITS);
}

/* (transfer full): of the contents, "-" where there is nothing to read. */
static char *hash_file(const char *path)
{
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
    return file != NULL
               ? hash_bytes(g_mapped_file_get_contents(file), g_mapped_file_get_length(file))
               : g_strdup("-");
}

static char *describe_file(const char *path, const struct stat *state)
{
    if (state->st_size <= DN_INPUT_FILES_HASHED)
        return hash_file(path);
    return g_strdup_printf("%" G_GINT64_FORMAT "B@%" G_GINT64_FORMAT ".%09ld",
                           (gint64)state->st_size, (gint64)state->st_mtim.tv_sec,
                           (long)state->st_mtim.tv_nsec);
}

static gboolean same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* TRUE: nobody wrote the file in between; ctime cannot be set back. */
static gboolean same_state(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           same_time(a->st_mtim, b->st_mtim) && same_time(a->st_ctim, b->st_ctim);
}

void dn_input_files_note(const char *path, const void *bytes, gsize length)
{
    if (noted == NULL)
        return;
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    const Noted *before = g_hash_table_lookup(noted, absolute);
    struct stat state = {0};
    gboolean there = bytes == NULL && stat(path, &state) == 0;
    if (there && before != NULL && before->hashed && same_state(&before->state, &state))
        return;
    Noted *now = g_new(Noted, 1);
    *now =
        (Noted){.known_by = bytes != NULL ? hash_bytes(bytes, length) : describe_file(path, &state),
                .hashed = there,
                .state = state};
    g_hash_table_insert(noted, g_steal_pointer(&absolute), now);
}

gboolean dn_input_files_asked(void)
{
    return noted != NULL;
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

char *dn_input_files_end(void)
{
    GString *out = g_string_new(NULL);
    if (noted == NULL)
        return g_string_free(out, FALSE);
    GList *paths = g_list_sort(g_hash_table_get_keys(noted), compare_paths);
    for (const GList *at = paths; at != NULL; at = at->next) {
        const Noted *n = g_hash_table_lookup(noted, at->data);
        g_string_append_printf(out, "%s %s\n", n->known_by, (const char *)at->data);
    }
    g_list_free(paths);
    g_clear_pointer(&noted, g_hash_table_unref);
    return g_string_free(out, FALSE);
}

char *dn_input_files_without(const char *lines, const char *path)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    g_auto(GStrv) all = g_strsplit(lines, "\n", -1);
    GString *out = g_string_new(NULL);
    for (guint i = 0; all[i] != NULL; i++) {
        const char *space = strchr(all[i], ' ');
        if (space != NULL && strcmp(space + 1, absolute) != 0)
            g_string_append_printf(out, "%s\n", all[i]);
    }
    return g_string_free(out, FALSE);
}

gboolean dn_input_files_unchanged(const char *line, const char **path)
{
    const char *space = strchr(line, ' ');
    struct stat state;
    *path = space != NULL ? space + 1 : line;
    if (space == NULL || stat(*path, &state) != 0)
        return FALSE;
    g_autofree char *then = g_strndup(line, (gsize)(space - line));
    gboolean hashed = strchr(then, '@') == NULL; /* as what was in memory is at any size */
    g_autofree char *now = hashed ? hash_file(*path) : describe_file(*path, &state);
    return strcmp(then, now) == 0;
}

/* The identifier that the linker made of all that the program consists of; its bytes in @data. */
static int find_build_id(struct dl_phdr_info *object, size_t size, void *data)
{
    GString *id = data;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)object->dlpi_addr + segment->p_vaddr;
        const char *end = at + segment->p_memsz;
        while (end - at > (gssize)sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            at += sizeof note;
            const char *name = at;
            at += (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && memcmp(name, "GNU", 4) == 0)
                g_string_append_len(id, at, note.n_descsz);
            at += (note.n_descsz + 3) / 4 * 4;
        }
    }
    return 1; /* the first object is the program */
}

char *dn_program_hash(void)
{
    g_autoptr(GString) id = g_string_new(NULL);
    dl_iterate_phdr(find_build_id, id);
    if (id->len > 0)
        return hash_bytes(id->str, id->len);
    char *sum = hash_file("/proc/self/exe");
    if (strcmp(sum, "-") != 0)
        return sum;
    g_free(sum);
    return g_strdup("unknown");
}
