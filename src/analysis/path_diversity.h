/* path_diversity.h - Path diversity counts the shortest paths between switches. */
#pragma once
#include "analysis/net.h"

typedef struct {
    double least, mean, most; /* shortest paths over ordered pairs, parallel links apart */
    double pairs;
} DnPathDiversity;

/* Over ordered pairs of different vertices with @weight above 0. FALSE: fewer than two. */
gboolean dn_path_diversity(const DnNet *net, const double *weight, DnPathDiversity *out);
