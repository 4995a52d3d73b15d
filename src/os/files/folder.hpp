// SPDX-License-Identifier: BSD-3-Clause
// Folder: a directory that is held open. What is in it is named relative to it and links are not followed, so that nobody
// can put something else in its place meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/files/descriptor.hpp"

namespace comity::os {

class Folder {
 public:
  // An existing one. Throws with the path and the errno's words.
  explicit Folder(const std::string& path);

  // The folder `name` in this one, made with mode 0700 where it is missing. Throws Status::system where it is a link,
  // another user's or open to others.
  [[nodiscard]] Folder private_folder(const std::string& name) const;
  // The same, but only if it is there.
  [[nodiscard]] std::optional<Folder> existing_private_folder(const std::string& name) const;

  // A new file, for reading and writing. Throws where the name is taken.
  [[nodiscard]] Descriptor create(const std::string& name, mode_t mode) const;
  // An existing one for reading; opening it neither waits nor takes a terminal, whatever it is.
  [[nodiscard]] Descriptor open(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;  // sorted, without "." and ".."
  bool remove(const std::string& name) const noexcept;   // a file. False where it is not there or cannot be removed
  bool remove_empty_folder(const std::string& name) const noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Descriptor& descriptor() const { return directory_; }

 private:
  Folder(Descriptor directory, std::string path) : directory_(std::move(directory)), path_(std::move(path)) {}
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }

  Descriptor directory_;
  std::string path_;
};

// Makes a folder and those above it, where they are missing; the user's mask applies.
void make_folders(const std::string& path);

[[nodiscard]] uid_t user_id();  // effective

}  // namespace comity::os
