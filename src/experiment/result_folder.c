/* result_folder.c - see result_folder.h. The lock is one of an open file, which the system gives
 * back when the process ends, however it ends; what is written into it is for people. */
#include "experiment/result_folder.h"

#include "base/number.h"
#include "base/file.h"
#include "experiment/repetition_store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_PREFIX "lock"
#define POINTS_PREFIX "points"
#define CLUSTER_PREFIX "slurm"
#define MOVING "moving" /* what is unfinished is complete; the name of the last file */
#define WAIT_US 50000   /* for the workers of a process that was killed */
#define WAITS 40

static gboolean publish_rest(DnResultFolder *folder, GError **error);

struct DnResultFolder {
    char *dir, *work, *lock_path;
    int lock;
    GPtrArray *made; /* folders that were not there before, outermost first */
};

static gboolean folder_error(GError **error, const char *path, const char *what, const char *why)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s: %s; give another folder with -o",
                path, what, why);
    return FALSE;
}

/* Like g_mkdir_with_parents(), but notes the folders it made. */
static gboolean make_folder(DnResultFolder *folder, const char *dir, GError **error)
{
    if (dir[0] == '\0')
        return folder_error(error, "''", "make the output folder", "it has no name");
    if (g_file_test(dir, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *parent = g_path_get_dirname(dir);
    if (strcmp(parent, dir) != 0 && !make_folder(folder, parent, error))
        return FALSE;
    if (g_mkdir(dir, 0777) != 0 && errno != EEXIST)
        return folder_error(error, dir, "make the output folder", g_strerror(errno));
    if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
        return folder_error(error, dir, "write there", "it is not a folder");
    g_ptr_array_add(folder->made, g_strdup(dir));
    return TRUE;
}

/* ---- temporary files of processes that were killed ---- */

/* Returns TRUE for a name as GLib makes them: "results.csv.S8I6Y3". */
static gboolean is_temporary(const char *name)
{
    static const char *const stems[] = {"results.csv.",
                                        "links.csv.",
                                        "nics.csv.",
                                        "samples.csv.",
                                        "statistics.csv.",
                                        "replay.csv.",
                                        "calls.csv.",
                                        "run.yaml.",
                                        "moving.",
                                        "delay_attribution.csv.",
                                        "summary.json.",
                                        "timing.json.",
                                        "explain.json.",
                                        "timeline.json.",
                                        "timeline.paje.",
                                        "placement.csv.",
                                        "algorithms.csv.",
                                        "samples.csv.gz.",
                                        "delaying_flows.csv."};
    for (guint i = 0; i < G_N_ELEMENTS(stems); i++) {
        gsize length = strlen(stems[i]);
        if (strncmp(name, stems[i], length) == 0 && strlen(name + length) == 6 &&
            strspn(name + length, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 6)
            return TRUE;
    }
    return FALSE;
}

static void remove_temporary(const char *dir)
{
    g_autoptr(GDir) list = g_dir_open(dir, 0, NULL);
    const char *name;
    while (list != NULL && (name = g_dir_read_name(list)) != NULL) {
        g_autofree char *path = g_build_filename(dir, name, NULL);
        if (is_temporary(name))
            g_unlink(path);
    }
}

/* ---- the lock ---- */

/* (transfer full): "process 123 on host", of whoever has the lock; *@gone: no such process. */
static char *lock_owner(const char *path, gboolean *gone)
{
    g_autofree char *text = NULL;
    guint process = 0;
    *gone = FALSE;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return g_strdup("another process");
    const char *host = text;
    if (!dn_take_number(&host, "", &process) || process == 0 || process > G_MAXINT || *host != ' ')
        return g_strdup("another process");
    g_strchomp(text);
    host++;
    *gone = strcmp(host, g_get_host_name()) == 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
    return g_strdup_printf("process %u on %s", process, host);
}

static gboolean lock_refused(const DnResultFolder *folder, const char *path, gboolean *gone,
                             GError **error)
{
    g_autofree char *owner = lock_owner(path, gone);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "%s: %s is writing its results there; wait for it, or give another folder with -o",
                folder->dir, owner);
    return FALSE;
}

static void lock_sign(int lock)
{
    g_autofree char *text = g_strdup_printf("%d %s\n", (int)getpid(), g_get_host_name());
    gssize length = (gssize)strlen(text);
    if (ftruncate(lock, 0) != 0 || pwrite(lock, text, (gsize)length, 0) != length)
        return; /* who reads it learns less */
}

/* Tries to lock the folder; where files cannot be locked at all, the run goes on without. *@again:
 * the file was removed meanwhile. */
static gboolean lock_try(DnResultFolder *folder, gboolean *again, gboolean *gone, GError **error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    int lock = open(folder->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    *gone = FALSE;
    *again = lock < 0 && errno == ENOENT;
    if (lock < 0)
        return folder_error(error, folder->work, "write there", g_strerror(errno));
    if (fcntl(lock, F_OFD_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES)) {
        close(lock);
        return lock_refused(folder, folder->lock_path, gone, error);
    }
    *again = fstat(lock, &status) != 0 || status.st_nlink == 0;
    if (*again) {
        close(lock);
        return folder_error(error, folder->work, "write there", "it is being removed");
    }
    lock_sign(lock);
    folder->lock = lock;
    return TRUE;
}

static gboolean lock_take(DnResultFolder *folder, GError **error)
{
    for (guint i = 0;; i++) {
        g_autoptr(GError) problem = NULL;
        gboolean again, gone;
        if (!make_folder(folder, folder->work, error))
            return FALSE;
        if (lock_try(folder, &again, &gone, &problem))
            return TRUE;
        if (i >= WAITS || !(again || gone)) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        g_usleep(WAIT_US);
    }
}

gboolean dn_result_lock_held(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int lock = open(path, O_RDWR | O_CLOEXEC);
    gboolean held = lock >= 0 && fcntl(lock, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    if (lock >= 0)
        close(lock);
    return held;
}

gboolean dn_result_folder_alone(const DnResultFolder *folder, gboolean parts, GError **error)
{
    g_autofree char *whole = dn_result_folder_file(folder, LOCK_PREFIX);
    gboolean gone;
    g_autoptr(GPtrArray) names = dn_file_list(folder->work, error);
    for (guint i = 0; names != NULL && i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *path = dn_result_folder_file(folder, name);
        if (parts ? !g_str_has_prefix(name, LOCK_PREFIX) : strcmp(path, whole) != 0)
            continue;
        if (strcmp(path, folder->lock_path) != 0 && dn_result_lock_held(path))
            return lock_refused(folder, path, &gone, error);
    }
    return names != NULL;
}

/* Refuses a link as the folder of unfinished files: its content is removed in the end, and might be
 * somebody else's. */
static gboolean check_work(const DnResultFolder *folder, GError **error)
{
    return !g_file_test(folder->work, G_FILE_TEST_IS_SYMLINK) ||
           folder_error(error, folder->work, "write there", "it is a link");
}

DnResultFolder *dn_result_folder_open(const char *dir, const char *lock, GError **error)
{
    g_autoptr(DnResultFolder) folder = g_new0(DnResultFolder, 1);
    folder->lock = -1;
    folder->dir = g_strdup(dir);
    folder->work = g_build_filename(dir, DN_RESULT_UNFINISHED, NULL);
    folder->lock_path = g_build_filename(folder->work, lock, NULL);
    folder->made = g_ptr_array_new_with_free_func(g_free);
    if (!make_folder(folder, dir, error) || !check_work(folder, error) || !lock_take(folder, error))
        return NULL;
    if (strcmp(lock, LOCK_PREFIX) == 0) {
        if (!publish_rest(folder, error))
            return NULL;
        remove_temporary(dir);
        remove_temporary(folder->work);
    }
    return g_steal_pointer(&folder);
}

void dn_result_folder_free(DnResultFolder *folder)
{
    if (folder == NULL)
        return;
    if (folder->lock >= 0) {
        g_unlink(folder->lock_path); /* while it is held: nobody locks an unlinked file */
        close(folder->lock);
        g_rmdir(folder->work);
    }
    for (guint i = folder->made->len; i > 0; i--)
        g_rmdir(g_ptr_array_index(folder->made, i - 1));
    g_ptr_array_unref(folder->made);
    g_free(folder->dir);
    g_free(folder->work);
    g_free(folder->lock_path);
    g_free(folder);
}

const char *dn_result_folder_dir(const DnResultFolder *folder)
{
    return folder->dir;
}

const char *dn_result_folder_work(const DnResultFolder *folder)
{
    return folder->work;
}

char *dn_result_folder_file(const DnResultFolder *folder, const char *name)
{
    return g_build_filename(folder->work, name, NULL);
}

gboolean dn_result_folder_check(const DnResultFolder *folder, const char *const *names,
                                GError **error)
{
    for (; *names != NULL; names++) {
        g_autofree char *path = g_build_filename(folder->dir, *names, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            return folder_error(error, path, "replace it", "it is a folder");
    }
    return TRUE;
}

/* ---- what is unfinished ---- */

/* (transfer full): char*, names of files in @dir without those that begin with one of @without.
 * NULL + error when the folder cannot be read to its end. */
static GPtrArray *list_files(const char *dir, const char *const *without, GError **error)
{
    g_autoptr(GPtrArray) names = dn_file_list(dir, error);
    for (guint k = names != NULL ? names->len : 0; k-- > 0;) {
        gboolean kept = TRUE;
        for (guint i = 0; without[i] != NULL; i++)
            kept = kept && !g_str_has_prefix(names->pdata[k], without[i]);
        if (!kept)
            g_ptr_array_remove_index(names, k);
    }
    return g_steal_pointer(&names);
}

void dn_result_folder_drop(DnResultFolder *folder)
{
    static const char *const without[] = {NULL};
    g_autoptr(GPtrArray) names = list_files(folder->work, without, NULL);
    for (guint i = 0; names != NULL && i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        g_autofree char *path = dn_result_folder_file(folder, name);
        gboolean lock = g_str_has_prefix(name, LOCK_PREFIX);
        if (!lock || (strcmp(path, folder->lock_path) != 0 && !dn_result_lock_held(path)))
            g_unlink(path);
    }
}

static gboolean sync_path(const char *path, GError **error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    gboolean ok = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    int why = errno;
    if (file >= 0)
        close(file);
    return ok || folder_error(error, path, "write it", g_strerror(why));
}

static gboolean move_file(const DnResultFolder *folder, const char *name, GError **error)
{
    g_autofree char *from = dn_result_folder_file(folder, name);
    g_autofree char *to = g_build_filename(folder->dir, name, NULL);
    return g_rename(from, to) == 0 || folder_error(error, to, "replace it", g_strerror(errno));
}

static gboolean move_all(const DnResultFolder *folder, const GPtrArray *names, const char *last,
                         GError **error)
{
    gboolean ok = TRUE, has_last = FALSE;
    for (guint i = 0; ok && i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        if (strcmp(name, last) == 0)
            has_last = TRUE;
        else
            ok = move_file(folder, name, error);
    }
    return ok && (!has_last || move_file(folder, last, error));
}

/* Files that belonged to the @earlier results and that none of the new @names replaced. */
static void remove_stale(const DnResultFolder *folder, const GPtrArray *earlier, GPtrArray *names,
                         gboolean (*stale)(const char *name))
{
    for (guint i = 0; stale != NULL && i < earlier->len; i++) {
        const char *name = g_ptr_array_index(earlier, i);
        g_autofree char *path = g_build_filename(folder->dir, name, NULL);
        if (stale(name) && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
            g_unlink(path);
    }
}

static GPtrArray *list_results(const DnResultFolder *folder, GError **error)
{
    remove_temporary(folder->work); /* of workers that were killed, too */
    static const char *const without[] = {LOCK_PREFIX,    POINTS_PREFIX, DN_REPETITIONS_PREFIX,
                                          CLUSTER_PREFIX, MOVING,        NULL};
    return list_files(folder->work, without, error);
}

/* A process ended while it replaced results: the rest of them follows. */
static gboolean publish_rest(DnResultFolder *folder, GError **error)
{
    g_autofree char *moving = dn_result_folder_file(folder, MOVING);
    g_autofree char *last = NULL;
    if (!g_file_get_contents(moving, &last, NULL, NULL))
        return TRUE;
    g_autoptr(GPtrArray) names = list_results(folder, error);
    if (names == NULL || !move_all(folder, names, last, error))
        return FALSE;
    dn_result_folder_drop(folder);
    return TRUE;
}

gboolean dn_result_folder_publish(DnResultFolder *folder, const char *last,
                                  gboolean (*stale)(const char *name), GError **error)
{
    static const char *const without[] = {NULL};
    g_autoptr(GPtrArray) earlier = list_files(folder->dir, without, error);
    g_autoptr(GPtrArray) names = earlier != NULL ? list_results(folder, error) : NULL;
    g_autoptr(GError) problem = NULL;
    if (names == NULL)
        return FALSE;
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = dn_result_folder_file(folder, g_ptr_array_index(names, i));
        if (!sync_path(path, error))
            return FALSE;
    }
    g_autofree char *moving = dn_result_folder_file(folder, MOVING);
    if (!dn_file_write(moving, last, &problem))
        return folder_error(error, folder->dir, "write there", problem->message);
    if (!move_all(folder, names, last, error) || !sync_path(folder->dir, error)) {
        g_unlink(moving); /* what is left of them is made again */
        return FALSE;
    }
    remove_stale(folder, earlier, names, stale);
    dn_result_folder_drop(folder);
    return TRUE;
}
