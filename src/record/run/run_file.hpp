// SPDX-License-Identifier: BSD-3-Clause
// RunFile: the merged record while it is written. It gets its name only when it is whole, so nobody reads half of one, and
// one that is there is never overwritten.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/files/folder.hpp"
#include "os/files/whole_file.hpp"
#include "record/merge/parcel.hpp"
#include "record/run/run_index.hpp"

namespace comity::record {

class RunFile final : public Sink {
 public:
  // `folder` must outlive this.
  RunFile(const os::Folder& folder, std::string name, std::string job);

  // A rank that is there already is noted and left out.
  void begin_rank(const RankEntry& entry) override;
  void take_piece(std::span<const std::byte> piece) override;
  void end_rank(BodyEnd end) override;
  void take_node(std::uint32_t node, const Summary& summary) override;
  void take_note(const std::string& note) override;

  // Writes the index, and gives the file its name: a free one, or in one step that of a record that went into it. `job_ranks`:
  // that the job had.
  void finish(std::uint32_t job_ranks);
  void finish_over_old(std::uint32_t job_ranks);
  [[nodiscard]] std::size_t ranks() const { return index_.ranks.size(); }
  [[nodiscard]] bool has_rank(std::uint32_t rank) const { return rank < has_.size() && has_[rank]; }

 private:
  void write_index(std::uint32_t job_ranks);

  os::WholeFile file_;
  RunIndex index_;
  std::vector<bool> has_;           // a body, by rank
  std::uint64_t end_;               // [bytes] of what is written
  std::optional<RankEntry> taken_;  // whose body is written behind it; none: it is left out
  std::size_t taken_bytes_ = 0;     // of that body, without its start
};

}  // namespace comity::record
