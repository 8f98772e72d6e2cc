/*
 * Keeps, beside the files of one folder, a second folder that holds only what was synced: what a disk would hold
 * after the power was lost. Preloaded into a process; ONLY_SYNCED_FROM is the folder, ONLY_SYNCED_TO the second one.
 * With ONLY_SYNCED_IGNORE set, syncing keeps nothing, as on a disk that lies.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct { char name[NAME_MAX + 1]; off_t from[4096]; off_t to[4096]; int ranges; int whole; } Dirty;
static Dirty files[16];
static int known;

static Dirty *dirty_of(int fd) {
  const char *folder = getenv("ONLY_SYNCED_FROM");
  if (!folder) return NULL;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  size_t prefix = strlen(folder);
  if (strncmp(path, folder, prefix) != 0 || path[prefix] != '/' || strchr(path + prefix + 1, '/')) return NULL;
  const char *name = path + prefix + 1;
  for (int i = 0; i < known; i++) if (strcmp(files[i].name, name) == 0) return &files[i];
  if (known == 16 || strlen(name) > NAME_MAX) return NULL;
  strcpy(files[known].name, name);
  return &files[known++];
}

static void mark(int fd, off_t from, off_t to) {
  pthread_mutex_lock(&lock);
  Dirty *dirty = dirty_of(fd);
  if (dirty && dirty->ranges < 4096) {
    dirty->from[dirty->ranges] = from;
    dirty->to[dirty->ranges++] = to;
  } else if (dirty) dirty->whole = 1;
  pthread_mutex_unlock(&lock);
}

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static void copy(int from_fd, int to_fd, off_t from, off_t to) {
  char bytes[65536];
  while (from < to) {
    size_t wanted = to - from < (off_t)sizeof bytes ? (size_t)(to - from) : sizeof bytes;
    ssize_t got = pread(from_fd, bytes, wanted, from);
    if (got <= 0) return;
    real_pwrite(to_fd, bytes, got, from);
    from += got;
  }
}

static void keep(int fd) {
  const char *target = getenv("ONLY_SYNCED_TO");
  pthread_mutex_lock(&lock);
  Dirty *dirty = dirty_of(fd);
  if (dirty && target && !getenv("ONLY_SYNCED_IGNORE")) {
    char path[PATH_MAX], link[64];
    struct stat now;
    snprintf(path, sizeof path, "%s/%s", target, dirty->name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int to_fd = open(path, O_WRONLY | O_CREAT, 0644), from_fd = open(link, O_RDONLY);
    if (to_fd >= 0 && from_fd >= 0 && fstat(fd, &now) == 0) {
      if (dirty->whole) copy(from_fd, to_fd, 0, now.st_size);
      for (int i = 0; i < dirty->ranges; i++) copy(from_fd, to_fd, dirty->from[i], dirty->to[i]);
      int (*truncate_file)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
      truncate_file(to_fd, now.st_size);
    }
    if (to_fd >= 0) close(to_fd);
    if (from_fd >= 0) close(from_fd);
    dirty->ranges = dirty->whole = 0;
  }
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void) { real_pwrite = dlsym(RTLD_NEXT, "pwrite"); }

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  ssize_t done = real_pwrite(fd, bytes, count, offset);
  if (done > 0) mark(fd, offset, offset + done);
  return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) { return pwrite(fd, bytes, count, offset); }

ssize_t write(int fd, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "write");
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = real(fd, bytes, count);
  if (done > 0 && offset >= 0) mark(fd, offset, offset + done);
  return done;
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  int failed = real(fd);
  if (!failed) keep(fd);
  return failed;
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  int failed = real(fd);
  if (!failed) keep(fd);
  return failed;
}

int unlink(const char *path) {
  static int (*real)(const char *);
  if (!real) real = dlsym(RTLD_NEXT, "unlink");
  const char *folder = getenv("ONLY_SYNCED_FROM"), *target = getenv("ONLY_SYNCED_TO");
  int failed = real(path);
  if (!failed && folder && target && strncmp(path, folder, strlen(folder)) == 0) {
    char copy_path[PATH_MAX];
    snprintf(copy_path, sizeof copy_path, "%s%s", target, path + strlen(folder));
    pthread_mutex_lock(&lock);
    real(copy_path);
    pthread_mutex_unlock(&lock);
  }
  return failed;
}
