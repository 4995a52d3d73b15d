// SPDX-License-Identifier: BSD-3-Clause
// The ways in which a leader's segment file reaches the other ranks of its node. Each member ends with two
// descriptions of its own: one to map, one for its lock (ofd_lock.hpp says why they differ). Not: who agrees
// on which way (attach).
//
//   proc    members open /proc/<leader's pid>/fd/<n>
//   socket  the leader sends descriptors to the members' abstract sockets
//   file    members open an exclusively created file, which is unlinked as soon as all have it
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "node/layout.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/exclusive_file.hpp"
#include "os/files/unix_socket.hpp"

namespace comity::node {

enum class Route : std::uint8_t { proc, socket, file };

[[nodiscard]] const char* route_name(Route route);

// What a candidate tells the others of its end.
struct Announcement {
  Nonce nonce{};
  std::uint64_t file_bytes = 0;
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  std::array<char, 64> name{};  // leader: of the file; member: of its socket
};
static_assert(sizeof(Announcement) == 96);

struct SegmentFiles {
  os::Descriptor map;
  os::Descriptor lock;
};

// The leader's end. The file exists while this lives; what others opened outlives it.
class Giver {
 public:
  // Throws when this way is closed here (Status::system) or memory is short (Status::memory).
  Giver(Route route, const std::string& directory, std::uint64_t bytes);

  [[nodiscard]] const os::Descriptor& file() const { return file_; }
  [[nodiscard]] Announcement announcement(const Nonce& nonce) const;
  void serve(const Nonce& nonce, const Announcement& member) const;  // Route::socket only
  [[nodiscard]] SegmentFiles own_files() const;

 private:
  [[nodiscard]] os::Descriptor fresh() const;

  std::string directory_;
  std::uint64_t bytes_;
  std::unique_ptr<os::ExclusiveFile> named_;  // Route::file only
  os::Descriptor file_;
};

// A member's end.
class Taker {
 public:
  Taker(Route route, std::string directory);

  [[nodiscard]] Announcement announcement() const;
  // Throws Status::system when the leader's file cannot be had this way, or is not the leader's.
  [[nodiscard]] SegmentFiles take(const Announcement& leader);

 private:
  [[nodiscard]] os::Descriptor open(const Announcement& leader) const;
  [[nodiscard]] SegmentFiles receive(const Announcement& leader);

  Route route_;
  std::string directory_;
  std::optional<os::DescriptorReceiver> socket_;
};

}  // namespace comity::node
