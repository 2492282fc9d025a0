/* fault_injection.c - LD_PRELOAD: one call of the program fails, once, again and again.
 *
 * Before main() the process waits for lines `CALL NUMBER` on its descriptor FAULT_IN, and forks
 * for each one: in the child that call fails, counted from main() on, and standard error is the
 * file FAULT_SAID. Once the child has ended, its wait status goes to FAULT_OUT as an int. So a case
 * costs no start of the program, most of whose time the linker takes.
 * CALL: malloc (and calloc, realloc), read, write, fsync, close, rename, unlink, mkdir, open,
 * opendir, readdir, fork, pthread_create, mmap. A file FAULT_DONE is made when it happened, by
 * system calls alone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at = -1;
static const char *fail_call = "", *done_file;
static int armed;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* The child returns, the parent never does. */
static void serve(int in, int out, const char *said)
{
    static char line[64];
    for (;;) {
        size_t n = 0;
        do
            if (n + 1 == sizeof line || syscall(SYS_read, in, line + n, 1) != 1)
                _exit(0);
        while (line[n++] != '\n');
        line[n - 1] = '\0';
        pid_t child = NEXT(fork)();
        if (child == 0)
            break;
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child)
            _exit(1);
        syscall(SYS_write, out, &status, sizeof status);
    }
    close(in);
    close(out);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, said, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(fd, STDERR_FILENO);
    close(fd);
    char *space = strchr(line, ' ');
    *space = '\0';
    fail_at = strtol(space + 1, NULL, 10);
    fail_call = line;
    armed = 1;
}

static int (*program_main)(int, char **, char **);

static int main_after_arming(int argc, char **argv, char **environment)
{
    const char *in = getenv("FAULT_IN"), *out = getenv("FAULT_OUT"), *said = getenv("FAULT_SAID");
    done_file = getenv("FAULT_DONE");
    if (in != NULL && out != NULL && said != NULL && done_file != NULL)
        serve((int)strtol(in, NULL, 10), (int)strtol(out, NULL, 10), said);
    return program_main(argc, argv, environment);
}

typedef int Start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                  void (*)(void), void *);

/* What _start calls when every library has set itself up. */
int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*linker_fini)(void),
                      void *stack_end)
{
    program_main = start;
    return ((Start *)dlsym(RTLD_NEXT, "__libc_start_main"))(main_after_arming, argc, argv, init,
                                                            fini, linker_fini, stack_end);
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

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, n);
}

ssize_t read(int fd, void *bytes, size_t n)
{
    if (fails("read")) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_read, fd, bytes, n);
}

int close(int fd)
{
    if (fails("close")) {
        errno = EIO;
        syscall(SYS_close, fd);
        return -1;
    }
    return (int)syscall(SYS_close, fd);
}

int unlink(const char *path)
{
    if (fails("unlink")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
    if (fails("mkdir")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
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

DIR *opendir(const char *path)
{
    if (fails("opendir")) {
        errno = EMFILE;
        return NULL;
    }
    return NEXT(opendir)(path);
}

struct dirent *readdir(DIR *folder)
{
    if (fails("readdir")) {
        errno = EIO;
        return NULL;
    }
    return NEXT(readdir)(folder);
}

struct dirent64 *readdir64(DIR *folder)
{
    if (fails("readdir")) {
        errno = EIO;
        return NULL;
    }
    return NEXT(readdir64)(folder);
}

pid_t fork(void)
{
    if (fails("fork")) {
        errno = EAGAIN;
        return -1;
    }
    return NEXT(fork)();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *data)
{
    return fails("pthread_create") ? EAGAIN : NEXT(pthread_create)(thread, attributes, run, data);
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
