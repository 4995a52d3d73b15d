// SPDX-License-Identifier: BSD-3-Clause
// A job of some ranks on some nodes, each with its scratch folder, that records something: different on each rank.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/files/folder.hpp"
#include "os/kernel.hpp"
#include "record/merge/merge.hpp"
#include "record/merge/names.hpp"
#include "record/places.hpp"
#include "record/writer.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {

inline record::Table calls_of(std::uint32_t rank) {
  using record::ColumnKind;
  record::Table table("calls",
                      {{"function", ColumnKind::text}, {"count", ColumnKind::integer}, {"wait_s", ColumnKind::real}});
  table.add_row({"MPI_Send", std::int64_t{10 + rank}, 0.5 * rank});
  if (rank % 2 == 0) table.add_row({"MPI_Bcast", std::int64_t{1}, 0.25});
  return table;
}

inline record::Table peers_of(std::uint32_t rank) {
  record::Table table("peers", {{"peer", record::ColumnKind::integer}}, record::Summarise::no);
  table.add_row({std::int64_t{rank} + 1});
  return table;
}

inline void record_something(record::Writer& writer, std::uint32_t rank) {
  writer.set_fact(record::kProgramFact, "twomesh");
  writer.set_fact(record::kBindingFact, std::to_string(rank));
  writer.put_table(calls_of(rank));
  writer.put_table(peers_of(rank));
  const record::SeriesRef memory = writer.series("memory_bytes");
  const record::SpansRef solve = writer.spans("main", "solve");
  for (int i = 0; i < 500; ++i) {
    writer.sample(memory, i, rank + i);
    writer.span(solve, i, i + rank);
  }
}

class MadeUpJob {
 public:
  static constexpr const char* kName = "job-1";

  // Rank r is on node r * nodes / ranks. `folders`: the user's, of each node; one for all where there is one.
  MadeUpJob(std::uint32_t ranks, std::uint32_t nodes, std::vector<std::string> folders)
      : ranks_(ranks), scratch_(nodes), folders_(std::move(folders)) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) node_of_rank_.push_back(rank * nodes / ranks);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      job_folders_.push_back(record::make_job_folder(scratch_[node].path(), kName));
      record::claim(folder_of(node), {.job = kName,
                                      .node = node,
                                      .job_ranks = ranks,
                                      .host = "host" + std::to_string(node),
                                      .boot = os::boot_id(),
                                      .folder = job_folders_[node].path()});
    }
  }

  [[nodiscard]] const std::string& folder_of(std::uint32_t node) const {
    return folders_[folders_.size() == 1 ? 0 : node];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& node_of_rank() const { return node_of_rank_; }
  [[nodiscard]] const os::Folder& job_folder(std::uint32_t node) const { return job_folders_[node]; }
  [[nodiscard]] const std::string& scratch(std::uint32_t node) const { return scratch_[node].path(); }

  [[nodiscard]] std::unique_ptr<record::Writer> writer(std::uint32_t rank) const {
    const std::uint32_t node = node_of_rank_[rank];
    return std::make_unique<record::Writer>(job_folders_[node],
                                            record::Identity{.rank = rank, .ranks = ranks_, .node = node}, 64U << 10U);
  }
  // All ranks record and close.
  void record_all() const {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const auto one = writer(rank);
      record_something(*one, rank);
      one->close();
    }
  }
  [[nodiscard]] record::MergePlan plan(std::uint32_t rank) const {
    const std::uint32_t node = node_of_rank_[rank];
    return {.node_of_rank = node_of_rank_,
            .job = kName,
            .folder = folder_of(node),
            .job_folder = job_folders_[node].path()};
  }
  // Whether scratch folders are as they were before the job.
  void expect_nothing_in_scratch() const {
    for (const TemporaryFolder& one : scratch_) EXPECT_TRUE(os::Folder(one.path()).names().empty()) << one.path();
  }

 private:
  std::uint32_t ranks_;
  std::vector<TemporaryFolder> scratch_;
  std::vector<std::string> folders_;
  std::vector<os::Folder> job_folders_;
  std::vector<std::uint32_t> node_of_rank_;
};

}  // namespace comity::testing
