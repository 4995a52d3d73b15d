// SPDX-License-Identifier: BSD-3-Clause
// Share: what one rank brings to a merge, on its way to the leader of its node: its body piece by piece, with a summary, or a note that says why
// there is none. Not: what a leader makes of it (merge), how a body is made (own_body).
#pragma once

#include <string>

#include "record/merge/exchange.hpp"
#include "record/merge/message.hpp"
#include "record/merge/parcel.hpp"

namespace comity::record {

// A beginning, pieces and an end, or a note; a note too behind an end that is broken.
class ShareTaker {
 public:
  ShareTaker() = default;
  ShareTaker(const ShareTaker&) = delete;
  ShareTaker& operator=(const ShareTaker&) = delete;
  virtual ~ShareTaker() = default;
  virtual void begin(const RankEntry& entry, const Summary& summary) = 0;
  virtual void piece(std::span<const std::byte> piece) = 0;
  virtual void end(BodyEnd end) = 0;
  virtual void note(const std::string& note) = 0;
};

// The way to the leader of the node.
class ToLeader final : public ShareTaker {
 public:
  ToLeader(Exchange& exchange, int leader) : exchange_(exchange), leader_(leader) {}
  void begin(const RankEntry& entry, const Summary& summary) override {
    exchange_.send(leader_, message(Message::rank, [&](ByteWriter& bytes) {
                     encode(entry, bytes);
                     summary.encode(bytes);
                   }));
  }
  void piece(std::span<const std::byte> piece) override { exchange_.send(leader_, piece_message(piece)); }
  void end(BodyEnd end) override { exchange_.send(leader_, end_message(end)); }
  void note(const std::string& note) override {
    exchange_.send(leader_, message(Message::note, [&](ByteWriter& bytes) { bytes.text(note); }));
  }

 private:
  Exchange& exchange_;
  int leader_;
};

// This rank's own, from its file in the job's folder ("": it made none). False: there is no record of it, or it did not come whole. Throws what
// `to` does.
bool give_share(int rank, const std::string& job_folder, ShareTaker& to);

// Another rank's. False as above.
bool receive_share(Exchange& exchange, int from_rank, ShareTaker& to);

}  // namespace comity::record
