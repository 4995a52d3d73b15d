// SPDX-License-Identifier: BSD-3-Clause
// OwnBody: what this rank's file becomes in the record of the job, made in pieces while the program that was watched still has its memory: the file
// is looked through twice, chunk by chunk, and what happened over time is never in memory as a whole. Not: a file that somebody still writes
// (rank_reader), who takes the pieces (parcel).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "os/files/folder.hpp"
#include "os/files/mapping.hpp"
#include "record/format/content.hpp"
#include "record/format/header.hpp"
#include "record/format/summary.hpp"
#include "record/merge/parcel.hpp"

namespace comity::record {

class OwnBody {
 public:
  using Take = std::function<void(std::span<const std::byte> piece)>;
  static constexpr std::size_t kPiece_bytes = std::size_t{64} << 10U;

  // Of a file that its writer has closed, or lost. Throws as RankReader does.
  OwnBody(const os::Folder& folder, const std::string& name);

  [[nodiscard]] const RankEntry& entry() const {
    return entry_;
  }  // its place and length in the record are not known yet
  [[nodiscard]] const Summary& summary() const { return summary_; }

  // Pieces of whole chunks, the first of sequence 1; none is longer than kPiece_bytes but where one chunk is. Throws what `take` does, and std::bad_alloc.
  void tell(const Take& take) const;

 private:
  void open(const os::Descriptor& file, const RankHeader& header);
  [[nodiscard]] std::span<const std::byte> half() const {
    return copy_.empty() ? std::span<const std::byte>(mapped_) : copy_;
  }
  void let_go_up_to(std::size_t read_bytes) const noexcept;
  template <typename Listener>
  void tell_timeline(Listener& to) const;

  os::Mapping mapping_;
  std::span<std::byte> mapped_;  // the half of it that counts
  Bytes copy_;                   // of that, where the file cannot be mapped
  std::size_t holds_bytes_ = 0;  // of the half, from its beginning
  Content content_;              // without samples and spans
  RankEntry entry_;
  Summary summary_;
};

}  // namespace comity::record
