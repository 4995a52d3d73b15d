// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/call_clock.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/clock.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::metrics {
namespace {

constexpr std::int64_t kLong_ns = 10'000'000;  // for a first call: the kernel tells to the tick when a thread began

std::optional<std::int64_t> begin_of_this_thread_ns() noexcept {
  try {
    return os::thread_begin_ns();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::int64_t processor_ns_inside(std::int64_t cpu_ns, std::int64_t wall_ns, std::int64_t mpi_ns) {
  const std::int64_t outside_ns = std::max<std::int64_t>(0, wall_ns - mpi_ns);
  return std::clamp<std::int64_t>(cpu_ns - outside_ns, 0, std::max<std::int64_t>(0, mpi_ns));
}

// Nothing was read before the call. Of a long one, the thread's whole life up to now is the stretch.
std::int64_t CallClock::first(std::int64_t took_ns) noexcept {
  const std::optional<std::int64_t> begin_ns = took_ns < kLong_ns ? std::nullopt : begin_of_this_thread_ns();
  if (begin_ns) {
    since_ns_ = *begin_ns;
    return pass();
  }
  (void)pass();
  return 0;
}

// The stretch of wall time holds that of the processor's, so a thread that was outside all the time gets 0.
std::int64_t CallClock::pass() noexcept {
  const std::int64_t before_ns = now_ns();
  const std::int64_t cpu_ns = os::thread_cpu_ns();
  const std::int64_t inside_ns = processor_ns_inside(cpu_ns - since_cpu_ns_, now_ns() - since_ns_, in_mpi_ns_);
  since_ns_ = before_ns;
  since_cpu_ns_ = cpu_ns;
  in_mpi_ns_ = 0;
  return inside_ns;
}

}  // namespace comity::metrics
