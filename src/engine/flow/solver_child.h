/* solver_child.h - what passes between solver.c and its child, and the child's life. */
#pragma once
#include <glib.h>

/* A request: this head, then n_posts times a DnSolverPost followed by its links (guint32). */
typedef struct {
    double from_us, until_us, tolerance_us;
    guint32 n_posts, pad;
    guint64 bytes; /* of the posts */
} DnSolverRequest;

typedef struct {
    double bytes, cap;
    guint32 flow, n_links;
} DnSolverPost;

/* The answer: this head, then the flows (guint32). */
typedef struct {
    double now_us;
    guint32 n_ended, pad;
} DnSolverAnswer;

/* Serves requests from @fd until it is closed. */
void dn_solver_child(int fd, const double *capacity, guint32 n_links) G_GNUC_NORETURN;
