/* request_table.c - see request_table.h. */
#include "trace/request_table.h"

#define LEAST_BITS 3

void dn_request_table_clear(DnRequestTable *table)
{
    g_free(table->entries);
    *table = (DnRequestTable){0};
}

static guint32 home_of(const DnRequestTable *table, guint64 handle)
{
    return (guint32)(handle * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> (64 - table->bits));
}

/* The place of @handle, or the free one where it would be. */
static guint32 place_of(const DnRequestTable *table, guint64 handle)
{
    guint32 mask = (1u << table->bits) - 1, place = home_of(table, handle);
    while (table->entries[place].number != DN_REQUEST_NONE &&
           table->entries[place].handle != handle)
        place = (place + 1) & mask;
    return place;
}

guint32 dn_request_table_find(const DnRequestTable *table, guint64 handle)
{
    return table->n == 0 ? DN_REQUEST_NONE : table->entries[place_of(table, handle)].number;
}

static void request_table_grow(DnRequestTable *table)
{
    DnRequestTable old = *table;
    table->bits = MAX(LEAST_BITS, old.bits + 1);
    table->entries = g_new(DnRequestEntry, (gsize)1 << table->bits);
    for (guint32 i = 0; i < 1u << table->bits; i++)
        table->entries[i].number = DN_REQUEST_NONE;
    for (guint32 i = 0; old.entries != NULL && i < 1u << old.bits; i++)
        if (old.entries[i].number != DN_REQUEST_NONE)
            table->entries[place_of(table, old.entries[i].handle)] = old.entries[i];
    g_free(old.entries);
}

void dn_request_table_add(DnRequestTable *table, guint64 handle, guint32 number)
{
    g_assert(number != DN_REQUEST_NONE);
    if (table->entries == NULL || 2 * table->n >= 1u << table->bits)
        request_table_grow(table);
    guint32 place = place_of(table, handle);
    g_assert(table->entries[place].number == DN_REQUEST_NONE);
    table->entries[place] = (DnRequestEntry){.handle = handle, .number = number};
    table->n++;
}

void dn_request_table_remove(DnRequestTable *table, guint64 handle)
{
    g_assert(table->n > 0);
    guint32 mask = (1u << table->bits) - 1, gap = place_of(table, handle);
    g_assert(table->entries[gap].number != DN_REQUEST_NONE);
    table->entries[gap].number = DN_REQUEST_NONE;
    table->n--;
    /* What follows moves up, where its home is not behind the gap. */
    for (guint32 i = (gap + 1) & mask; table->entries[i].number != DN_REQUEST_NONE;
         i = (i + 1) & mask) {
        guint32 home = home_of(table, table->entries[i].handle);
        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        table->entries[gap] = table->entries[i];
        table->entries[i].number = DN_REQUEST_NONE;
        gap = i;
    }
}
