// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/error.hpp"

namespace comity::os {
namespace {

constexpr unsigned kNoExecSeal = 8;  // MFD_NOEXEC_SEAL: since Linux 6.3, where an administrator can demand it

int open_memory_file(const char* name) {
  const int number = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | kNoExecSeal);
  if (number >= 0 || errno != EINVAL) return number;
  return ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

// The kernel ends a process that asks for a larger file than it may have.
void require_allowed_size(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return;  // RLIM_INFINITY is the largest number
  throw system_error("size a shared file of " + std::to_string(bytes) + " bytes", EFBIG,
                     "raise the limit for files (ulimit -f unlimited)");
}

}  // namespace

void allocate(const Descriptor& file, std::size_t bytes) {
  require_allowed_size(bytes);
  const auto length = static_cast<off_t>(bytes);
  if (::ftruncate(file.number(), length) != 0) throw system_error("size a shared file", errno);
  int problem = 0;
  do {
    problem = ::posix_fallocate(file.number(), 0, length);
  } while (problem == EINTR);
  if (problem != 0) {
    throw system_error("allocate " + std::to_string(bytes) + " bytes of a shared file", problem,
                       "free memory or space, or set COMITY_NODE_DIRECTORY");
  }
}

Descriptor create_memory_file(const char* name, std::size_t bytes) {
  Descriptor file(open_memory_file(name));
  if (!file.valid()) throw system_error("memfd_create", errno);
  allocate(file, bytes);
  if (::fchmod(file.number(), S_IRUSR | S_IWUSR) != 0) throw system_error("set the mode of a memory file", errno);
  if (::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw system_error("seal a memory file", errno);
  }
  return file;
}

}  // namespace comity::os
