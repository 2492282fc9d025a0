/* requests.c - numbers for requests; starting, waiting, testing, freeing.
 *
 * An MPI may give one handle to several sends that are complete at once: requests of one handle
 * form a queue, and the oldest is taken for the one that ends. */
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static DnHandles handles;
static DnNumbers numbers;
static DnRequest *requests; /* by number */
static uint32_t capacity;

static uint64_t key_of(MPI_Request handle)
{
    return (uint64_t)(uintptr_t)handle;
}

uint32_t dn_request_new(MPI_Request handle, DnRequest what)
{
    uint32_t number = dn_numbers_take(&numbers);
    if (number >= capacity) {
        capacity = capacity == 0 ? 256 : 2 * capacity;
        requests = realloc(requests, capacity * sizeof *requests);
        if (requests == NULL)
            abort();
    }
    what.active = !what.persistent;
    what.next = DN_NO_NUMBER;
    what.last = number;
    requests[number] = what;
    uint32_t first = dn_handles_get(&handles, key_of(handle));
    if (first == DN_NO_NUMBER) {
        dn_handles_set(&handles, key_of(handle), number);
    } else {
        requests[requests[first].last].next = number;
        requests[first].last = number;
    }
    return number;
}

/* The number of the oldest request of @handle is free for another. */
static void requests_forget(MPI_Request handle)
{
    uint32_t number = dn_handles_get(&handles, key_of(handle));
    uint32_t next = requests[number].next;
    if (next == DN_NO_NUMBER) {
        dn_handles_drop(&handles, key_of(handle));
    } else {
        requests[next].last = requests[number].last;
        dn_handles_set(&handles, key_of(handle), next);
    }
    dn_numbers_give(&numbers, number);
}

/* ---- starting ---- */

/* Requests without a number are of calls that are not modelled. */
static void note_start(DnCall *call, int n, const MPI_Request *given)
{
    uint64_t known = 0;
    uint8_t *at = dn_record_begin(call, DN_REC_START, 1 + (size_t)n);
    if (at == NULL)
        return;
    for (int i = 0; i < n; i++)
        known += dn_handles_get(&handles, key_of(given[i])) != DN_NO_NUMBER;
    at = dn_put(at, known);
    for (int i = 0; i < n; i++) {
        uint32_t number = dn_handles_get(&handles, key_of(given[i]));
        if (number == DN_NO_NUMBER)
            continue;
        requests[number].active = true;
        at = dn_put(at, number);
    }
    dn_record_end(at);
}

int MPI_Start(MPI_Request *request)
{
    DN_WRAP(DN_PMPI(Start)(request), note_start(&call, 1, request));
}

int MPI_Startall(int n, MPI_Request *given)
{
    DN_WRAP(DN_PMPI(Startall)(n, given), note_start(&call, n, given));
}

/* ---- waiting and testing ---- */

/* State of one call: the handles as they were before it, and statuses of our own where the program
 * wants none. It is kept a thread, so that no call allocates. */
typedef struct {
    MPI_Request *before;
    MPI_Status *statuses;
    uint32_t *numbers;
    int capacity;
} Frame;
static __thread Frame frame;

static Frame *frame_for(int n, const MPI_Request *given)
{
    if (n > frame.capacity) {
        frame.capacity = 2 * n + 64;
        frame.before = realloc(frame.before, (size_t)frame.capacity * sizeof *frame.before);
        frame.statuses = realloc(frame.statuses, (size_t)frame.capacity * sizeof *frame.statuses);
        frame.numbers = realloc(frame.numbers, (size_t)frame.capacity * sizeof *frame.numbers);
        if (frame.before == NULL || frame.statuses == NULL || frame.numbers == NULL)
            abort();
    }
    if (n > 0)
        memcpy(frame.before, given, (size_t)n * sizeof *given);
    return &frame;
}

/* The number of the oldest request of @handle, which is over; DN_NO_NUMBER: was not under way. */
static uint32_t take_done(MPI_Request handle)
{
    uint32_t number = dn_handles_get(&handles, key_of(handle));
    if (number == DN_NO_NUMBER || !requests[number].active)
        return DN_NO_NUMBER;
    requests[number].active = false;
    if (!requests[number].persistent)
        requests_forget(handle);
    return number;
}

static uint8_t *put_done(uint8_t *at, uint32_t number, MPI_Status *status)
{
    DnRequest *request = &requests[number];
    if (request->cancelled) {
        int cancelled = 0;
        PMPI_Test_cancelled(status, &cancelled);
        request->cancelled = cancelled != 0;
    }
    at = dn_put_completion(dn_put(at, number), request, status);
    request->cancelled = false;
    return at;
}

/* @n requests are over, those at @indices (NULL: 0 .. n - 1); statuses[i] belongs to the i-th. */
static void note_done(DnCall *call, DnRecComplete how, int given, int n, const int *indices,
                      MPI_Status *statuses)
{
    uint64_t open = 0;
    uint8_t *at =
        dn_record_begin(call, DN_REC_COMPLETE, 3 + (size_t)n * (1 + DN_COMPLETION_FIELDS));
    if (at == NULL)
        return;
    for (int i = 0; i < n; i++) {
        frame.numbers[i] = take_done(frame.before[indices != NULL ? indices[i] : i]);
        open += frame.numbers[i] != DN_NO_NUMBER;
    }
    at = dn_put(at, how);
    at = dn_put(at, (uint64_t)given);
    at = dn_put(at, open);
    for (int i = 0; i < n; i++)
        if (frame.numbers[i] != DN_NO_NUMBER)
            at = put_done(at, frame.numbers[i], &statuses[i]);
    dn_record_end(at);
}

