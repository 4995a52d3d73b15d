// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/exclusive_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "base/error.hpp"
#include "os/files/memory_file.hpp"
#include "os/files/open_directory.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr std::string_view kPrefix = "comity-node-";
constexpr std::uint64_t kCreatorByte = 1U << 30U;  // beyond the bytes that participants of a segment lock

bool is_left_over(const std::string& directory, const std::string& name) {
  const Descriptor file = ExclusiveFile::open(directory, name);
  const FileFacts facts = file_facts(file);
  return facts.regular && facts.owner == ::geteuid() && try_lock_whole(file);
}

}  // namespace

ExclusiveFile::ExclusiveFile(std::string directory, std::size_t bytes) : directory_(std::move(directory)) {
  constexpr int kAttempts = 16;
  int attempts = 0;
  while (!try_create()) {
    if (++attempts < kAttempts) continue;
    throw Error(Status::system, "make a locked file in " + directory_ + ": " + std::to_string(kAttempts) +
                                    " files were taken away before a lock was on them");
  }
  try {
    allocate(file_, bytes);
  } catch (const Error& error) {
    ::unlink(path_.c_str());
    throw Error(error.status(), "make a shared file in " + directory_ + ": " + error.what());
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

// False when a sweeper met the file before its lock was there: then the caller tries another name.
bool ExclusiveFile::try_create() {
  name_ = std::string(kPrefix) + random_hex(16);
  path_ = directory_ + '/' + name_;
  file_ = open_file(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  try {
    if (try_lock()) return true;
  } catch (const Error& error) {
    ::unlink(path_.c_str());
    throw Error(error.status(), "make a locked file in " + directory_ + ": " + error.what());
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
  ::unlink(path_.c_str());
  return false;
}

// A sweeper shows in three ways: the name is gone, it holds its lock, or it took the file away under ours. Any other
// failure is the kernel's, and would meet the next name as well.
bool ExclusiveFile::try_lock() {
  Descriptor description;
  try {
    description = open(directory_, name_);
  } catch (const Error&) {
    if (file_facts(file_).links == 0) return false;
    throw;
  }
  try {
    lock_ = std::make_unique<OfdLock>(std::move(description), kCreatorByte);
  } catch (const LockHeld&) {
    return false;
  }
  return file_facts(file_).links != 0;
}

ExclusiveFile::~ExclusiveFile() {
  if (!lock_->lost_by_fork()) ::unlink(path_.c_str());
}

Descriptor ExclusiveFile::open(const std::string& directory, const std::string& name) {
  return open_file(directory + '/' + name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

int sweep_exclusive_files(const std::string& directory) {
  const OpenDirectory list(::opendir(directory.c_str()));
  if (!list) return 0;
  int swept = 0;
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string name = entry->d_name;
    if (!name.starts_with(kPrefix)) continue;
    try {
      if (!is_left_over(directory, name)) continue;
      if (::unlink((std::string(directory).append(1, '/').append(name)).c_str()) == 0) ++swept;
    } catch (const Error&) {
      // Another user's, or gone meanwhile: not ours to sweep.
    }
  }
  return swept;
}

}  // namespace comity::os
