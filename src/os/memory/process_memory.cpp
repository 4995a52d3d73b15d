// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/process_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "os/files/folder.hpp"
#include "os/memory/text.hpp"

namespace comity::os {
namespace {

std::string how_to_look() {
  if (user_id() == 0) return "not even root may here: a container or a security module guards it";
  return "ask as the user who runs it, or as root; of a program that has changed its user, or that a container hides, "
         "only root may ask";
}

Descriptor open_folder(pid_t process, const std::string& proc) {
  const std::string path = proc + '/' + std::to_string(process);
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number >= 0) return Descriptor(number);
  const std::string what = "look at the memory of process " + std::to_string(process);
  if (errno == ENOENT || errno == ESRCH)
    throw Error(Status::not_found, what + ": there is no such process here; ps shows those that run");
  throw system_error(what, errno);
}

bool refused(int problem) { return problem == EACCES || problem == EPERM; }

}  // namespace

ProcessMemory::ProcessMemory(pid_t process, const std::string& proc)
    : process_(process), folder_(open_folder(process, proc)) {}

std::string ProcessMemory::what(std::string_view file) const {
  return "read " + std::string(file) + " of process " + std::to_string(process_);
}

void ProcessMemory::reject_kernel_thread() const {
  throw Error(Status::unsupported, "look at the memory of process " + std::to_string(process_) +
                                       ": it is a thread of the kernel and has none of its own");
}

// In pieces as large as the kernel hands out at once, so that little is copied.
ProcessMemory::Text ProcessMemory::read(const char* file, std::size_t expected) const {
  const Descriptor opened(::openat(folder_.number(), file, O_RDONLY | O_CLOEXEC));
  if (!opened.valid()) return {.text = {}, .problem = errno};
  Text read;
  read.text.resize(expected);  // pages that nobody has written to are not there yet
  read.text.clear();
  std::array<char, 16384> piece;  // NOLINT(*-member-init): what is not read is not used
  for (;;) {
    const ssize_t got = ::read(opened.number(), piece.data(), piece.size());
    if (got == 0) return read;
    if (got > 0) read.text.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return {.text = {}, .problem = errno};
  }
}

// A process gives its memory back before it is a zombie, and of much memory that takes seconds: its flags tell that it does.
ProcessMemory::Life ProcessMemory::life() const {
  constexpr std::uint64_t kExiting = 0x4;  // PF_EXITING, PF_KTHREAD
  constexpr std::uint64_t kOfKernel = 0x200000;
  constexpr int kFlags = 6;  // words between the state and them
  const Text stat = read("stat");
  if (stat.problem != 0) return Life::ended;
  // "4711 (any letters) S 1 4711 4711 0 -1 4194304 .."
  std::string_view rest = std::string_view(stat.text).substr(std::min(stat.text.rfind(')') + 1, stat.text.size()));
  const std::string_view state = memory_text::next_word(rest);
  for (int word = 1; word < kFlags; ++word) (void)memory_text::next_word(rest);
  const std::uint64_t flags = memory_text::number(memory_text::next_word(rest)).value_or(0);
  if (state == "Z" || state == "X" || (flags & kExiting) != 0) return Life::ended;
  return (flags & kOfKernel) != 0 ? Life::of_kernel : Life::lives;
}

std::optional<std::string> ProcessMemory::read_or_throw(const char* file, std::size_t expected) const {
  Text read = this->read(file, expected);
  if (read.problem == 0 && !read.text.empty()) {
    if (life() == Life::ended) return std::nullopt;  // while the text was written
    return std::move(read.text);
  }
  const Life now = life();
  if (now == Life::ended) return std::nullopt;
  if (now == Life::of_kernel) reject_kernel_thread();
  if (refused(read.problem))
    throw Error(Status::system, what(file) + ": the kernel does not let this user look; " + how_to_look());
  if (read.problem == ENOENT)
    throw Error(Status::unsupported, what(file) + ": this kernel has no such file (CONFIG_PROC_PAGE_MONITOR)");
  if (read.problem != 0) throw system_error(what(file), read.problem);
  return std::nullopt;
}

std::optional<Totals> ProcessMemory::totals() const {
  const auto text = read_or_throw("status");
  if (!text) return std::nullopt;
  const auto totals = parse_totals(*text);
  if (!totals && life() == Life::of_kernel) reject_kernel_thread();
  return totals;
}

std::optional<std::vector<Area>> ProcessMemory::areas() const {
  const auto text = read_or_throw("smaps");
  if (!text) return std::nullopt;
  return parse_areas(*text);
}

std::optional<std::vector<Area>> ProcessMemory::bare_areas() const {
  const auto text = read_or_throw("maps");
  if (!text) return std::nullopt;
  return parse_areas(*text);
}

std::optional<PageUse> ProcessMemory::rollup() const {
  const auto text = read_or_throw("smaps_rollup");
  if (!text) return std::nullopt;
  return parse_rollup(*text);
}

std::optional<ProcessMemory::Mapped> ProcessMemory::areas_and_rollup() const {
  constexpr std::size_t kMore = 4;  // a quarter
  auto areas = read_or_throw("smaps", smaps_bytes_ + smaps_bytes_ / kMore);
  const auto rollup = read_or_throw("smaps_rollup");
  if (!areas || !rollup) return std::nullopt;
  smaps_bytes_ = areas->size();
  return Mapped{parse_areas(*areas), parse_rollup(*rollup), std::move(*areas)};
}

std::optional<std::vector<AreaNodes>> ProcessMemory::node_pages() const {
  const Text read = this->read("numa_maps");
  if (life() == Life::ended) return std::nullopt;
  if (read.problem == ENOENT) return std::vector<AreaNodes>{};
  if (refused(read.problem))
    throw Error(Status::system, what("numa_maps") + ": the kernel does not let this user look; " + how_to_look());
  if (read.problem != 0) throw system_error(what("numa_maps"), read.problem);
  return parse_node_pages(read.text);
}

}  // namespace comity::os
