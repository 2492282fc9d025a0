/* point_store.c - see point_store.h. */
#include "experiment/point_store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "darner points 1\n"
#define RECORD_MARK 0x74704e44u /* also tells the byte order */
#define MOST_HEAD (64u << 20)
#define SHOWN 100 /* characters of a line that differs */

/* Before the head and before each record. */
typedef struct {
    guint32 mark, point;
    guint64 length;
    guint8 sum[16]; /* SHA-256 of point, length and contents, cut */
} Prefix;

typedef struct {
    gint64 at; /* of the contents; 0: no record */
    guint64 length;
} Place;

struct DnPointStore {
    char *path, *head;
    int file;
    guint n_points, done;
    Place *places; /* [n_points] */
    gint64 end;    /* of the last complete record */
    gsize cut;
    gint64 synced_us, sync_us; /* when it ended, how long it took */
    gboolean unsynced;
};

static gboolean store_error(const DnPointStore *store, const char *what, int why, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s: %s", store->path, what,
                why != 0 ? g_strerror(why) : "it ends too early");
    return FALSE;
}

static void prefix_sum(const Prefix *prefix, const void *contents, guint8 sum[16])
{
    g_autoptr(GChecksum) check = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize length = sizeof digest;
    g_checksum_update(check, (const guchar *)&prefix->point, sizeof prefix->point);
    g_checksum_update(check, (const guchar *)&prefix->length, sizeof prefix->length);
    g_checksum_update(check, contents, (gssize)prefix->length);
    g_checksum_get_digest(check, digest, &length);
    memcpy(sum, digest, 16);
}

/* ---- bytes ---- */

