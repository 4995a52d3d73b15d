// SPDX-License-Identifier: BSD-3-Clause
// ExclusiveFile: a short-lived file of random name, made by nobody else, unlinked when this object ends. Its
// creator holds a lock on it: a file of this kind without a lock is what a killed creator left, and can be
// swept.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "os/files/descriptor.hpp"
#include "os/files/ofd_lock.hpp"

namespace comity::os {

class ExclusiveFile {
 public:
  // All `bytes` are allocated, mode 0600. Throws Status::memory on a full file system.
  ExclusiveFile(std::string directory, std::size_t bytes);
  ~ExclusiveFile();
  ExclusiveFile(const ExclusiveFile&) = delete;
  ExclusiveFile& operator=(const ExclusiveFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }  // without the directory
  // A fresh description; links are not followed.
  [[nodiscard]] static Descriptor open(const std::string& directory, const std::string& name);

 private:
  [[nodiscard]] bool try_create();
  [[nodiscard]] bool try_lock();

  std::string directory_;
  std::string name_;
  std::string path_;  // whole, so that taking the file away needs no memory
  Descriptor file_;
  std::unique_ptr<OfdLock> lock_;
};

// Unlinks files of this kind that this user owns and nobody locks. Returns how many; never throws for one it
// cannot.
int sweep_exclusive_files(const std::string& directory);

}  // namespace comity::os
