/* arrival_table.c - see arrival_table.h. */
#include "engine/packet/arrival_table.h"

#include "base/rng.h"

#define FIRST_BITS 8

static gsize arrival_home(const DnArrivalTable *table, guint64 number)
{
    return (gsize)(dn_mix64(number) >> (64 - table->bits));
}

/* Returns the index of the entry of @number, or of the free entry where it belongs. */
static gsize arrival_find(const DnArrivalTable *table, guint64 number)
{
    gsize mask = ((gsize)1 << table->bits) - 1, at = arrival_home(table, number);
    while (table->entries[at].number != 0 && table->entries[at].number != number)
        at = (at + 1) & mask;
    return at;
}

static void arrival_table_grow(DnArrivalTable *table)
{
    DnArrival *before = table->entries;
    gsize n = before != NULL ? (gsize)1 << table->bits : 0;
    table->bits = before != NULL ? table->bits + 1 : FIRST_BITS;
    table->entries = g_new0(DnArrival, (gsize)1 << table->bits);
    for (gsize i = 0; i < n; i++)
        if (before[i].number != 0)
            table->entries[arrival_find(table, before[i].number)] = before[i];
    g_free(before);
}

/* Frees the entry at @at, and moves up later entries that a search would no longer find. */
static void arrival_remove(DnArrivalTable *table, gsize at)
{
    gsize mask = ((gsize)1 << table->bits) - 1;
    for (gsize next = (at + 1) & mask; table->entries[next].number != 0; next = (next + 1) & mask) {
        gsize home = arrival_home(table, table->entries[next].number);
        if (((next - home) & mask) < ((next - at) & mask))
            continue;
        table->entries[at] = table->entries[next];
        at = next;
    }
    table->entries[at].number = 0;
    table->n--;
}

void dn_arrival_table_clear(DnArrivalTable *table)
{
    g_clear_pointer(&table->entries, g_free);
    table->n = table->bits = 0;
}

gboolean dn_arrival_table_add(DnArrivalTable *table, guint64 number, gint64 bytes, gint64 total)
{
    g_assert(number > 0);
    if (table->entries == NULL || 2 * (gsize)table->n >= (gsize)1 << table->bits)
        arrival_table_grow(table);
    gsize at = arrival_find(table, number);
    DnArrival *entry = &table->entries[at];
    if (entry->number == 0) {
        *entry = (DnArrival){.number = number};
        table->n++;
    }
    entry->bytes += bytes;
    if (entry->bytes < total)
        return FALSE;
    arrival_remove(table, at);
    return TRUE;
}
