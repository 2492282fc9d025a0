/* fail_write.c - A library for LD_PRELOAD: call number $FAIL_AT of the process to write, pwrite,
 * ftruncate, fsync, fdatasync (of a regular file) or rename fails once, as on a full disk. A write
 * that fails has written half of its bytes before, as a disk that fills up does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

static int fails(int file)
{
    struct stat status;
    const char *at = getenv("FAIL_AT");
    if (at == NULL || (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))))
        return 0;
    return ++calls == atol(at);
}

static int full(void)
{
    errno = ENOSPC;
    return -1;
}

ssize_t write(int file, const void *bytes, size_t n)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (!fails(file))
        return real(file, bytes, n);
    if (n > 1)
        real(file, bytes, n / 2);
    return full();
}

ssize_t pwrite64(int file, const void *bytes, size_t n, off64_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (real == NULL)
        real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    if (!fails(file))
        return real(file, bytes, n, at);
    if (n > 1)
        real(file, bytes, n / 2, at);
    return full();
}

ssize_t pwrite(int file, const void *bytes, size_t n, off_t at)
{
    return pwrite64(file, bytes, n, at);
}

#define FILE_CALL(name)                                                                            \
    int name(int file)                                                                             \
    {                                                                                              \
        static int (*real)(int);                                                                   \
        if (real == NULL)                                                                          \
            real = (int (*)(int))dlsym(RTLD_NEXT, #name);                                          \
        return fails(file) ? full() : real(file);                                                  \
    }
FILE_CALL(fsync)
FILE_CALL(fdatasync)

int ftruncate64(int file, off64_t length)
{
    static int (*real)(int, off64_t);
    if (real == NULL)
        real = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
    return fails(file) ? full() : real(file, length);
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (real == NULL)
        real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    return fails(-1) ? full() : real(from, to);
}
