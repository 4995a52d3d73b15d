// SPDX-License-Identifier: BSD-3-Clause
// For Open MPI: over PMIx. MPI_Init puts its addresses, commits them, and waits for all ranks at a fence, which brings
// them to all nodes. What it calls for that it finds here first, and so our notice goes with them.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "interpose/loaded_mpi.hpp"
#include "os/environment.hpp"
#include "preload/meeting/notice_board.hpp"
#include "preload/meeting/pmix.hpp"

namespace comity::preload {
namespace {

constexpr const char* kKey = "comity.1";

struct Board {
  std::atomic<bool> waits{false};  // for MPI to commit what it has put
  std::atomic<bool> committed{false};
  std::atomic<bool> posted{false};
  std::atomic<bool> spread{false};
  std::uint64_t notice = 0;
};
constinit Board board;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(interpose::find_function(name));
}

void commits() {
  board.committed = true;
  if (!board.waits.exchange(false)) return;
  const auto put = real<pmix::Put>("PMIx_Put");
  pmix::Value value{.type = pmix::kUint64, .number = board.notice};
  board.posted = put != nullptr && put(pmix::kGlobal, kKey, &value) == pmix::kSuccess;
}

void fences(const pmix::Info* infos, std::size_t count) {
  for (std::size_t i = 0; board.posted && infos != nullptr && i < count; ++i) {
    const bool collects = std::strncmp(infos[i].key.data(), pmix::kCollect, infos[i].key.size()) == 0;
    if (collects && infos[i].value.flag) board.spread = true;
  }
}

pmix::Info immediately() {
  pmix::Info info;
  std::strncpy(info.key.data(), pmix::kImmediate, info.key.size() - 1);
  info.value.type = pmix::kBool;
  info.value.flag = true;
  return info;
}

}  // namespace

void NoticeBoard::leave(std::uint64_t notice) {
  board.notice = notice;
  board.waits = true;
}

void NoticeBoard::close() {}  // what is committed without a notice shows that

NoticeBoard::State NoticeBoard::state() {
  if (!board.committed) return State::absent;
  return board.posted && board.spread ? State::good : State::broken;
}

std::optional<std::uint64_t> NoticeBoard::of(int rank) {
  const auto get = real<pmix::Get>("PMIx_Get");
  const auto job = os::environment("PMIX_NAMESPACE");
  pmix::Process process;
  if (get == nullptr || !job || job->size() >= process.job.size()) return std::nullopt;
  job->copy(process.job.data(), job->size());
  process.rank = static_cast<std::uint32_t>(rank);
  const pmix::Info now = immediately();
  pmix::Value* value = nullptr;
  if (get(&process, kKey, &now, 1, &value) != pmix::kSuccess || value == nullptr) return std::nullopt;
  const bool is_notice = value->type == pmix::kUint64;
  const std::uint64_t notice = is_notice ? value->number : 0;
  if (is_notice) std::free(value);  // as PMIx frees what holds no address
  return is_notice ? std::optional(notice) : std::nullopt;
}

}  // namespace comity::preload

#define COMITY_FIRST extern "C" __attribute__((visibility("default")))

namespace pmix = comity::preload::pmix;

COMITY_FIRST pmix::Code PMIx_Commit() {
  comity::preload::commits();
  const auto commit = comity::preload::real<pmix::Commit>("PMIx_Commit");
  return commit == nullptr ? pmix::kNotFound : commit();
}

COMITY_FIRST pmix::Code PMIx_Fence(const pmix::Process* processes, std::size_t count, const pmix::Info* infos,
                                   std::size_t info_count) {
  comity::preload::fences(infos, info_count);
  const auto fence = comity::preload::real<pmix::Fence>("PMIx_Fence");
  return fence == nullptr ? pmix::kNotFound : fence(processes, count, infos, info_count);
}

COMITY_FIRST pmix::Code PMIx_Fence_nb(const pmix::Process* processes, std::size_t count, const pmix::Info* infos,
                                      std::size_t info_count, pmix::Done done, void* data) {
  comity::preload::fences(infos, info_count);
  const auto fence = comity::preload::real<pmix::StartFence>("PMIx_Fence_nb");
  return fence == nullptr ? pmix::kNotFound : fence(processes, count, infos, info_count, done, data);
}
