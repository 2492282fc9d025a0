/* solver_child.c - see solver_child.h. Ends by _exit(): what the parent registered to run at its
 * own end is not the child's. */
#include "engine/flow/solver_child.h"

#include <math.h>
#include <unistd.h>

#include "engine/flow/simgrid_zone.h"

#define SAME_INSTANT_US 1e-6 /* SimGrid's tolerance of dates, simgrid_zone.cpp */

typedef struct {
    int fd;
    gboolean waiting; /* a request's posts start later, at its from_us */
    DnSolverRequest request;
    GByteArray *posts;
    GArray *ended;
} Child;

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
    if (!read_all(child->fd, &child->request, sizeof child->request))
        _exit(0); /* the parent is done */
    g_byte_array_set_size(child->posts, (guint)child->request.bytes);
    if (!read_all(child->fd, child->posts->data, child->request.bytes))
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
    read_request(child);
    child->waiting = child->request.from_us > now_us + SAME_INSTANT_US;
    if (child->waiting)
        dn_simgrid_wake(child->request.from_us);
    else
        start_posts(child);
}

static void on_done(void *data, uint32_t flow)
{
    Child *child = data;
    g_array_append_val(child->ended, flow);
}

static void on_pause(void *data, double now_us)
{
    Child *child = data;
    if (child->waiting) {
        child->waiting = FALSE;
        start_posts(child);
        return;
    }
    DnSolverAnswer answer = {.now_us = now_us, .n_ended = child->ended->len};
    write_all(child->fd, &answer, sizeof answer);
    write_all(child->fd, child->ended->data, child->ended->len * sizeof(guint32));
    g_array_set_size(child->ended, 0);
    serve(child, now_us);
}

void dn_solver_child(int fd, const double *capacity, guint32 n_links)
{
    Child child = {
        .fd = fd,
        .posts = g_byte_array_new(),
        .ended = g_array_new(FALSE, FALSE, sizeof(guint32)),
    };
    DnSimgridCalls calls = {.data = &child, .done = on_done, .pause = on_pause};
    dn_simgrid_open(capacity, n_links, &calls);
    serve(&child, 0.0);
    dn_simgrid_run();
    _exit(0);
}
