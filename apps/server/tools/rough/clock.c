// Preloaded into the processes of `pnpm rough fast` and `pnpm rough at`: shifts and scales the clocks that they read.
// The start of scaling is given in the environment, because all processes of a run must agree on the time: libfaketime agrees
// on it through shared memory that only the user who started it can open, behind a lock that a killed process never releases.
// Processor time and the times of files stay as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>

typedef long long nanoseconds;
typedef struct timespec timespec;
#define SECOND 1000000000LL
// Deadlines after September 2001 count from 1970, smaller ones from the start of the machine.
#define LEAST_WALL_SECONDS 1000000000LL

static double rate = 1;
static nanoseconds wall_start, steady_start, wall_shift;

static int (*next_gettime)(clockid_t, timespec *);
static int (*next_nanosleep)(clockid_t, int, const timespec *, timespec *);
static int (*next_timedwait)(pthread_cond_t *, pthread_mutex_t *, const timespec *);
static int (*next_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const timespec *);
static int (*next_sem_timedwait)(sem_t *, const timespec *);
static int (*next_sem_clockwait)(sem_t *, clockid_t, const timespec *);
static int (*next_poll)(struct pollfd *, nfds_t, int);
static int (*next_epoll_wait)(int, struct epoll_event *, int, int);
static int (*next_epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);

static nanoseconds setting(const char *name) {
  const char *value = getenv(name);
  return value ? atoll(value) : 0;
}

__attribute__((constructor)) static void load(void) {
  if (next_gettime) return;
  const char *given = getenv("ROUGH_CLOCK_RATE");
  if (given && atof(given) > 0) rate = atof(given);
  wall_start = setting("ROUGH_CLOCK_WALL_START_NS");
  steady_start = setting("ROUGH_CLOCK_STEADY_START_NS");
  wall_shift = setting("ROUGH_CLOCK_SHIFT_S") * SECOND;
  // Without a version the oldest one is found, which takes another structure.
  next_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!next_timedwait) next_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  next_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  next_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
  next_sem_clockwait = dlsym(RTLD_NEXT, "sem_clockwait");
  next_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  next_poll = dlsym(RTLD_NEXT, "poll");
  next_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
  next_epoll_pwait = dlsym(RTLD_NEXT, "epoll_pwait");
  next_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

static int is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI || clock == CLOCK_REALTIME_ALARM;
}
static int is_steady(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
}

static timespec as_timespec(nanoseconds time) { return (timespec){time / SECOND, time % SECOND}; }
static nanoseconds as_nanoseconds(const timespec *time) { return time->tv_sec * SECOND + time->tv_nsec; }

static timespec shown(timespec real, int wall) {
  nanoseconds start = wall ? wall_start : steady_start;
  nanoseconds passed = as_nanoseconds(&real) - start;
  if (rate != 1) passed = (nanoseconds)((double)passed * rate);
  return as_timespec(start + passed + (wall ? wall_shift : 0));
}
static timespec real_deadline(const timespec *deadline, int wall) {
  nanoseconds start = wall ? wall_start : steady_start;
  nanoseconds passed = as_nanoseconds(deadline) - start - (wall ? wall_shift : 0);
  if (rate != 1) passed = (nanoseconds)((double)passed / rate);
  return as_timespec(start + passed);
}
static int real_timeout(int timeout_ms) {
  if (timeout_ms <= 0 || rate == 1) return timeout_ms;
  double scaled = timeout_ms / rate;
  return scaled < INT_MAX ? (int)scaled : INT_MAX;
}

int clock_gettime(clockid_t clock, timespec *time) {
  load();
  int failed = next_gettime(clock, time);
  if (!failed && (is_wall(clock) || is_steady(clock))) *time = shown(*time, is_wall(clock));
  return failed;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t *seconds) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
int timespec_get(timespec *now, int base) {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, now);
  return base;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *deadline) {
  load();
  timespec real = real_deadline(deadline, deadline->tv_sec > LEAST_WALL_SECONDS);
  return next_timedwait(condition, mutex, &real);
}
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const timespec *deadline) {
  load();
  timespec real = real_deadline(deadline, is_wall(clock));
  return next_clockwait(condition, mutex, clock, &real);
}
int sem_timedwait(sem_t *semaphore, const timespec *deadline) {
  load();
  timespec real = real_deadline(deadline, 1);
  return next_sem_timedwait(semaphore, &real);
}
int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *deadline) {
  load();
  timespec real = real_deadline(deadline, is_wall(clock));
  return next_sem_clockwait(semaphore, clock, &real);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *left) {
  load();
  if (!(flags & TIMER_ABSTIME)) return next_nanosleep(clock, flags, time, left);
  timespec real = real_deadline(time, is_wall(clock));
  return next_nanosleep(clock, flags, &real, left);
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms) {
  load();
  return next_poll(files, count, real_timeout(timeout_ms));
}
int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms) {
  load();
  return next_epoll_wait(epoll, events, most, real_timeout(timeout_ms));
}
int epoll_pwait(int epoll, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask) {
  load();
  return next_epoll_pwait(epoll, events, most, real_timeout(timeout_ms), mask);
}
