// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/recover.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "os/files/folder.hpp"
#include "os/files/whole_file.hpp"
#include "os/kernel.hpp"
#include "record/merge/names.hpp"
#include "record/places.hpp"
#include "record/run/run_file.hpp"
#include "record/run/run_reader.hpp"

namespace comity::record {
namespace {

// A file that goes into the record and is needless then.
struct Source {
  const os::Folder* folder;
  std::string name;
  [[nodiscard]] std::string path() const { return folder->path() + '/' + name; }
};

// All that belongs to a record, found from the user's folder.
class Left {
 public:
  explicit Left(const std::string& path) : folder_(path) {
    for (const std::string& name : folder_.names()) {
      if (is_node_file(name)) take_note(name);
      if (is_rank_file(name)) rank_files_.push_back({&folder_, name});
      if (is_node_run(name)) node_runs_.push_back({&folder_, name});
    }
  }

  [[nodiscard]] const os::Folder& folder() const { return folder_; }
  [[nodiscard]] const std::vector<Source>& rank_files() const { return rank_files_; }
  [[nodiscard]] const std::vector<Source>& node_runs() const { return node_runs_; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] bool has_run() const { return folder_.has(kRunFile); }
  [[nodiscard]] bool is_empty() const {
    return rank_files_.empty() && node_runs_.empty() && notes_.empty() && problems_.empty();
  }
  [[nodiscard]] const std::string& job() const { return job_; }
  [[nodiscard]] std::uint32_t job_ranks() const { return job_ranks_; }

  // The notes of nodes that could be reached, and their folders where they are empty now.
  void remove_notes() const {
    for (const auto& [name, path] : notes_) {
      leave_job_folder(path);
      folder_.remove(name);
    }
  }

 private:
  void take_note(const std::string& name) {
    try {
      take_node(name, read_node_note(folder_, name));
    } catch (const Error& error) {
      problems_.emplace_back(error.what());
    }
  }

  void take_node(const std::string& name, const NodeNote& note) {
    job_ = note.job;
    job_ranks_ = std::max(job_ranks_, note.job_ranks);
    const bool is_here = note.boot.empty() || note.boot == os::boot_id() || note.host == os::host_name();
    auto place = is_here ? own_job_folder(note.folder) : std::nullopt;
    const std::string what = "what the ranks of node " + std::to_string(note.node) + " recorded";
    if (!place && !is_here) {
      problems_.push_back(what + " is on the host " + note.host + ", in " + note.folder +
                          ": it cannot be reached from here, and is left out");
      return;
    }
    notes_.emplace_back(name, note.folder);
    if (!place) {
      problems_.push_back(what + " is no longer in " + note.folder + ", if there was anything");
      return;
    }
    const bool is_known =
        std::any_of(places_.begin(), places_.end(), [&](const auto& known) { return known->path() == place->path(); });
    if (is_known) return;
    places_.push_back(std::make_unique<os::Folder>(std::move(*place)));
    for (const std::string& file : places_.back()->names()) {
      if (is_rank_file(file)) rank_files_.push_back({places_.back().get(), file});
    }
  }

  os::Folder folder_;
  std::vector<std::unique_ptr<os::Folder>> places_;         // where ranks' files grew
  std::vector<std::pair<std::string, std::string>> notes_;  // of nodes that could be reached: file, and job's folder
  std::vector<Source> rank_files_;
  std::vector<Source> node_runs_;
  std::vector<std::string> problems_;
  std::string job_;
  std::uint32_t job_ranks_ = 0;
};

// Of a rank that was killed while it made the file: all zeroes up to now, if there is anything.
bool was_being_made(const Source& source) {
  std::array<std::byte, sizeof(RankHeader)> start{};
  try {
    static_cast<void>(os::read_at(source.folder->open(source.name), start, 0));
  } catch (const Error&) {
    return false;
  }
  std::uint64_t magic = 0;
  std::memcpy(&magic, start.data(), sizeof(magic));
  return magic == 0;
}

// Throws while a process has any of them: the job runs, or is merging them itself.
void require_all_ended(const Left& left) {
  for (const Source& source : left.rank_files()) {
    bool in_use = false;
    try {
      in_use = RankReader(*source.folder, source.name).is_in_use();
    } catch (const Error&) {
      continue;  // told when it is read
    }
    if (!in_use) continue;
    throw Error(Status::order, "merge the record in " + left.folder().path() + ": a process still writes " +
                                   source.path() + "; wait until the job has ended");
  }
}

class Merging {
 public:
  explicit Merging(const Left& left) : left_(left) {}

  Recovery run() {
    job_ = job_name();
    job_ranks_ = left_.job_ranks();
    RunFile file(left_.folder(), kRunFile, job_);
    if (left_.has_run()) take_run({&left_.folder(), kRunFile}, file);
    for (const Source& source : left_.node_runs()) take_run(source, file);
    for (const Source& source : left_.rank_files()) take_rank(source, file);
    for (const auto& [node, summary] : nodes_) file.take_node(node, summary);
    for (const std::string& problem : left_.problems()) note(problem, file);
    if (file.ranks() == 0) give_up();
    if (left_.has_run()) {
      file.finish_over_old(job_ranks_);
    } else {
      file.finish(job_ranks_);
    }
    remove_needless();
    const auto ranks = static_cast<std::uint32_t>(file.ranks());
    return {.file = left_.folder().path() + '/' + kRunFile,
            .ranks = ranks,
            .missing_ranks = job_ranks_ - std::min(ranks, job_ranks_),
            .was_there = false,
            .notes = notes_};
  }

