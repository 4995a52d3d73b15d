// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "os/files/open_directory.hpp"

namespace comity::os {
namespace {

constexpr mode_t kPrivate = S_IRWXU;
constexpr mode_t kOfOthers = S_IRWXG | S_IRWXO;

Descriptor open_in(const Descriptor& directory, const std::string& name, int flags, mode_t mode = 0) {
  return Descriptor(::openat(directory.number(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
}

void require_private(const Descriptor& folder, const std::string& path) {
  struct stat status {};
  if (::fstat(folder.number(), &status) != 0) throw system_error("stat " + path, errno);
  const std::string what_to_do = "; remove it, or set TMPDIR to another folder";
  if (status.st_uid != ::geteuid()) {
    throw Error(Status::system, "use the folder " + path + ": it belongs to user " + std::to_string(status.st_uid) +
                                    ", and this process runs as " + std::to_string(::geteuid()) + what_to_do);
  }
  if ((status.st_mode & kOfOthers) != 0) {
    throw Error(Status::system,
                "use the folder " + path + ": others may enter it (chmod 700 " + path + ")" + what_to_do);
  }
}

}  // namespace

Folder::Folder(const std::string& path) : directory_(open_file(path, O_RDONLY | O_DIRECTORY)), path_(path) {}

std::optional<Folder> Folder::existing_private_folder(const std::string& name) const {
  Descriptor inner = open_in(directory_, name, O_RDONLY | O_DIRECTORY);
  const int why = errno;
  if (!inner.valid() && why == ENOENT) return std::nullopt;
  if (!inner.valid() && (why == ENOTDIR || why == ELOOP)) {
    throw Error(Status::system, "use the folder " + path_of(name) +
                                    ": it is a link or a file; remove it, or set TMPDIR to another folder");
  }
  if (!inner.valid()) throw system_error("open the folder " + path_of(name), why);
  require_private(inner, path_of(name));
  return Folder(std::move(inner), path_of(name));
}

// Somebody else may remove the empty folder between the two steps: then it is made again.
Folder Folder::private_folder(const std::string& name) const {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int made = ::mkdirat(directory_.number(), name.c_str(), kPrivate);
    if (made != 0 && errno != EEXIST) throw system_error("make the folder " + path_of(name), errno);
    std::optional<Folder> inner = existing_private_folder(name);
    if (inner) return std::move(*inner);
  }
  throw Error(Status::system, "make the folder " + path_of(name) + ": it is removed again and again");
}

Descriptor Folder::create(const std::string& name, mode_t mode) const {
  Descriptor file = open_in(directory_, name, O_RDWR | O_CREAT | O_EXCL, mode);
  if (!file.valid()) throw system_error("create " + path_of(name), errno);
  return file;
}

Descriptor Folder::open(const std::string& name) const {
  Descriptor file = open_in(directory_, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.valid()) throw system_error("open " + path_of(name), errno);
  return file;
}

bool Folder::has(const std::string& name) const {
  struct stat status {};
  return ::fstatat(directory_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

std::vector<std::string> Folder::names() const {
  // A description of its own, for a directory's list is read from where the last one stopped.
  Descriptor again = open_in(directory_, ".", O_RDONLY | O_DIRECTORY);
  const OpenDirectory list(again.valid() ? ::fdopendir(again.number()) : nullptr);
  if (!list) throw system_error("list the folder " + path_, errno);
  static_cast<void>(again.release());
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool Folder::remove(const std::string& name) const noexcept {
  return ::unlinkat(directory_.number(), name.c_str(), 0) == 0;
}

bool Folder::remove_empty_folder(const std::string& name) const noexcept {
  return ::unlinkat(directory_.number(), name.c_str(), AT_REMOVEDIR) == 0;
}

void make_folders(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) throw system_error("make the folder " + path, problem.value());
}

uid_t user_id() { return ::geteuid(); }

}  // namespace comity::os