int MPI_Wait(MPI_Request *request, MPI_Status *given)
{
    Frame *f = frame_for(1, request);
    MPI_Status *seen = given == MPI_STATUS_IGNORE ? f->statuses : given;
    DN_WRAP(DN_PMPI(Wait)(request, seen), note_done(&call, DN_REC_WAIT, 1, 1, NULL, seen));
}

int MPI_Waitall(int n, MPI_Request given[], MPI_Status *statuses)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? f->statuses : statuses;
    DN_WRAP(DN_PMPI(Waitall)(n, given, seen), note_done(&call, DN_REC_WAITALL, n, n, NULL, seen));
}

int MPI_Waitany(int n, MPI_Request given[], int *index, MPI_Status *status_given)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = status_given == MPI_STATUS_IGNORE ? f->statuses : status_given;
    DN_WRAP(DN_PMPI(Waitany)(n, given, index, seen),
            note_done(&call, DN_REC_WAITANY, n, *index != MPI_UNDEFINED, index, seen));
}

int MPI_Waitsome(int n, MPI_Request given[], int *n_done, int indices[], MPI_Status *statuses)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? f->statuses : statuses;
    DN_WRAP(DN_PMPI(Waitsome)(n, given, n_done, indices, seen),
            note_done(&call, DN_REC_WAITSOME, n, *n_done == MPI_UNDEFINED ? 0 : *n_done, indices,
                      seen));
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *given)
{
    Frame *f = frame_for(1, request);
    MPI_Status *seen = given == MPI_STATUS_IGNORE ? f->statuses : given;
    DN_WRAP(DN_PMPI(Test)(request, done, seen),
            if (*done) note_done(&call, DN_REC_TEST, 1, 1, NULL, seen);
            else dn_record_poll(&call));
}

int MPI_Testall(int n, MPI_Request given[], int *done, MPI_Status *statuses)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? f->statuses : statuses;
    DN_WRAP(DN_PMPI(Testall)(n, given, done, seen),
            if (*done) note_done(&call, DN_REC_TESTALL, n, n, NULL, seen);
            else dn_record_poll(&call));
}

int MPI_Testany(int n, MPI_Request given[], int *index, int *done, MPI_Status *status_given)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = status_given == MPI_STATUS_IGNORE ? f->statuses : status_given;
    DN_WRAP(DN_PMPI(Testany)(n, given, index, done, seen),
            if (*done) note_done(&call, DN_REC_TESTANY, n, *index != MPI_UNDEFINED, index, seen);
            else dn_record_poll(&call));
}

int MPI_Testsome(int n, MPI_Request given[], int *n_done, int indices[], MPI_Status *statuses)
{
    Frame *f = frame_for(n, given);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? f->statuses : statuses;
    DN_WRAP(DN_PMPI(Testsome)(n, given, n_done, indices, seen),
            if (*n_done != 0) note_done(&call, DN_REC_TESTSOME, n,
                                        *n_done == MPI_UNDEFINED ? 0 : *n_done, indices, seen);
            else dn_record_poll(&call));
}

/* ---- freeing ---- */

static void note_free(DnCall *call, MPI_Request handle)
{
    uint32_t number = dn_handles_get(&handles, key_of(handle));
    uint8_t *at = number == DN_NO_NUMBER ? NULL : dn_record_begin(call, DN_REC_FREE, 1);
    if (at == NULL)
        return;
    requests_forget(handle);
    dn_record_end(dn_put(at, number));
}

int MPI_Request_free(MPI_Request *request)
{
    MPI_Request before = *request;
    DN_WRAP(DN_PMPI(Request_free)(request), note_free(&call, before));
}

static void note_cancel(DnCall *call, MPI_Request handle)
{
    uint32_t number = dn_handles_get(&handles, key_of(handle));
    uint8_t *at = number == DN_NO_NUMBER ? NULL : dn_record_begin(call, DN_REC_CANCEL, 1);
    if (at == NULL)
        return;
    requests[number].cancelled = true;
    dn_record_end(dn_put(at, number));
}

int MPI_Cancel(MPI_Request *request)
{
    DN_WRAP(DN_PMPI(Cancel)(request), note_cancel(&call, *request));
}

DN_ALSO_PMPI(Start)
DN_ALSO_PMPI(Startall)
DN_ALSO_PMPI(Wait)
DN_ALSO_PMPI(Waitall)
DN_ALSO_PMPI(Waitany)
DN_ALSO_PMPI(Waitsome)
DN_ALSO_PMPI(Test)
DN_ALSO_PMPI(Testall)
DN_ALSO_PMPI(Testany)
DN_ALSO_PMPI(Testsome)
DN_ALSO_PMPI(Request_free)
DN_ALSO_PMPI(Cancel)
