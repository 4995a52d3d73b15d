// SPDX-License-Identifier: BSD-3-Clause
#include "live/search.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/folder.hpp"
#include "os/kernel.hpp"
#include "os/proc.hpp"

namespace comity::live {
namespace {

// What has no memory (kernel threads, processes that have ended) has no page, and may not be looked at either.
bool might_be_a_rank(const std::string& status) {
  if (os::status_field(status, "VmSize").empty()) return false;
  const auto user = os::first_number(os::status_field(status, "Uid"));
  return os::user_id() == 0 || (user && static_cast<uid_t>(*user) == os::user_id());
}

std::vector<std::byte> copy_of(const os::Descriptor& file) {
  const os::FileFacts facts = os::file_facts(file);
  if (!facts.regular || facts.bytes > kMost_bytes) {
    throw Error(Status::argument,
                "read a live page: it is no file of at most " + std::to_string(kMost_bytes) + " bytes");
  }
  std::vector<std::byte> copy(facts.bytes);
  copy.resize(os::read_at(file, copy, 0));
  return copy;
}

}  // namespace

std::string Search::path(pid_t process, const std::string& file) const {
  return proc_ + '/' + std::to_string(process) + '/' + file;
}

bool Search::is_page(pid_t process, int descriptor) const {
  return os::link_text(path(process, "fd/" + std::to_string(descriptor))) == kLinkText;
}

std::optional<int> Search::descriptor_of(pid_t process, bool& refused) const {
  if (const auto known = known_.find(process); known != known_.end() && is_page(process, known->second)) {
    return known->second;
  }
  for (const int descriptor : os::numbered_entries(path(process, "fd"), refused)) {
    if (is_page(process, descriptor)) return descriptor;
  }
  return std::nullopt;
}

// The page says which process has made it: a fork child has it open too, and is no rank.
bool Search::is_made_by(pid_t process, const PageView& page) const {
  const auto status = os::read_text(path(process, "status"));
  const int own_number = os::last_number(os::status_field(status.value_or(""), "NSpid")).value_or(process);
  return static_cast<std::uint32_t>(own_number) == page.process;
}

void Search::read(pid_t process, int descriptor, Sightings& sightings) const {
  try {
    PageView page = read_page(copy_of(os::open_to_read(path(process, "fd/" + std::to_string(descriptor)))));
    if (is_made_by(process, page)) sightings.shown.push_back({process, std::move(page)});
  } catch (const Error& error) {
    const bool is_gone = !is_page(process, descriptor);
    if (!is_gone && error.status() != Status::order) sightings.unreadable.push_back({process, error.what()});
  }
}

void Search::look_at(pid_t process, Sightings& sightings) {
  bool refused = false;
  const auto descriptor = descriptor_of(process, refused);
  if (descriptor) {
    known_[process] = *descriptor;
    read(process, *descriptor, sightings);
  } else if (refused && might_be_a_rank(os::read_text(path(process, "status")).value_or(""))) {
    ++sightings.refused;
  }
}

// What is written to is what was read: a process that came by the same number later has another file.
PageView Search::ask(pid_t process, Recording wish) {
  const std::string what = "ask process " + std::to_string(process) + ": ";
  const std::string start = "start the job with `comity run --memory`";
  bool refused = false;
  const auto descriptor = descriptor_of(process, refused);
  if (!descriptor && !os::process_exists(process))
    throw Error(Status::not_found, what + "there is no such process; ps shows those that run");
  if (!descriptor && refused)
    throw Error(Status::not_found, what + "it may not be looked at; ask as its user, or as root");
  if (!descriptor)
    throw Error(Status::not_found,
                what + "it shows itself as no rank; " + start + ", and ask after its first call of MPI");
  const os::Descriptor file = os::open_existing(path(process, "fd/" + std::to_string(*descriptor)));
  PageView page = read_page(copy_of(file));
  if (!is_made_by(process, page))
    throw Error(Status::not_found, what + "it is a child of a rank, and none itself; ask its parent");
  if (page.recording == Recording::none)
    throw Error(Status::not_found, what + "it does not record whose its memory is; " + start);
  if (page.phase == Phase::after_finalize)
    throw Error(Status::not_found, what + "it has called MPI_Finalize, where its record was closed");
  os::write_at(file, std::as_bytes(std::span(&wish, 1)), offsetof(Header, recording_wish));
  return page;
}

Sightings Search::look() {
  Sightings sightings;
  const std::vector<pid_t> processes = os::numbered_entries(proc_);
  std::erase_if(known_,
                [&](const auto& one) { return !std::binary_search(processes.begin(), processes.end(), one.first); });
  for (const pid_t process : processes) look_at(process, sightings);
  return sightings;
}

}  // namespace comity::live