/* Returns 0, or errno; -1: the file ends before. */
static int read_at(int file, void *to, gsize length, gint64 at)
{
    guint8 *next = to;
    while (length > 0) {
        gssize n = pread(file, next, length, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : -1;
        next += n;
        at += n;
        length -= (gsize)n;
    }
    return 0;
}

static int write_at(int file, const void *from, gsize length, gint64 at)
{
    const guint8 *next = from;
    while (length > 0) {
        gssize n = pwrite(file, next, length, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        next += n;
        at += n;
        length -= (gsize)n;
    }
    return 0;
}

static gboolean put_block(DnPointStore *store, guint point, const void *contents, gsize length,
                          GError **error)
{
    Prefix prefix = {.mark = RECORD_MARK, .point = point, .length = length};
    prefix_sum(&prefix, contents, prefix.sum);
    int why = write_at(store->file, &prefix, sizeof prefix, store->end);
    if (why == 0)
        why = write_at(store->file, contents, length, store->end + (gint64)sizeof prefix);
    if (why != 0) {
        if (ftruncate(store->file, store->end) != 0)
            return store_error(store, "write it", why, error); /* the checksum refuses the rest */
        return store_error(store, "write it", why, error);
    }
    store->end += (gint64)(sizeof prefix + length);
    return TRUE;
}

/* (transfer full): the contents of the block at @at, *@prefix before it; NULL: none that is
 * complete and undamaged. *@why: errno, 0: it is not such a block. */
static GBytes *get_block(const DnPointStore *store, gint64 at, gint64 size, Prefix *prefix,
                         int *why)
{
    guint8 sum[16];
    *why = 0;
    if (at + (gint64)sizeof *prefix > size)
        return NULL;
    *why = MAX(0, read_at(store->file, prefix, sizeof *prefix, at));
    if (*why != 0 || prefix->mark != RECORD_MARK ||
        prefix->length > (guint64)(size - at) - sizeof *prefix)
        return NULL;
    g_autofree void *contents = g_try_malloc(prefix->length + 1);
    if (contents == NULL) {
        *why = ENOMEM;
        return NULL;
    }
    *why = MAX(0, read_at(store->file, contents, prefix->length, at + (gint64)sizeof *prefix));
    if (*why != 0)
        return NULL;
    prefix_sum(prefix, contents, sum);
    if (memcmp(sum, prefix->sum, sizeof sum) != 0)
        return NULL;
    return g_bytes_new_take(g_steal_pointer(&contents), prefix->length);
}

/* ---- the head ---- */

/* Line @i, NULL: there is none. */
static const char *line_at(char *const *lines, guint i)
{
    return i < g_strv_length((char **)lines) ? lines[i] : NULL;
}

/* Returns TRUE when the line belongs to the text of an entry that began before it. */
static gboolean is_inner(const char *line)
{
    return line != NULL && g_ascii_isspace(line[0]);
}

/* (transfer full): as it is shown; with @inner only a line of a text. */
static char *line_shorten(const char *line, gboolean inner)
{
    if (line == NULL || (inner && !is_inner(line)))
        return g_strdup("(nothing)");
    char *text = g_strstrip(g_strdup(line));
    if (g_utf8_validate(text, -1, NULL) && g_utf8_strlen(text, -1) > SHOWN)
        *g_utf8_offset_to_pointer(text, SHOWN) = '\0';
    return text;
}

/* Says in which line @old and @head differ first. */
static gboolean head_error(const char *path, const char *old, const char *head, GError **error)
{
    g_auto(GStrv) was = g_strsplit(old, "\n", -1);
    g_auto(GStrv) is = g_strsplit(head, "\n", -1);
    guint i = 0;
    while (g_strcmp0(line_at(was, i), line_at(is, i)) == 0)
        i++;
    gboolean inner = is_inner(line_at(was, i)) || is_inner(line_at(is, i));
    guint entry = inner && i > 0 ? i - 1 : i;
    while (entry > 0 && is_inner(was[entry]))
        entry--;
    const char *title = line_at(was, entry) != NULL ? was[entry] : "";
    g_autofree char *name = g_strndup(title, strcspn(title, " :"));
    g_autofree char *before = line_shorten(line_at(was, i), inner);
    g_autofree char *now = line_shorten(line_at(is, i), inner);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "%s: points of another run: %s differs: was `%s`, is `%s`", path, name, before,
                now);
    return FALSE;
}

static gboolean read_head(DnPointStore *store, const char *head, gint64 size, GError **error)
{
    char magic[sizeof MAGIC - 1] = {0};
    Prefix prefix;
    int why = 0;
    if (size >= (gint64)sizeof magic)
        why = MAX(0, read_at(store->file, magic, sizeof magic, 0));
    g_autoptr(GBytes) text = why == 0 && memcmp(magic, MAGIC, sizeof magic) == 0
                                 ? get_block(store, (gint64)sizeof magic, size, &prefix, &why)
                                 : NULL;
    if (why != 0)
        return store_error(store, "read it", why, error);
    if (text == NULL || prefix.length > MOST_HEAD) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                    "%s: damaged, or not of this version: no points can be read from it",
                    store->path);
        return FALSE;
    }
    gsize length;
    const char *data = g_bytes_get_data(text, &length);
    store->head = g_strndup(data, length);
    store->end = (gint64)(sizeof magic + sizeof prefix + length);
    return head == NULL || strcmp(store->head, head) == 0 ||
           head_error(store->path, store->head, head, error);
}

/* Writes the head under another name and renames the file: one without its head is of no use. */
static gboolean write_head(DnPointStore *store, const char *head, GError **error)
{
    g_autofree char *part = g_strconcat(store->path, ".new", NULL);
    store->file = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int why = store->file >= 0 ? write_at(store->file, MAGIC, strlen(MAGIC), 0) : errno;
    store->end = (gint64)strlen(MAGIC);
    store->head = g_strdup(head);
    if (why == 0 && !put_block(store, 0, head, strlen(head), error)) {
        g_unlink(part);
        return FALSE;
    }
    if (why == 0 && fsync(store->file) == 0 && g_rename(part, store->path) == 0)
        return TRUE;
    why = why != 0 ? why : errno;
    g_unlink(part);
    return store_error(store, "write it", why, error);
}

/* ---- records ---- */

static gboolean read_records(DnPointStore *store, gint64 size, GError **error)
{
    while (store->end < size) {
        Prefix prefix;
        int why;
        g_autoptr(GBytes) contents = get_block(store, store->end, size, &prefix, &why);
        if (why != 0)
            return store_error(store, "read it", why, error);
        if (contents == NULL || prefix.point >= store->n_points)
            break;
        Place *place = &store->places[prefix.point];
        if (place->at == 0) {
            place->at = store->end + (gint64)sizeof prefix;
            place->length = prefix.length;
            store->done++;
        }
        store->end += (gint64)(sizeof prefix + prefix.length);
    }
    store->cut = (gsize)(size - store->end);
    return TRUE;
}

