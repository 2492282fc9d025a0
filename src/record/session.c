/* session.c - A session lasts from MPI_Init to MPI_Finalize; what frames every call; see record.h.
 * */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

#define TEXT_BYTES 256

static struct {
    bool on, threads; /* threads: several may call at once */
    clockid_t clock;
    pthread_mutex_t lock;                      /* recursive */
    uint64_t polls, poll_gap_ns, poll_wall_ns; /* not yet in a record */
} session = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static __thread struct {
    uint64_t left_ns; /* session.clock as the last call ended */
    int depth;        /* MPI functions that MPI itself calls are no calls of the program */
} thread;

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void (*dn_pmpi(const char *name))(void)
{
    void *found = dlsym(RTLD_NEXT, name);
    void (*function)(void);
    if (found == NULL) {
        fprintf(stderr, "darner record: no %s in this program's MPI library\n", name);
        abort();
    }
    memcpy(&function, &found, sizeof function); /* as POSIX has it of dlsym() */
    return function;
}

void dn_call_enter(DnCall *call)
{
    call->recording = session.on && thread.depth++ == 0;
    if (!call->recording)
        return;
    uint64_t now = now_ns(session.clock);
    call->gap_ns = thread.left_ns == 0 ? 0 : now - thread.left_ns;
    call->wall_ns = session.clock == CLOCK_MONOTONIC ? now : now_ns(CLOCK_MONOTONIC);
}

/* The time until the program goes on is the recorder's own: it is left out of both. */
void dn_call_leave(DnCall *call, int status)
{
    if (!call->recording)
        return;
    call->wall_ns = now_ns(CLOCK_MONOTONIC) - call->wall_ns;
    call->recording = status == MPI_SUCCESS;
}

void dn_call_over(const DnCall *call)
{
    if (!session.on)
        return;
    thread.depth--;
    if (call->recording)
        thread.left_ns = now_ns(session.clock);
}

static uint8_t *put_head(DnRecOperation operation, uint64_t gap_ns, uint64_t wall_ns, size_t fields)
{
    uint8_t *at = dn_writer_reserve(1 + (2 + fields) * DN_REC_VARINT);
    if (at == NULL)
        return NULL;
    *at++ = (uint8_t)operation;
    at = dn_put(at, gap_ns);
    return dn_put(at, wall_ns);
}

static void put_polls(void)
{
    if (session.polls == 0)
        return;
    uint8_t *at = put_head(DN_REC_POLLS, session.poll_gap_ns, session.poll_wall_ns, 1);
    if (at != NULL)
        dn_writer_commit(dn_put(at, session.polls));
    session.polls = session.poll_gap_ns = session.poll_wall_ns = 0;
}

void dn_note_begin(void)
{
    if (session.threads)
        pthread_mutex_lock(&session.lock);
}

void dn_note_end(void)
{
    if (session.threads)
        pthread_mutex_unlock(&session.lock);
}

uint8_t *dn_record_begin(DnCall *call, DnRecOperation operation, size_t fields)
{
    if (!call->recording)
        return NULL;
    dn_note_begin();
    put_polls();
    uint8_t *at = put_head(operation, call->gap_ns, call->wall_ns, fields);
    /* A call with two records has its time in the first. */
    call->gap_ns = call->wall_ns = 0;
    if (at == NULL)
        dn_note_end();
    return at;
}

void dn_record_end(const uint8_t *end)
{
    dn_writer_commit(end);
    dn_note_end();
}

void dn_record_poll(DnCall *call)
{
    if (!call->recording)
        return;
    dn_note_begin();
    session.polls++;
    session.poll_gap_ns += call->gap_ns;
    session.poll_wall_ns += call->wall_ns;
    dn_note_end();
}

void dn_record_unmodelled(DnCall *call, const char *name)
{
    static const char *seen[64];
    static unsigned n;
    for (unsigned i = 0; i < n; i++)
        if (seen[i] == name)
            return;
    if (n < sizeof seen / sizeof *seen)
        seen[n++] = name;
    uint8_t *at = dn_record_begin(call, DN_REC_UNMODELLED, TEXT_BYTES);
    if (at != NULL)
        dn_record_end(dn_put_text(at, name, TEXT_BYTES));
}

