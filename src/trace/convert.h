/* convert.h - a trace opened by the words of a command line, to be checked or written anew. */
#pragma once
#include "trace/trace.h"

/* (transfer full): the program of the trace @path. @format, @algorithm, @library: NULL for the
 * format by content, the library's choice, and Open MPI. NULL + error. */
DnProgram *dn_trace_open_program(const char *path, const char *format, const char *algorithm,
                                 const char *library, GError **error);
/* NULL + DN_ERROR_UNKNOWN, with the nearest name there is. */
const DnTraceWriter *dn_trace_writer_named(const char *name, GError **error);
/* (transfer full): @path's name with @writer's ending, in the current folder. */
char *dn_trace_output(const char *path, const DnTraceWriter *writer);
