/* rank_streams.h - the state machine of a rank's streams of operations. */
#pragma once
#include "runtime/runtime_internal.h"

/* The stream's job begins. */
void dn_stream_begin(DnRankContext *s, guint32 stream);
/* Draws operations until the stream rests. */
void dn_stream_run(DnRankContext *s, DnStream *stream);
/* Begins the operation that the stream has issued, and continues the stream. */
void dn_stream_issued(DnRankContext *s, DnStream *stream);
/* Gives the request and its entries back; streams that waited for them go on. */
void dn_request_complete(DnRankContext *s, DnCompletion done);
