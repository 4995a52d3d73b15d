// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/share.hpp"

#include <exception>
#include <optional>

#include "os/files/folder.hpp"
#include "record/merge/names.hpp"
#include "record/merge/own_body.hpp"

namespace comity::record {

bool give_share(int rank, const std::string& job_folder, ShareTaker& to) {
  const auto failed = [&](const std::string& why) {
    to.note("rank " + std::to_string(rank) + ": " + why);
    return false;
  };
  if (job_folder.empty()) return failed("made no record");
  std::optional<OwnBody> body;
  try {
    body.emplace(os::Folder(job_folder), rank_file_name(static_cast<std::uint32_t>(rank)));
  } catch (const std::exception& error) {
    return failed(error.what());
  }
  to.begin(body->entry(), body->summary());
  try {
    body->tell([&](std::span<const std::byte> piece) { to.piece(piece); });
  } catch (const std::exception& error) {
    to.end(BodyEnd::broken);
    return failed(error.what());
  }
  to.end(BodyEnd::whole);
  return true;
}

bool receive_share(Exchange& exchange, int from_rank, ShareTaker& to) {
  while (true) {
    const Bytes bytes = exchange.receive(from_rank);
    ByteReader from(bytes);
    switch (kind_of(from)) {
      case Message::rank: {
        const RankEntry entry = decode_entry(from);
        to.begin(entry, Summary::decode(from));
        break;
      }
      case Message::piece:
        to.piece(from.raw(from.left()));
        break;
      case Message::body_end: {
        const BodyEnd end = body_end_in(from);
        to.end(end);
        if (end == BodyEnd::whole) return true;
        break;  // a note says why
      }
      case Message::note:
        to.note(from.text());
        return false;
      case Message::node:
      case Message::end:
        throw senseless("a rank sent its leader what only leaders send");
    }
  }
}

}  // namespace comity::record
