/* writer.c - blocks in a mapped file: what is written there outlives a killed process.
 *
 * Space is reserved before it is mapped, so a full disk is an error here and not a signal later. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/record.h"

static struct {
    int file; /* -1: not recording */
    uint64_t run;
    uint32_t rank, ranks, number;
    off_t start; /* of the block, in the file */
    size_t mapped;
    DnRecBlock *block;
    uint8_t *at, *end;
    char path[4096];
} writer = {.file = -1};

static void writer_stop(const char *what)
{
    fprintf(stderr, "darner record: rank %u: %s: %s; recording stops here\n", writer.rank, what,
            strerror(errno));
    if (writer.file >= 0)
        close(writer.file);
    writer.file = -1;
    writer.block = NULL;
}

static void writer_seal(void)
{
    const uint8_t *records = (const uint8_t *)(writer.block + 1);
    writer.block->checksum = dn_rec_checksum(records, writer.block->raw_bytes);
    writer.block->state = DN_REC_SEALED;
    writer.start += (off_t)writer.mapped;
    munmap(writer.block, writer.mapped);
    writer.block = NULL;
}

static bool open_block(size_t capacity)
{
    writer.mapped = DN_REC_BLOCK;
    while (writer.mapped - sizeof(DnRecBlock) < capacity)
        writer.mapped *= 2;
    errno = posix_fallocate(writer.file, writer.start, (off_t)writer.mapped);
    if (errno != 0) {
        writer_stop("reserving space");
        return false;
    }
    void *memory =
        mmap(NULL, writer.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, writer.file, writer.start);
    if (memory == MAP_FAILED) {
        writer_stop("mapping the trace");
        return false;
    }
    writer.block = memory;
    *writer.block = (DnRecBlock){.magic = DN_REC_MAGIC,
                                 .version = DN_REC_VERSION,
                                 .run = writer.run,
                                 .rank = writer.rank,
                                 .ranks = writer.ranks,
                                 .number = writer.number++,
                                 .stored_bytes = (uint32_t)(writer.mapped - sizeof(DnRecBlock))};
    writer.at = (uint8_t *)(writer.block + 1);
    writer.end = (uint8_t *)memory + writer.mapped;
    return true;
}

bool dn_writer_open(const char *folder, uint64_t run, int rank, int ranks)
{
    writer.run = run;
    writer.rank = (uint32_t)rank;
    writer.ranks = (uint32_t)ranks;
    int n = snprintf(writer.path, sizeof writer.path, "%s/rank-%06d.drn", folder, rank);
    errno = ENAMETOOLONG;
    if (n < (int)sizeof writer.path)
        writer.file = open(writer.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer.file < 0) {
        writer_stop(writer.path);
        return false;
    }
    return open_block(0);
}

void dn_writer_close(void)
{
    if (writer.file < 0)
        return;
    off_t whole = writer.start + (off_t)sizeof(DnRecBlock) + (off_t)writer.block->raw_bytes;
    writer.block->stored_bytes = writer.block->raw_bytes;
    writer_seal();
    if (ftruncate(writer.file, whole) != 0)
        writer_stop("cutting the trace's end");
    if (writer.file >= 0)
        close(writer.file);
    writer.file = -1;
}

void dn_writer_discard(void)
{
    if (writer.file < 0)
        return;
    dn_writer_close();
    unlink(writer.path);
}

uint8_t *dn_writer_reserve(size_t bytes)
{
    if (writer.file < 0)
        return NULL;
    if ((size_t)(writer.end - writer.at) >= bytes)
        return writer.at;
    writer_seal();
    return open_block(bytes) ? writer.at : NULL;
}

void dn_writer_commit(const uint8_t *end)
{
    writer.at += end - writer.at;
    /* A kill between the record and this leaves the record out, whole. */
    __atomic_store_n(&writer.block->raw_bytes,
                     (uint32_t)(writer.at - (uint8_t *)(writer.block + 1)), __ATOMIC_RELEASE);
}

uint8_t *dn_put_text(uint8_t *at, const char *text, size_t most)
{
    size_t n = strnlen(text, most);
    at = dn_put(at, n);
    memcpy(at, text, n);
    return at + n;
}
