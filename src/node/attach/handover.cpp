// SPDX-License-Identifier: BSD-3-Clause
#include "node/attach/handover.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "os/files/memory_file.hpp"
#include "os/kernel.hpp"

namespace comity::node {
namespace {

void copy_name(const std::string& name, std::array<char, 64>& into) {
  std::copy_n(name.begin(), std::min(name.size(), into.size() - 1), into.begin());
}

// Process numbers mean other processes in another pid namespace, so whatever was opened must show the
// leader's nonce.
void require_leaders_file(const os::Descriptor& file, const Announcement& leader) {
  const os::FileFacts facts = os::file_facts(file);
  Header header{};
  const bool right_size = facts.regular && facts.bytes == leader.file_bytes;
  const bool whole =
      right_size && os::read_at(file, std::as_writable_bytes(std::span(&header, 1)), 0) == sizeof(header);
  if (!whole || header.nonce != leader.nonce) {
    throw Error(Status::system, "take the leader's segment: what was opened belongs to something else");
  }
}

}  // namespace

const char* route_name(Route route) {
  switch (route) {
    case Route::proc:
      return "proc";
    case Route::socket:
      return "socket";
    case Route::file:
      return "file";
  }
  return "?";
}

Giver::Giver(Route route, const std::string& directory, std::uint64_t bytes) : directory_(directory), bytes_(bytes) {
  if (route == Route::file) {
    named_ = std::make_unique<os::ExclusiveFile>(directory, bytes);
    file_ = os::ExclusiveFile::open(directory, named_->name());
  } else {
    file_ = os::create_memory_file("comity-node", bytes);
  }
}

Announcement Giver::announcement(const Nonce& nonce) const {
  Announcement mine{.nonce = nonce, .file_bytes = bytes_, .pid = os::process_id(), .descriptor = file_.number()};
  if (named_) copy_name(named_->name(), mine.name);
  return mine;
}

os::Descriptor Giver::fresh() const {
  return named_ ? os::ExclusiveFile::open(directory_, named_->name()) : os::reopen(file_);
}

void Giver::serve(const Nonce& nonce, const Announcement& member) const {
  // Fresh ones for each member: a passed descriptor shares the sender's description, and with it the lock.
  const os::PassedDescriptors files{fresh(), fresh()};
  os::send_descriptors(member.name.data(), std::as_bytes(std::span(nonce)), files);
}

SegmentFiles Giver::own_files() const { return {fresh(), fresh()}; }

Taker::Taker(Route route, std::string directory) : route_(route), directory_(std::move(directory)) {
  if (route_ == Route::socket) socket_.emplace();
}

Announcement Taker::announcement() const {
  Announcement mine{.pid = os::process_id()};
  if (socket_) copy_name(socket_->name(), mine.name);
  return mine;
}

os::Descriptor Taker::open(const Announcement& leader) const {
  if (route_ == Route::file) return os::ExclusiveFile::open(directory_, leader.name.data());
  const std::string path = "/proc/" + std::to_string(leader.pid) + "/fd/" + std::to_string(leader.descriptor);
  // Looked at before it is opened: opening a stranger's device or pipe could do something to it.
  const os::FileFacts facts = os::file_facts(path);
  if (!facts.regular || facts.bytes != leader.file_bytes) {
    throw Error(Status::system, "take the leader's segment: " + path + " is something else");
  }
  return os::open_existing(path);
}

SegmentFiles Taker::receive(const Announcement& leader) {
  auto files = socket_->receive(std::as_bytes(std::span(leader.nonce)));
  if (!files) throw Error(Status::system, "take the leader's segment: no descriptors came over the Unix socket");
  return {std::move((*files)[0]), std::move((*files)[1])};
}

SegmentFiles Taker::take(const Announcement& leader) {
  SegmentFiles files = socket_ ? receive(leader) : SegmentFiles{open(leader), open(leader)};
  require_leaders_file(files.map, leader);
  require_leaders_file(files.lock, leader);
  return files;
}

}  // namespace comity::node
