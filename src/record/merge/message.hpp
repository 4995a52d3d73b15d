// SPDX-License-Identifier: BSD-3-Clause
// What ranks send one another in a merge: a word that says what it is, and what that needs. Not: who sends when (share, merge).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "record/format/bytes.hpp"
#include "record/merge/parcel.hpp"

namespace comity::record {

// A body comes as a rank, pieces, and its end.
enum class Message : std::uint32_t { rank = 0, node = 1, note = 2, end = 3, piece = 4, body_end = 5 };

[[nodiscard]] inline Bytes message(
    Message kind, const std::function<void(ByteWriter&)>& fill = [](ByteWriter&) {}) {
  ByteWriter bytes;
  bytes.number(static_cast<std::uint32_t>(kind));
  fill(bytes);
  return bytes.take();
}

[[nodiscard]] inline Message kind_of(ByteReader& from) { return static_cast<Message>(from.number<std::uint32_t>()); }

[[nodiscard]] inline Bytes piece_message(std::span<const std::byte> piece) {
  ByteWriter bytes;
  bytes.reserve(sizeof(Message) + piece.size());
  bytes.number(static_cast<std::uint32_t>(Message::piece));
  bytes.raw(piece);
  return bytes.take();
}

[[nodiscard]] inline Bytes end_message(BodyEnd end) {
  return message(Message::body_end, [&](ByteWriter& bytes) { bytes.number(static_cast<std::uint32_t>(end)); });
}

[[nodiscard]] inline BodyEnd body_end_in(ByteReader& from) {
  return from.number<std::uint32_t>() == static_cast<std::uint32_t>(BodyEnd::whole) ? BodyEnd::whole : BodyEnd::broken;
}

}  // namespace comity::record
