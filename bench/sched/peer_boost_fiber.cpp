// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"
#include "common/timing.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_BOOST_FIBER
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#endif

namespace bench::boost_fiber {

#ifdef COMITY_BENCH_BOOST_FIBER

Once yield() {
  return [] {
    const Pinned pinned;
    constexpr int kSwitches = 500'000;
    const auto yields = [] {
      for (int i = 0; i < kSwitches / 2; ++i) boost::this_fiber::yield();
    };
    const double start = now_ns();
    boost::fibers::fiber first(yields);
    boost::fibers::fiber second(yields);
    first.join();
    second.join();
    return (now_ns() - start) / kSwitches;
  };
}

Once create_join() {
  return [] {
    const Pinned pinned;
    return time_loop(20'000, [] { boost::fibers::fiber([] {}).join(); });
  };
}

#else

Once yield() { return {}; }
Once create_join() { return {}; }

#endif

}  // namespace bench::boost_fiber
