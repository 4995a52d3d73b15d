// SPDX-License-Identifier: BSD-3-Clause
#include "coop/attendant.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "os/cpus/affinity.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/threads/openmp.hpp"
#include "os/threads/quiet_thread.hpp"
#include "os/threads/thread_origins.hpp"
#include "os/threads/threads.hpp"

namespace comity::coop {
namespace {

// What a wake-up of a member costs, several times: who is back from a long wait finds a core taken for that at most.
constexpr Nanoseconds kLook = std::chrono::microseconds(200);
// Where many ranks begin to wait one after the other all are seen to at once.
constexpr Nanoseconds kBetween = std::chrono::milliseconds(1);
constexpr int kIdleForBusy = 50;  // it uses 2 % of a core at the most

class Attendant {
 public:
  explicit Attendant(Duties duties)
      : duties_(std::move(duties)),
        me_(static_cast<std::size_t>(duties_.node->participant())),
        looks_(duties_.spins.empty() ? 0 : os::GnuSpin::looks_in(kLook)),
        cores_(duties_.neighbours.ranks[me_].own) {}

  // On its own thread. Where it throws threads stay as they are.
  void operator()() noexcept try { run(); } catch (const std::exception&) {
    return;
  }

  void keep_own_cores(bool keep) {
    if (::getpid() != process_) return;  // a fork child has no attendant, and perhaps a lock that nobody gives back
    const std::lock_guard guard(giving_);
    keeps_own_ = keep;
    give(room_now());
  }

 private:
  [[noreturn]] void run() {
    own_thread_ = os::this_thread();
    std::uint32_t seen = 0;  // of a segment in which nobody has told anything yet
    while (true) {
      duties_.node->wait_for_rest_change(seen);
      const std::int64_t before_ns = os::thread_cpu_ns();
      seen = duties_.node->rest_changes();
      give_what_there_is();
      std::this_thread::sleep_for(std::max(kBetween, Nanoseconds(os::thread_cpu_ns() - before_ns) * kIdleForBusy));
    }
  }

  void give_what_there_is() {
    const std::lock_guard guard(giving_);
    give(room_now());
  }

  [[nodiscard]] Room room_now() const {
    return room_of(me_, duties_.neighbours,
                   [&](std::size_t rank) { return !keeps_own_ && duties_.node->rests(static_cast<int>(rank)); });
  }

  void give(const Room& room) {
    for (const os::GnuSpin& spin : duties_.spins) spin.look(room.suffices ? looks_ : 0);
    if (!duties_.neighbours.have_shares || room.cores == cores_) return;
    os::list_threads(threads_);
    moved_.clear();
    for (const pid_t thread : threads_) {
      if (!is_ours_to_move(thread)) continue;
      (void)os::set_affinity(thread, room.cores);  // where that fails it stays
      moved_.push_back(thread);
    }
    cores_ = room.cores;
    std::swap(known_, threads_);
    std::swap(ours_, moved_);
  }

  // Who has been given another mask since keeps it for good.
  [[nodiscard]] bool is_ours_to_move(pid_t thread) const {
    CpuSet now;
    if (thread == own_thread_ || std::ranges::binary_search(duties_.left_alone, thread)) return false;
    if (!os::affinity_if_alive(thread, now)) return false;
    if (std::ranges::binary_search(known_, thread)) return now == cores_ && std::ranges::binary_search(ours_, thread);
    return now == cores_ || (now == duties_.launched && begins_where_launched(thread));
  }

  // A member of LLVM's teams that is born later.
  [[nodiscard]] static bool begins_where_launched(pid_t thread) {
    const std::optional<std::uintptr_t> begins_in = os::ThreadOrigins().of(thread);
    return begins_in && std::ranges::any_of(os::OpenMp::loaded(), [&](const os::OpenMp& runtime) {
             return !runtime.is_gnu() && runtime.start() == *begins_in;
           });
  }

  const Duties duties_;
  const pid_t process_ = ::getpid();
  const std::size_t me_;
  const std::uint64_t looks_;
  std::mutex giving_;  // of what follows
  bool keeps_own_ = false;
  CpuSet cores_;  // that this rank's threads have
  pid_t own_thread_ = 0;
  std::vector<pid_t> threads_;
  std::vector<pid_t> moved_;
  std::vector<pid_t> known_;  // ascending: that were there when it last moved some
  std::vector<pid_t> ours_;   // of these, that it moved
};

std::atomic<Attendant*> the_attendant{nullptr};

}  // namespace

bool start_attendant(Duties duties) {
  auto attendant = std::make_unique<Attendant>(std::move(duties));
  Attendant* const started = attendant.get();
  if (!os::start_quiet_thread("comity-coop", std::move(attendant))) return false;
  the_attendant.store(started, std::memory_order_release);
  return true;
}

void keep_own_cores(bool keep) {
  if (Attendant* const here = the_attendant.load(std::memory_order_acquire); here != nullptr)
    here->keep_own_cores(keep);
}

}  // namespace comity::coop
