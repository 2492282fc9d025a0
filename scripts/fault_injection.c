/* fault_injection.c - LD_PRELOAD: the call number FAULT_AT of FAULT_CALL fails, once.
 *
 * FAULT_CALL: malloc (and calloc, realloc), write, fsync, rename, open, fork, mmap. A file
 * FAULT_DONE is made when it happened, by system calls alone. Calls are counted from main() on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at = -1;
static const char *fail_call = "", *done_file;
static int armed;

__attribute__((constructor)) static void arm(void)
{
    const char *at = getenv("FAULT_AT"), *call = getenv("FAULT_CALL");
    done_file = getenv("FAULT_DONE");
    if (at == NULL || call == NULL || done_file == NULL)
        return;
    fail_at = atol(at);
    fail_call = call;
    armed = 1;
}

static int fails(const char *call)
{
    if (!armed || strcmp(call, fail_call) != 0 || atomic_fetch_add(&calls, 1) + 1 != fail_at)
        return 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, done_file, O_CREAT | O_WRONLY, 0600);
    syscall(SYS_close, fd);
    return 1;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    if (fails("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
    if (fails("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(n, each);
}

void *realloc(void *old, size_t n)
{
    if (fails("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, n);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, n);
}

int fsync(int fd)
{
    if (fails("fsync")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    if (fails("rename")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int open_at(const char *path, int flags, mode_t mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY && fails("open")) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_at(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_at(path, flags, mode);
}

pid_t fork(void)
{
    if (fails("fork")) {
        errno = EAGAIN;
        return -1;
    }
    return NEXT(fork)();
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails("mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return mmap(at, n, protection, flags, fd, offset);
}
