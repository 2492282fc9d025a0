/* input.h - a trace's file read front to back, as lines or as bytes; gzip and zstd by their magic.
 *
 * Nothing is held but a buffer and the present line. Positions count what was unpacked. */
#pragma once
#include "base/error.h"

typedef struct DnInput DnInput;

DnInput *dn_input_open(const char *path, GError **error);
void dn_input_free(DnInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnInput, dn_input_free)

/* Up to @want bytes from where it stands, without moving; fewer only at the end. @want at most
 * DN_INPUT_PEEK. Borrowed till the next call. */
#define DN_INPUT_PEEK 65536
const guint8 *dn_input_peek(DnInput *input, gsize want, gsize *have);
void dn_input_skip(DnInput *input, gsize n); /* of what was peeked */
/* Does what dn_input_peek() does, without the byte order mark that a text may begin with. */
const guint8 *dn_input_peek_text(DnInput *input, gsize want, gsize *have);
guint64 dn_input_at(const DnInput *input); /* bytes before here */

/* The next line without its end, NUL-terminated in place of it, borrowed and writable; NULL at the
 * end or on error. Lines count from 1; a byte order mark before the first is none of it. */
char *dn_input_line(DnInput *input, gsize *length, guint64 *number);

/* FALSE + error: damaged, truncated or unreadable; ask when it ended. */
gboolean dn_input_good(const DnInput *input, GError **error);

/* The last bytes of the file, at most @most; *@from: where they begin. */
GByteArray *dn_input_tail(const char *path, gsize most, guint64 *from, GError **error);