/* Opens the store; @writes: to append, and creates it where it does not exist. */
static DnPointStore *store_open(const char *path, const char *head, guint n_points, gboolean writes,
                                GError **error)
{
    g_autoptr(DnPointStore) store = g_new0(DnPointStore, 1);
    struct stat status;
    store->path = g_strdup(path);
    store->n_points = n_points;
    store->places = g_new0(Place, n_points);
    store->file = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (store->file < 0 && errno == ENOENT && writes)
        return write_head(store, head, error) ? g_steal_pointer(&store) : NULL;
    if (store->file < 0 || fstat(store->file, &status) != 0) {
        store_error(store, "open it", errno, error);
        return NULL;
    }
    if (!read_head(store, head, status.st_size, error) ||
        !read_records(store, status.st_size, error))
        return NULL;
    if (!writes) { /* stores may be more than files that can be open */
        close(store->file);
        store->file = -1;
    }
    if (writes && store->cut > 0 && ftruncate(store->file, store->end) != 0) {
        store_error(store, "cut its incomplete end", errno, error);
        return NULL;
    }
    return g_steal_pointer(&store);
}

DnPointStore *dn_point_store_open(const char *path, const char *head, guint n_points,
                                  GError **error)
{
    return store_open(path, head, n_points, TRUE, error);
}

DnPointStore *dn_point_store_read_only(const char *path, const char *head, guint n_points,
                                       GError **error)
{
    return store_open(path, head, n_points, FALSE, error);
}

static gboolean store_sync(DnPointStore *store, GError **error)
{
    gint64 begun_us = g_get_monotonic_time();
    store->unsynced = FALSE;
    if (fdatasync(store->file) != 0)
        return store_error(store, "write it", errno, error);
    store->synced_us = g_get_monotonic_time();
    store->sync_us = store->synced_us - begun_us;
    return TRUE;
}

void dn_point_store_free(DnPointStore *store)
{
    if (store == NULL)
        return;
    if (store->unsynced)
        store_sync(store, NULL);
    if (store->file >= 0)
        close(store->file);
    g_free(store->path);
    g_free(store->head);
    g_free(store->places);
    g_free(store);
}

guint dn_point_store_done(const DnPointStore *store)
{
    return store->done;
}

gboolean dn_point_store_has(const DnPointStore *store, guint point)
{
    return store->places[point].at != 0;
}

const char *dn_point_store_head(const DnPointStore *store)
{
    return store->head;
}

gsize dn_point_store_cut(const DnPointStore *store)
{
    return store->cut;
}

gboolean dn_point_store_add(DnPointStore *store, guint point, GVariant *record, GError **error)
{
    g_autoptr(GVariant) held = g_variant_ref_sink(record);
    g_assert(point < store->n_points && g_variant_is_of_type(held, G_VARIANT_TYPE_VARDICT));
    if (dn_point_store_has(store, point))
        return TRUE;
    Place place = {.at = store->end + (gint64)sizeof(Prefix), .length = g_variant_get_size(held)};
    if (!put_block(store, point, g_variant_get_data(held), place.length, error))
        return FALSE;
    store->places[point] = place;
    store->done++;
    store->unsynced = TRUE;
    gint64 age_us = g_get_monotonic_time() - store->synced_us;
    return age_us < DN_POINT_STORE_SYNC * store->sync_us || store_sync(store, error);
}

GVariant *dn_point_store_get(DnPointStore *store, guint point, GError **error)
{
    const Place *place = &store->places[point];
    g_assert(place->at != 0);
    g_autofree void *contents = g_malloc(place->length + 1);
    int file = store->file >= 0 ? store->file : open(store->path, O_RDONLY | O_CLOEXEC);
    int why = file >= 0 ? read_at(file, contents, place->length, place->at) : errno;
    if (file >= 0 && file != store->file)
        close(file);
    if (why != 0) {
        store_error(store, "read it", MAX(0, why), error);
        return NULL;
    }
    g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&contents), place->length);
    return g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE_VARDICT, bytes, FALSE));
}
