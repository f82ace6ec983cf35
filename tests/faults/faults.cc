#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// A disk that fails. With LD_PRELOAD, and FAULT="write 3 28" in the environment, the third write()
// of the program and all that follow fail with error 28; so with fsync, rename, linkat and close,
// and with "tmpfile" for files without a name. "short 1 0": a write() takes half of its bytes.
// Several are separated by commas. Descriptors up to 2 are spared.

namespace {

using Count = std::atomic<int>;
Count writes, shorts, syncs, closes, renames, links, nameless;

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

bool fails(const char* call, Count& count) {
  for (const char* text = std::getenv("FAULT"); text != nullptr; text = std::strchr(text, ',')) {
    text += *text == ',' ? 1 : 0;
    char name[16] = "";
    int first = 0, error = 0;
    if (std::sscanf(text, "%15s %d %d", name, &first, &error) != 3) continue;
    if (std::strcmp(name, call) != 0 || ++count < first) continue;
    errno = error;
    return true;
  }
  return false;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  if (fd > 2 && fails("write", writes)) return -1;
  const size_t part = fd > 2 && size > 1 && fails("short", shorts) ? (size + 1) / 2 : size;
  return real<ssize_t(int, const void*, size_t)>("write")(fd, bytes, part);
}

int fsync(int fd) { return fails("fsync", syncs) ? -1 : real<int(int)>("fsync")(fd); }

int close(int fd) {
  const int result = real<int(int)>("close")(fd);
  return fd > 2 && fails("close", closes) ? -1 : result;
}

int rename(const char* from, const char* to) noexcept {
  return fails("rename", renames) ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

int linkat(int a, const char* from, int b, const char* to, int flags) noexcept {
  if (fails("linkat", links)) return -1;
  return real<int(int, const char*, int, const char*, int)>("linkat")(a, from, b, to, flags);
}

int open(const char* path, int flags, ...) {
  if ((flags & O_TMPFILE) == O_TMPFILE && fails("tmpfile", nameless)) return -1;
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}
}
#pragma GCC visibility pop
