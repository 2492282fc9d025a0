/* solver_child.c - see solver_child.h. Ends by _exit(): what the parent registered to run at its
 * own end is not the child's. */
#include "engine/flow/solver_child.h"

#include <math.h>
#include <unistd.h>

#include "engine/flow/simgrid_zone.h"

#define SAME_INSTANT_US 1e-6
#define READ_AHEAD 65536

typedef struct {
    int fd;
    gboolean waiting; /* a request's posts start later, at its from_us */
    DnSolverRequest request;
    GByteArray *posts;
    GByteArray *answer; /* head and flows */
} Child;

/* A request is one message and no other follows before its answer: what comes with its head is its
 * own. */
static gboolean read_all(int fd, void *to, gsize n)
{
    for (gsize done = 0; done < n;) {
        gssize got = read(fd, (char *)to + done, n - done);
        if (got <= 0)
            return FALSE;
        done += (gsize)got;
    }
    return TRUE;
}

static void write_all(int fd, const void *from, gsize n)
{
    for (gsize done = 0; done < n;) {
        gssize put = write(fd, (const char *)from + done, n - done);
        if (put <= 0)
            _exit(1);
        done += (gsize)put;
    }
}

static void read_request(Child *child)
{
    static guint8 ahead[READ_AHEAD];
    gssize got = read(child->fd, ahead, sizeof ahead);
    if (got < (gssize)sizeof child->request)
        _exit(0); /* the parent is done */
    memcpy(&child->request, ahead, sizeof child->request);
    g_byte_array_set_size(child->posts, (guint)child->request.bytes + 1);
    gsize have = (gsize)got - sizeof child->request;
    memcpy(child->posts->data, ahead + sizeof child->request, have);
    if (!read_all(child->fd, child->posts->data + have, child->request.bytes - have))
        _exit(0);
}

static void start_posts(const Child *child)
{
    const guint8 *at = child->posts->data;
    for (guint32 i = 0; i < child->request.n_posts; i++) {
        DnSolverPost post;
        memcpy(&post, at, sizeof post);
        const guint32 *links = (const guint32 *)(const void *)(at + sizeof post);
        dn_simgrid_post(post.flow, post.bytes, post.cap, links, post.n_links);
        at += sizeof post + (gsize)post.n_links * sizeof *links;
    }
    if (isfinite(child->request.until_us))
        dn_simgrid_wake(child->request.until_us);
}

/* Nothing is under way when a request starts later than now: time only passes. */
static void serve(Child *child, double now_us)
{
    double tolerance_us = child->request.tolerance_us;
    read_request(child);
    if (child->request.tolerance_us != tolerance_us)
        dn_simgrid_tolerate(child->request.tolerance_us);
    child->waiting = child->request.from_us > now_us + SAME_INSTANT_US;
    if (child->waiting)
        dn_simgrid_wake(child->request.from_us);
    else
        start_posts(child);
}

static void on_done(void *data, uint32_t flow)
{
    Child *child = data;
    g_byte_array_append(child->answer, (const guint8 *)&flow, sizeof flow);
}

static void on_pause(void *data, double now_us)
{
    Child *child = data;
    if (child->waiting) {
        child->waiting = FALSE;
        start_posts(child);
        return;
    }
    gsize flows = child->answer->len - sizeof(DnSolverAnswer);
    DnSolverAnswer answer = {.now_us = now_us, .n_ended = (guint32)(flows / sizeof(guint32))};
    memcpy(child->answer->data, &answer, sizeof answer);
    write_all(child->fd, child->answer->data, child->answer->len);
    g_byte_array_set_size(child->answer, sizeof answer);
    serve(child, now_us);
}

void dn_solver_child(int fd, const double *capacity, guint32 n_links)
{
    Child child = {
        .fd = fd,
        .posts = g_byte_array_new(),
        .answer = g_byte_array_new(),
    };
    DnSimgridCalls calls = {.data = &child, .done = on_done, .pause = on_pause};
    g_byte_array_set_size(child.answer, sizeof(DnSolverAnswer));
    dn_simgrid_open(capacity, n_links, &calls);
    serve(&child, 0.0);
    dn_simgrid_run();
    _exit(0);
}