/* ---- begin ---- */

/* TRUE + the folder stands empty of an older run's files. */
static bool make_folder(const char *folder)
{
    char path[4096];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return false;
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return false;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t n = strlen(entry->d_name);
        if (strncmp(entry->d_name, "rank-", 5) != 0 || n < 4 ||
            strcmp(entry->d_name + n - 4, ".drn") != 0)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    closedir(dir);
    return true;
}

static clockid_t choose_clock(void)
{
    const char *wish = getenv("DARNER_RECORD_CLOCK");
    MPI_Comm node;
    int ranks = 1;
    DN_PMPI(Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &ranks);
    DN_PMPI(Comm_free)(&node);
    if (wish != NULL && strcmp(wish, "wall") == 0)
        return CLOCK_MONOTONIC;
    if (wish != NULL && strcmp(wish, "cpu") == 0)
        return CLOCK_THREAD_CPUTIME_ID;
    return ranks > sysconf(_SC_NPROCESSORS_ONLN) ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

static void put_begin(int level)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;
    PMPI_Get_library_version(version, &n);
    version[strcspn(version, "\n")] = '\0';
    DnCall call = {.recording = true};
    uint8_t *at = dn_record_begin(&call, DN_REC_BEGIN, TEXT_BYTES);
    if (at == NULL)
        return;
    at = dn_put(at, session.clock == CLOCK_MONOTONIC ? DN_REC_WALL : DN_REC_CPU);
    at = dn_put(at, (uint64_t)level);
    at = dn_put_text(at, program_invocation_short_name, TEXT_BYTES);
    dn_record_end(dn_put_text(at, version, TEXT_BYTES));
}

/* FALSE: a rank has no file, so none has. */
static bool open_all(const char *folder, unsigned long long run, int rank, int ranks)
{
    int mine = dn_writer_open(folder, run, rank, ranks), all = 0;
    DN_PMPI(Allreduce)(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all)
        dn_writer_discard();
    if (!all && rank == 0)
        fprintf(stderr, "darner record: not every rank can write its file; nothing is recorded\n");
    return all;
}

static void session_begin(void)
{
    int rank, ranks, level = MPI_THREAD_SINGLE;
    unsigned long long run[2] = {0, 0}; /* which, and whether there is a folder */
    const char *folder = getenv("DARNER_RECORD_DIR");
    if (folder == NULL || *folder == '\0')
        folder = "darner-trace";
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Query_thread(&level);
    if (rank == 0) {
        run[0] = now_ns(CLOCK_REALTIME) ^ (unsigned long long)getpid() << 48;
        run[1] = make_folder(folder);
        if (!run[1])
            fprintf(stderr, "darner record: %s: %s; nothing is recorded\n", folder,
                    strerror(errno));
    }
    DN_PMPI(Bcast)(run, 2, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    session.clock = choose_clock();
    session.threads = level == MPI_THREAD_MULTIPLE;
    if (!run[1] || !open_all(folder, run[0], rank, ranks))
        return;
    dn_comms_open();
    put_begin(level);
    DN_PMPI(Barrier)(MPI_COMM_WORLD);
    session.on = true;
    thread.left_ns = now_ns(session.clock);
}

int MPI_Init(int *argc, char ***argv)
{
    int status = DN_PMPI(Init)(argc, argv);
    if (status == MPI_SUCCESS)
        session_begin();
    return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = DN_PMPI(Init_thread)(argc, argv, required, provided);
    if (status == MPI_SUCCESS)
        session_begin();
    return status;
}

int MPI_Finalize(void)
{
    DnCall call;
    dn_call_enter(&call);
    call.wall_ns = 0;
    uint8_t *at = dn_record_begin(&call, DN_REC_END, 0);
    if (at != NULL)
        dn_record_end(at);
    session.on = false;
    dn_writer_close();
    return DN_PMPI(Finalize)();
}

DN_ALSO_PMPI(Init)
DN_ALSO_PMPI(Init_thread)
DN_ALSO_PMPI(Finalize)
