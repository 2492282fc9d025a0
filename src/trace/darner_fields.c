/* darner_fields.c - The fields of a record (base/record_format.h) are decoded: numbers of variable
 * length, ranks, tags, sizes and texts. */
#include "trace/darner_records.h"

guint64 dn_rec_take(DnRecFields *f)
{
    guint64 value = 0;
    for (guint shift = 0; shift < 64 && f->at < f->end; shift += 7) {
        guint8 byte = *f->at++;
        value |= (guint64)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    f->bad = TRUE;
    return 0;
}

static gint64 take_signed(DnRecFields *f)
{
    return dn_rec_unzigzag(dn_rec_take(f));
}

guint32 dn_rec_take_small(DnRecFields *f)
{
    guint64 value = dn_rec_take(f);
    f->bad = f->bad || value > G_MAXINT32;
    return (guint32)value;
}

guint32 dn_rec_take_name(DnRecFields *f, gboolean *null)
{
    gint64 value = take_signed(f);
    if (value == DN_REC_NULL && null)
        *null = TRUE;
    else if (value != DN_REC_ANY && (value < 0 || value > G_MAXINT32))
        f->bad = TRUE;
    return value < 0 ? DN_ANY : (guint32)value;
}

gint64 dn_rec_take_bytes(DnRecFields *f)
{
    guint64 count = dn_rec_take(f), size = dn_rec_take(f);
    gint64 bytes = 0;
    f->bad = f->bad || __builtin_mul_overflow(count, size, &bytes);
    return bytes;
}

void dn_rec_take_text(DnRecFields *f, char *text, gsize space)
{
    guint64 n = dn_rec_take(f);
    text[0] = '\0';
    f->bad = f->bad || n > (guint64)(f->end - f->at);
    if (f->bad)
        return;
    g_snprintf(text, space, "%.*s", (int)MIN(n, space), (const char *)f->at);
    f->at += n;
}
