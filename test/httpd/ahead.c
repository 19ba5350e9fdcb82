/*
 * Loaded into httpd by LD_PRELOAD (test/httpd/ahead.ts): of a config test nearly all the time goes into loading a hundred modules, which are
 * the same ones in every test. So httpd loads them once, waits where it is about to open the configuration under test, and goes on from there in a
 * copy of the process (fork) for each test: what reads the configuration and judges it is httpd, as it came out of its own main().
 *
 * AHEAD_FILE is the file to wait at. A test is a byte on AHEAD_REQUESTS; it is answered on AHEAD_ANSWERS by the copy's process id and then by how it
 * ended, a line each. What it writes to stderr goes to the file AHEAD_STDERR.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_copy;

/* What ends at once needs no tidying up. */
int dlclose(void *handle)
{
    static int (*real)(void *);
    if (is_copy) return 0;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    return real(handle);
}

void exit(int code)
{
    static void (*real)(int);
    if (is_copy) _exit(code);
    *(void **)&real = dlsym(RTLD_NEXT, "exit");
    real(code);
    _exit(code);
}

static void redirect(const char *file, int flags, int to)
{
    int fd = open(file, flags, 0600);
    if (fd < 0 || dup2(fd, to) < 0) _exit(120);
    if (fd != to) close(fd);
}

/* Returns in copies only. */
static void wait_for_tests(void)
{
    int requests = atoi(getenv("AHEAD_REQUESTS")), answers = atoi(getenv("AHEAD_ANSWERS"));
    const char *log = getenv("AHEAD_STDERR");
    char request;
    while (read(requests, &request, 1) == 1) {
        int status;
        pid_t copy = fork();
        if (copy < 0) _exit(121);
        if (copy == 0) {
            is_copy = 1;
            close(requests);
            close(answers);
            redirect("/dev/null", O_RDWR, 0);
            redirect("/dev/null", O_RDWR, 1);
            redirect(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 2);
            unsetenv("LD_PRELOAD");
            unsetenv("AHEAD_REQUESTS");
            unsetenv("AHEAD_ANSWERS");
            unsetenv("AHEAD_STDERR");
            unsetenv("AHEAD_FILE");
            return;
        }
        dprintf(answers, "%d\n", (int)copy);
        if (waitpid(copy, &status, 0) != copy) _exit(122);
        dprintf(answers, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    _exit(0);
}

int apr_file_open(void **file, const char *name, int flags, int permissions, void *pool)
{
    static int (*real)(void **, const char *, int, int, void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "apr_file_open");
    if (!is_copy) {
        const char *at = getenv("AHEAD_FILE");
        if (at && strcmp(at, name) == 0) wait_for_tests();
    }
    return real(file, name, flags, permissions, pool);
}
