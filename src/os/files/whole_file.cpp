// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/whole_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/error.hpp"
#include "os/files/ofd_lock.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr mode_t kByMask = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
constexpr std::string_view kUnfinished = ".unfinished";

std::string name_in_proc(const Descriptor& file) { return "/proc/self/fd/" + std::to_string(file.number()); }

// Invalid where the file system, or a missing /proc, knows no way to name it later.
Descriptor create_unnamed(const Folder& folder) {
  Descriptor file(::openat(folder.descriptor().number(), ".", O_RDWR | O_TMPFILE | O_CLOEXEC, kByMask));
  if (file.valid() && ::access(name_in_proc(file).c_str(), F_OK) != 0) return {};
  return file;
}

std::string unfinished_name(const std::string& name) { return name + '.' + random_hex(8).append(kUnfinished); }

}  // namespace

WholeFile::WholeFile(const Folder& folder, std::string name) : folder_(folder), name_(std::move(name)) {
  sweep_unfinished(folder_, name_ + '.');
  file_ = create_unnamed(folder);
  if (!file_.valid()) create_named();
}

void WholeFile::create_named() {
  unfinished_ = unfinished_name(name_);
  file_ = folder_.create(unfinished_, kByMask);
  static_cast<void>(try_lock_whole(file_));  // without one, a sweeper may end this early: publish() then tells
}

WholeFile::~WholeFile() {
  if (!unfinished_.empty()) folder_.remove(unfinished_);
}

bool WholeFile::link(const std::string& name) const {
  const int folder = folder_.descriptor().number();
  if (!unfinished_.empty()) return ::linkat(folder, unfinished_.c_str(), folder, name.c_str(), 0) == 0;
  return ::linkat(AT_FDCWD, name_in_proc(file_).c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void WholeFile::publish() {
  if (!link(name_)) throw system_error("give " + folder_.path() + '/' + name_ + " its name", errno);
}

void WholeFile::publish_over_old() {
  if (unfinished_.empty()) {
    static_cast<void>(try_lock_whole(file_));
    const std::string name = unfinished_name(name_);
    if (!link(name)) throw system_error("give " + folder_.path() + '/' + name + " its name", errno);
    unfinished_ = name;
  }
  const int folder = folder_.descriptor().number();
  if (::renameat(folder, unfinished_.c_str(), folder, name_.c_str()) != 0) {
    throw system_error("put the new " + folder_.path() + '/' + name_ + " in the place of the old", errno);
  }
  unfinished_.clear();
}

void sweep_unfinished(const Folder& folder, std::string_view start) {
  for (const std::string& other : folder.names()) {
    if (!other.starts_with(start) || !other.ends_with(kUnfinished)) continue;
    try {
      const Descriptor left = folder.open(other);
      if (!somebody_locks(left)) folder.remove(other);
    } catch (const Error&) {
      // Gone meanwhile, or not ours to read.
    }
  }
}

}  // namespace comity::os