 private:
  void remove_needless() const {
    for (const Source& source : used_) {
      if (source.name != kRunFile) source.folder->remove(source.name);
    }
    left_.remove_notes();
  }

  // Where the job was killed before any rank recorded, nothing of it stays.
  [[noreturn]] void give_up() const {
    const bool all_empty = used_.size() == left_.rank_files().size() && left_.node_runs().empty();
    if (all_empty) remove_needless();
    throw Error(Status::not_found,
                left_.folder().path() + " holds no record that can be read: " +
                    (all_empty || notes_.empty() ? "its job ended before a rank recorded" : notes_.front()));
  }

  // A run.comity that is there must be readable, for it is replaced. Without a node's note, files tell the job's name.
  std::string job_name() {
    if (left_.has_run()) return RunReader(left_.folder().path()).job();
    if (!left_.job().empty()) return left_.job();
    for (const Source& source : left_.node_runs()) {
      try {
        return RunReader(source.path()).job();
      } catch (const Error&) {
        continue;  // told when it is read
      }
    }
    return {};
  }

  void note(const std::string& text, RunFile& file) {
    notes_.push_back(text);
    file.take_note(text);
  }

  void take_run(const Source& source, RunFile& file) {
    std::optional<RunReader> run;
    try {
      run.emplace(source.path());
    } catch (const Error& error) {
      return note(std::string(error.what()) + "; left out", file);
    }
    if (!job_.empty() && run->job() != job_) {
      return note(source.path() + " is of another job; left out", file);
    }
    job_ranks_ = std::max(job_ranks_, run->job_ranks());
    for (const RankEntry& entry : run->ranks()) file.take_rank(entry, run->body_bytes(entry));
    for (const auto& [node, summary] : run->nodes()) file.take_node(node, summary);
    for (const std::string& text : run->notes()) note(text, file);
    used_.push_back(source);
  }

  void take_rank(const Source& source, RunFile& file) {
    std::optional<RankReader> reader;
    try {
      reader.emplace(*source.folder, source.name);
    } catch (const Error& error) {
      if (was_being_made(source)) used_.push_back(source);
      return note(std::string(error.what()) + "; left out", file);
    }
    if (reader->is_damaged()) note("rank " + std::to_string(reader->who().rank) + " is " + reader->state(), file);
    used_.push_back(source);
    if (left_.has_run() && file.has_rank(reader->who().rank)) return;  // it went into that
    const Parcel parcel = parcel_of(*reader);
    job_ranks_ = std::max(job_ranks_, reader->who().ranks);
    const std::size_t before = file.ranks();
    file.take_rank(parcel.entry, parcel.body);
    if (file.ranks() > before) nodes_[parcel.entry.node].merge(parcel.summary);
  }

  const Left& left_;
  std::string job_;
  std::uint32_t job_ranks_ = 0;
  std::map<std::uint32_t, Summary> nodes_;
  std::vector<Source> used_;
  std::vector<std::string> notes_;
};

bool is_readable(const Source& source) {
  try {
    static_cast<void>(RankReader(*source.folder, source.name));
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_part_of(const RunReader& run, const Source& source) {
  return is_readable(source) && run.has_rank(RankReader(*source.folder, source.name).who().rank);
}

// Whether there is anything that the merged record does not hold yet.
bool has_news(const RunReader& run, const Left& left) {
  if (!left.node_runs().empty()) return true;
  return std::any_of(left.rank_files().begin(), left.rank_files().end(),
                     [&](const Source& source) { return is_readable(source) && !is_part_of(run, source); });
}

// The record was merged, and its job or a reader killed before it had removed what went into it.
Recovery clean_up_after(const RunReader& run, const Left& left) {
  if (left.job() == run.job()) {
    for (const Source& source : left.rank_files()) {
      if (is_part_of(run, source) || was_being_made(source)) source.folder->remove(source.name);
    }
    left.remove_notes();
  }
  return {.file = run.path(),
          .ranks = static_cast<std::uint32_t>(run.ranks().size()),
          .missing_ranks = run.missing_ranks(),
          .was_there = true,
          .notes = run.notes()};
}

}  // namespace

Recovery recover(const std::string& folder) {
  const Left left(folder);
  for (const char* const start : {"run.comity.", "run-node-", "node-"}) os::sweep_unfinished(left.folder(), start);
  if (!left.has_run() && left.is_empty()) {
    throw Error(Status::not_found, folder + " holds no record, and nothing that one could be made of");
  }
  require_all_ended(left);
  if (left.has_run()) {
    const RunReader run(folder);
    if (!has_news(run, left)) return clean_up_after(run, left);
  }
  return Merging(left).run();
}

}  // namespace comity::record
