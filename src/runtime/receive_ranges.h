/* receive_ranges.h - Posted receives of one rank, of which thousands may differ by their source
 * alone: those are one range.
 *
 * The receives of an alltoall, a gather or a scatter have one tag, one size, one request, and
 * sources that follow each other at one distance. Once RECEIVE_RANGE_FROM receives in a row are so,
 * while as many or more wait, the next ones are kept as a range: where it begins, its distance, and
 * a bit for each that waits. All others are records in a table (tag_matching.h). A message takes
 * the same receive as it would if all were records: the first posted of those that agree.
 * Memory: 1 bit a receive in a range, 48 B and a link of its chain any other. */
#pragma once
#include "runtime/tag_matching.h"

struct DnReceiveRanges;

typedef struct {
    DnMatch table;
    struct DnReceiveRanges *ranges; /* NULL: never that many waited */
} DnPostedReceives;

/* Adds @receive, whose kind, peer, tag and bytes are set, behind all others. */
void dn_receives_add(DnPostedReceives *posted, DnRecordPool *pool, const DnRecord *receive);
/* TRUE: *@receive is the first posted that agrees with a message from @source with @tag, and does
 * not wait any more. */
gboolean dn_receives_take(DnPostedReceives *posted, DnRecordPool *pool, guint32 source, guint32 tag,
                          DnRecord *receive);
/* TRUE: a receive waits that agrees with a message from @source with @tag. */
gboolean dn_receives_has(const DnPostedReceives *posted, const DnRecordPool *pool, guint32 source,
                         guint32 tag);
/* TRUE: *@receive is the first posted with @request and @stream, either of which may be DN_ANY; it
 * stays. O(all that wait): for reports. */
gboolean dn_receives_first(const DnPostedReceives *posted, const DnRecordPool *pool,
                           guint32 request, guint32 stream, DnRecord *receive);
void dn_receives_clear(DnPostedReceives *posted);
