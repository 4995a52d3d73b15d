// SPDX-License-Identifier: BSD-3-Clause
#include "record/places.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "os/files/whole_file.hpp"
#include "record/merge/names.hpp"

namespace comity::record {
namespace {

constexpr std::string_view kFirstLine =
    "comity record of a job that has not ended, or was killed; comity report reads it";
constexpr std::string_view kLastLine = "end";
constexpr std::size_t kMostNote_bytes = 65536;
constexpr std::size_t kMostJobName = 64;

std::string user_folder_name() { return "comity-" + std::to_string(os::user_id()); }

bool is_good_job_name(const std::string& job) {
  const auto good = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '-' || letter == '_' || letter == '.';
  };
  return !job.empty() && job.size() <= kMostJobName && job.front() != '.' && std::all_of(job.begin(), job.end(), good);
}

struct JobPath {
  std::string scratch;
  std::string job;
};

// The parts of a path that make_job_folder() would make for this user.
std::optional<JobPath> parts_of(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string job = whole.filename().string();
  const bool ours =
      whole.is_absolute() && whole.parent_path().filename() == user_folder_name() && is_good_job_name(job);
  if (!ours) return std::nullopt;
  return JobPath{.scratch = whole.parent_path().parent_path().string(), .job = job};
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string text_of(const NodeNote& note) {
  std::string text(kFirstLine);
  text += "\njob=" + note.job;
  text += "\nnode=" + std::to_string(note.node);
  text += "\nranks=" + std::to_string(note.job_ranks);
  text += "\nhost=" + one_line(note.host);
  text += "\nboot=" + one_line(note.boot);
  text += "\nfolder=" + note.folder;
  return text.append(1, '\n').append(kLastLine).append(1, '\n');
}

std::uint32_t number_in(const std::string& text, const std::string& path) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size()) return number;
  throw Error(Status::argument, path + " is no note of a record: \"" + text.substr(0, 20) + "\" is no number");
}

// Of the text's lines the part behind `key=`.
std::map<std::string, std::string> values_in(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) values.emplace(line.substr(0, equals), line.substr(equals + 1));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return values;
}

// What of another job's record stands in the folder; "" for nothing.
std::string other_record_in(const os::Folder& folder, const std::string& job) {
  for (const std::string& name : folder.names()) {
    if (!is_record_file(name)) continue;
    if (!is_node_file(name)) return name;
    try {
      if (read_node_note(folder, name).job != job) return name;
    } catch (const Error&) {
      return name;
    }
  }
  return {};
}

void require_no_other(const os::Folder& folder, const std::string& job) {
  const std::string other = other_record_in(folder, job);
  if (other.empty()) return;
  throw Error(Status::argument, "record into " + folder.path() + ": it already holds a record (" + other +
                                    "), which is never overwritten; name another folder, or remove that record");
}

}  // namespace

std::string job_folder_path(const std::string& scratch, const std::string& job) {
  return scratch + '/' + user_folder_name() + '/' + job;
}

os::Folder make_job_folder(const std::string& scratch, const std::string& job) {
  if (!is_good_job_name(job))
    throw Error(Status::argument, "record a job by the name \"" + job + "\": no name of a folder");
  if (!scratch.starts_with('/')) {
    throw Error(Status::argument,
                "record a job in the folder \"" + scratch + "\": set TMPDIR to a whole path, from the root");
  }
  const os::Folder base(scratch);
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    try {
      return base.private_folder(user_folder_name()).private_folder(job);
    } catch (const Error&) {
      // Another job of this user, the last one to end, may just have removed the empty folder.
      if (attempt == kAttempts || base.has(user_folder_name())) throw;
    }
  }
}

void leave_job_folder(const std::string& path) noexcept {
  try {
    const auto parts = parts_of(path);
    if (!parts) return;
    const os::Folder base(parts->scratch);
    const auto user = base.existing_private_folder(user_folder_name());
    if (!user) return;
    user->remove_empty_folder(parts->job);
    base.remove_empty_folder(user_folder_name());
  } catch (const std::exception&) {
    // Not there, or not ours.
  }
}

std::optional<os::Folder> own_job_folder(const std::string& path) {
  const auto parts = parts_of(path);
  if (!parts) return std::nullopt;
  try {
    const auto user = os::Folder(parts->scratch).existing_private_folder(user_folder_name());
    return user ? user->existing_private_folder(parts->job) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Two jobs may claim one folder at once: each looks again when its note is there, and takes it back if another's is.
void claim(const std::string& path, const NodeNote& note) {
  os::make_folders(path);
  const os::Folder folder(path);
  require_no_other(folder, note.job);
  const std::string name = node_file_name(note.node);
  os::WholeFile file(folder, name);
  const std::string text = text_of(note);
  os::write_at(file.file(), std::as_bytes(std::span(text.data(), text.size())), 0);
  file.publish();
  try {
    require_no_other(folder, note.job);
  } catch (const Error&) {
    folder.remove(name);
    throw;
  }
}

NodeNote read_node_note(const os::Folder& folder, const std::string& name) {
  const std::string path = folder.path() + '/' + name;
  const os::Descriptor file = folder.open(name);
  const os::FileFacts facts = os::file_facts(file);
  if (!facts.regular || facts.bytes > kMostNote_bytes) throw Error(Status::argument, path + " is no note of a record");
  std::string text(facts.bytes, '\0');
  text.resize(os::read_at(file, std::as_writable_bytes(std::span(text.data(), text.size())), 0));
  if (!text.starts_with(kFirstLine) || !text.ends_with(std::string(1, '\n').append(kLastLine).append(1, '\n'))) {
    throw Error(Status::argument, path + " is no note of a record, or was cut off");
  }
  auto values = values_in(text);
  return {.job = values["job"],
          .node = number_in(values["node"], path),
          .job_ranks = number_in(values["ranks"], path),
          .host = values["host"],
          .boot = values["boot"],
          .folder = values["folder"]};
}

}  // namespace comity::record
