/* handles.c - Handle tables map MPI's handles to small numbers; see record.h. */
#include <stdlib.h>

#include "record/record.h"

static uint32_t slot_of(const DnHandles *handles, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - handles->bits));
}

static void handles_grow(DnHandles *handles)
{
    DnHandles old = *handles;
    handles->bits = old.bits == 0 ? 6 : old.bits + 1;
    if (handles->bits > 31)
        abort();
    handles->keys = calloc((size_t)1 << handles->bits, sizeof *handles->keys);
    handles->values = calloc((size_t)1 << handles->bits, sizeof *handles->values);
    if (handles->keys == NULL || handles->values == NULL)
        abort();
    handles->used = 0;
    size_t slots = old.bits > 0 ? (size_t)1 << (old.bits & 31) : 0;
    for (size_t i = 0; i < slots; i++)
        if (old.keys[i] != 0)
            dn_handles_set(handles, old.keys[i], old.values[i]);
    free(old.keys);
    free(old.values);
}

void dn_handles_set(DnHandles *handles, uint64_t key, uint32_t value)
{
    if (handles->bits == 0 || 2 * handles->used >= 1u << handles->bits)
        handles_grow(handles);
    uint32_t mask = (uint32_t)(((uint64_t)1 << (handles->bits & 31)) - 1),
             i = slot_of(handles, key);
    while (handles->keys[i] != 0 && handles->keys[i] != key)
        i = (i + 1) & mask;
    handles->used += handles->keys[i] == 0;
    handles->keys[i] = key;
    handles->values[i] = value;
}

uint32_t dn_handles_get(const DnHandles *handles, uint64_t key)
{
    if (handles->bits == 0)
        return DN_NO_NUMBER;
    uint32_t mask = (1u << handles->bits) - 1;
    for (uint32_t i = slot_of(handles, key); handles->keys[i] != 0; i = (i + 1) & mask)
        if (handles->keys[i] == key)
            return handles->values[i];
    return DN_NO_NUMBER;
}

/* Entries behind the removed one move up, so that no hole cuts a chain. */
void dn_handles_drop(DnHandles *handles, uint64_t key)
{
    if (handles->bits == 0)
        return;
    uint32_t mask = (1u << handles->bits) - 1, hole = slot_of(handles, key);
    while (handles->keys[hole] != key) {
        if (handles->keys[hole] == 0)
            return;
        hole = (hole + 1) & mask;
    }
    for (uint32_t i = (hole + 1) & mask; handles->keys[i] != 0; i = (i + 1) & mask) {
        if (((i - slot_of(handles, handles->keys[i])) & mask) < ((i - hole) & mask))
            continue;
        handles->keys[hole] = handles->keys[i];
        handles->values[hole] = handles->values[i];
        hole = i;
    }
    handles->keys[hole] = 0;
    handles->used--;
}

uint32_t dn_numbers_take(DnNumbers *numbers)
{
    return numbers->n_spare > 0 ? numbers->spare[--numbers->n_spare] : numbers->next++;
}

void dn_numbers_give(DnNumbers *numbers, uint32_t number)
{
    if (numbers->n_spare == numbers->capacity) {
        numbers->capacity = numbers->capacity == 0 ? 64 : 2 * numbers->capacity;
        numbers->spare = realloc(numbers->spare, numbers->capacity * sizeof *numbers->spare);
        if (numbers->spare == NULL)
            abort();
    }
    numbers->spare[numbers->n_spare++] = number;
}
