// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace comity::os {
namespace {

FileFacts facts_of(const struct stat& status) {
  return {.regular = S_ISREG(status.st_mode),
          .bytes = static_cast<std::uint64_t>(status.st_size),
          .links = static_cast<std::uint64_t>(status.st_nlink),
          .owner = status.st_uid};
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor open_file(const std::string& path, int flags, mode_t mode) {
  const int number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (number < 0) throw system_error("open " + path, errno);
  return Descriptor(number);
}

Descriptor open_existing(const std::string& path) { return open_file(path, O_RDWR | O_NONBLOCK | O_NOCTTY); }

Descriptor open_to_read(const std::string& path) { return open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY); }

Descriptor reopen(const Descriptor& file, int flags) {
  return open_file("/proc/self/fd/" + std::to_string(file.number()), flags);
}

Descriptor reopen(const Descriptor& file) { return reopen(file, O_RDWR | O_NONBLOCK | O_NOCTTY); }

FileFacts file_facts(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("stat an open file", errno);
  return facts_of(status);
}

FileFacts file_facts(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("stat " + path, errno);
  return facts_of(status);
}

std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(file.number(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read from an open file", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void write_at(const Descriptor& file, std::span<const std::byte> from, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < from.size()) {
    const ssize_t put =
        ::pwrite(file.number(), from.data() + done, from.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error("write to an open file", errno);
    done += static_cast<std::size_t>(put);
  }
}

void reserve(const Descriptor& file, std::uint64_t offset, std::uint64_t bytes) {
  int problem = 0;
  do {
    problem = ::posix_fallocate(file.number(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (problem == EINTR);
  if (problem != 0) throw system_error("allocate " + std::to_string(bytes) + " bytes of a file", problem);
}

}  // namespace comity::os
