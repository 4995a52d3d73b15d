// SPDX-License-Identifier: BSD-3-Clause
// Where the files of a record stand. Ranks write to a folder on their node, $TMPDIR/comity-<uid>/<job>, that nobody else may
// enter; the folder that the user named holds from the start a small text a node (NodeNote) that says where, so that the files
// of a killed job are found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "os/files/folder.hpp"

namespace comity::record {

// The path that the next one makes; a node claims the user's folder with it before anything is made.
[[nodiscard]] std::string job_folder_path(const std::string& scratch, const std::string& job);

// Makes <scratch>/comity-<uid>/<job>, both of mode 0700. `scratch`: $TMPDIR, a whole path. `job`: letters, digits, '-',
// '_' and '.', at most 64, not first a '.'. Throws Status::argument for another name or path, Status::system where one of
// them is a link, another user's, or open to others.
[[nodiscard]] os::Folder make_job_folder(const std::string& scratch, const std::string& job);

// Removes a job's folder and the user's above it where they are empty; any other path is left alone.
void leave_job_folder(const std::string& path) noexcept;

// The job's folder at `path`, if it is there and such a one as make_job_folder() makes for this user.
[[nodiscard]] std::optional<os::Folder> own_job_folder(const std::string& path);

struct NodeNote {
  std::string job;
  std::uint32_t node = 0;
  std::uint32_t job_ranks = 1;
  std::string host;    // its name, for people
  std::string boot;    // of its kernel (os::boot_id()): tells hosts apart; "" where not known
  std::string folder;  // where its ranks' files grow
  friend bool operator==(const NodeNote&, const NodeNote&) = default;
};

// Makes the user's folder and puts a node's note into it; one rank a node calls it, before the ranks write. Throws
// Status::argument where the folder already holds a record of another job: nothing is ever overwritten.
void claim(const std::string& folder, const NodeNote& note);

// Throws Status::argument where the file is no such note.
[[nodiscard]] NodeNote read_node_note(const os::Folder& folder, const std::string& name);

}  // namespace comity::record
