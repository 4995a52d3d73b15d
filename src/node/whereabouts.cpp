// SPDX-License-Identifier: BSD-3-Clause
// Where a participant tells the others that it is, and where the kernel says that another is.
#include <cerrno>

#include "node/node.hpp"
#include "os/cpus/affinity.hpp"

namespace comity::node {
namespace {

// What stands beside a published mask: the main thread's mask then, as a digest, and in the lowest bit whether the mask is that
// of a push, which threads need not fill.
constexpr std::uint64_t kIsPushed = 1;

std::uint64_t mark_of(const Whereabouts& now) {
  return (digest_of(now.main_thread) & ~kIsPushed) | (now.is_pushed ? kIsPushed : 0);
}

bool tells_of(std::uint64_t mark, const CpuSet& main_thread) {
  return ((mark ^ digest_of(main_thread)) & ~kIsPushed) == 0;
}

bool is_pushed(std::uint64_t mark, const CpuSet& main_thread) {
  return (mark & kIsPushed) != 0 && tells_of(mark, main_thread);
}

// What its main thread has, or matches, is no word of the kernel's on the threads beside it.
std::optional<Sighting> without_other_threads(std::optional<Sighting> main_thread) {
  if (main_thread) main_thread->word = WordOf::participant;
  return main_thread;
}

}  // namespace

void Node::publish(const Whereabouts& now) {
  if (is_fork_child()) return;  // the record is the parent's
  const std::lock_guard guard(publishing_);
  record(me_).current.publish(now.mask, mark_of(now));
}

void Node::publish_news(const Whereabouts& now) {
  const PublishedMask::Copy known = record(me_).current.read_copy();
  if (known.mask == now.mask && known.word == mark_of(now)) return;
  publish(now);
}

void Node::publish_helpers(std::span<const pid_t> threads) {
  if (is_fork_child()) return;
  const std::lock_guard guard(publishing_);
  record(me_).helpers.publish(threads);
}

bool Node::is_seen(const ParticipantRecord& who) const {
  return pid_namespace_ != 0 && who.pid_namespace == pid_namespace_ && who.pid > 0 && !is_fork_child();
}

// What is published is looked at before and after the kernel is asked, for the participant may push meanwhile.
std::optional<Sighting> Node::look_at(int participant) const {
  const ParticipantRecord& who = record(participant);
  if (who.is_lost.load(std::memory_order_relaxed) != 0) return std::nullopt;
  const PublishedMask::Copy before = who.current.read_copy();
  if (!is_seen(who)) return Sighting{before.mask, WordOf::participant};
  CpuSet now;
  const int problem = os::read_affinity(who.pid, now);
  if (problem == ESRCH) return std::nullopt;
  if (problem != 0) return Sighting{before.mask, WordOf::participant};
  if (tells_of(before.word, now)) return Sighting{before.mask, WordOf::kernel};
  const PublishedMask::Copy after = who.current.read_copy();
  return Sighting{tells_of(after.word, now) ? after.mask : now, WordOf::kernel};
}

std::optional<Sighting> Node::look_at_threads(int participant) const {
  const ParticipantRecord& who = record(participant);
  const std::optional<std::vector<pid_t>> helpers = who.helpers.read();
  if (!helpers || !is_seen(who)) return without_other_threads(look_at(participant));
  if (who.is_lost.load(std::memory_order_relaxed) != 0) return std::nullopt;
  CpuSet all;
  CpuSet main_thread;
  const bool is_known = peer_threads_->look(who.pid, *helpers, [&](pid_t thread, const CpuSet& mask) {
    all |= mask;
    if (thread == who.pid) main_thread = mask;
  });
  if (!is_known) return without_other_threads(look_at(participant));
  const PublishedMask::Copy told = who.current.read_copy();
  if (is_pushed(told.word, main_thread)) all |= told.mask;
  if (all.empty()) return without_other_threads(look_at(participant));
  return Sighting{all, WordOf::kernel};
}

}  // namespace comity::node
