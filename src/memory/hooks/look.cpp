// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/look.hpp"

#include <atomic>
#include <cerrno>

#include "base/clock.hpp"
#include "memory/hooks/mappings.hpp"
#include "memory/hooks/sums.hpp"
#include "os/kernel.hpp"
#include "os/residency.hpp"

namespace comity::memory::hooks {
namespace {

constexpr std::int64_t kPartOfTime = 100;

constinit os::Residency residency;
constinit std::atomic<int> looker{0};  // the process one of whose threads looks: in a fork child nobody does
constinit std::atomic<std::int64_t> due_ns{0};

// The program sees nothing of a look.
class Looking {
 public:
  Looking() : errno_(errno), me_(os::process_id()) {
    int who = looker.load(std::memory_order_relaxed);
    if (who == me_) return;
    is_mine_ = looker.compare_exchange_strong(who, me_, std::memory_order_acquire);
  }
  ~Looking() {
    if (is_mine_) looker.store(0, std::memory_order_release);
    errno = errno_;
  }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
  [[nodiscard]] bool is_mine() const { return is_mine_; }

 private:
  int errno_;
  int me_;
  bool is_mine_ = false;
};

void look_at(RangePlace& place) {
  const std::optional<Range> range = place.read();
  if (!range) return;
  const std::uint64_t seen = range->is_shared ? residency.of_shared(range->start, range->bytes)
                                              : residency.of_private(range->start, range->bytes);
  if (seen == range->seen_bytes) return;
  sums.add_seen(range->component, place.set_seen(range->start, seen));
}

}  // namespace

constinit BlockTable blocks;

bool look(When when) noexcept {
  const std::int64_t begin_ns = now_ns();
  if (when == When::if_due && begin_ns < due_ns.load(std::memory_order_relaxed)) return false;
  const Looking looking;
  if (!looking.is_mine()) return false;
  for (RangePlace& place : blocks.places()) look_at(place);
  for (RangePlace& place : mappings.places()) look_at(place);
  residency.close();
  const std::int64_t end_ns = now_ns();
  due_ns.store(end_ns + kPartOfTime * (end_ns - begin_ns), std::memory_order_relaxed);
  return true;
}

void look_before_release(Component component) noexcept {
  if (sums.may_exceed_peak(component)) (void)look(When::if_due);
}

}  // namespace comity::memory::hooks
