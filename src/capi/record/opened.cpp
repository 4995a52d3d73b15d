// SPDX-License-Identifier: BSD-3-Clause
#include "capi/record/opened.hpp"

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "capi/record/loaded.hpp"
#include "os/files/folder.hpp"
#include "record/merge/names.hpp"
#include "record/run/recover.hpp"

namespace comity::capi::record {
namespace {

bool is_folder_without_record(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) && !os::Folder(path).has(reading::kRunFile);
}

reading::RunReader open(const std::string& path, comity_record_how how) {
  switch (how) {
    case COMITY_RECORD_WHOLE:
      return reading::RunReader(path);
    case COMITY_RECORD_RECOVER:
      // What cannot be reached stands among the notes of the file that it makes.
      if (is_folder_without_record(path)) return reading::RunReader(reading::recover(path).file);
      [[fallthrough]];
    case COMITY_RECORD_SALVAGE:
      return reading::RunReader(path, reading::WithoutIndex::salvage);
  }
  throw Error(Status::argument, "open the record " + path + ": there is no way " + std::to_string(how) +
                                    " to open one; see comity_record_how");
}

}  // namespace

Opened::Opened(const std::string& path, comity_record_how how) : reader_(open(path, how)) {
  for (const reading::RankEntry& entry : reader_.ranks()) entries_.push_back(entry_of(entry));
  for (const std::string& note : reader_.notes()) notes_.push_back(note.c_str());
  job_ = {.path = reader_.path().c_str(),
          .name = reader_.job().c_str(),
          .job_ranks = static_cast<std::int32_t>(reader_.job_ranks()),
          .entry_count = static_cast<std::int32_t>(entries_.size()),
          .entries = entries_.data(),
          .note_count = static_cast<std::int32_t>(notes_.size()),
          .notes = notes_.data(),
          .index_damage = reader_.index_damage().c_str()};
}

}  // namespace comity::capi::record
