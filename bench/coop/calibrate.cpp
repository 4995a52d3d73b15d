// SPDX-License-Identifier: BSD-3-Clause
// How much work takes how long, on one rank that has the machine for itself: of the kernel that the computing rank runs
// with a thread on every core, and of the stencil, whose step has to take 2 ms on two cores.
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "coop/cases.hpp"
#include "coop/stencil.hpp"
#include "quiesce/kernel.hpp"

namespace bench::coop {
namespace {

constexpr double kStep_ns = 2e6;
constexpr int kCores = 2;  // that share the step

// The fewest of three, for what else runs on the machine can only slow a sample down. [ns]
template <typename Sample>
double fastest_of_three(Sample&& sample) {
  double fastest_ns = sample();
  for (int again = 0; again < 2; ++again) fastest_ns = std::min(fastest_ns, sample());
  return fastest_ns;
}

// time_ns(units) of one sample; the units that take so long.
template <typename Time>
int units_for(double wanted_ns, Time&& time_ns) {
  const auto fastest_ns = [&](int units) { return fastest_of_three([&] { return time_ns(units); }); };
  int units = 1;
  double once_ns = fastest_ns(units);
  while (once_ns < 0.25 * wanted_ns) {
    units *= 2;
    once_ns = fastest_ns(units);
  }
  return std::max(1, static_cast<int>(wanted_ns / once_ns * units));
}

Found units_of(const char* name, int count) { return {{Outcome{name, "units", "", {static_cast<double>(count)}, {}}}}; }

void require_alone(const World& world) {
  if (world.size != 1) throw std::runtime_error("how much work takes how long is found out by one rank, alone");
}

}  // namespace

Found kernel_units(const World& world, const Arguments& arguments) {
  require_alone(world);
  quiesce::Kernel kernel(arguments.threads);
  return units_of("kernel_units", units_for(1e9 * arguments.seconds, [&](int units) {
                    return time_loop(1, [&] { (void)kernel.run(units, arguments.threads); });
                  }));
}

// One thread: its processor time tells no less on a crowded machine.
Found stencil_units(const World& world, const Arguments& /*arguments*/) {
  require_alone(world);
  omp_set_num_threads(1);
  return units_of("stencil_units", units_for(kCores * kStep_ns, [&](int units) {
                    Stencil stencil(world, units);
                    stencil.step();
                    const double start_ns = process_cpu_ns();
                    stencil.step();
                    return process_cpu_ns() - start_ns;
                  }));
}

}  // namespace bench::coop
