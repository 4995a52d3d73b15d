// SPDX-License-Identifier: BSD-3-Clause
// Two phases as wide as the machine, under whatever settings the environment has; what is said of them is counted outside.
// usage: wide_phase [levels]       "levels": the program itself has the runtime make teams of one
//        wide_phase late LIBRARY   "late": another OpenMP runtime is loaded between the two
#include <comity/comity.hpp>

#include <dlfcn.h>
#include <omp.h>

#include <cstdio>
#include <string_view>

constexpr int kSkipped = 77;

int main(int argc, char** argv) {
  const std::string_view wish = argc > 1 ? argv[1] : "";
  if (wish == "levels") omp_set_max_active_levels(0);
  comity::Context context = comity::Context::local();
  const int cores = context.count(comity::Resource::core);
  if (cores < 2) {
    std::puts("NOT TESTED: one core only: no wide phase");
    return kSkipped;
  }
  for (int phase = 0; phase < 2; ++phase) {
    if (wish == "late" && phase == 1 && dlopen(argv[2], RTLD_NOW) == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    int members = 0;
    (void)context.phase(comity::Resource::machine, 1, [&] {
#pragma omp parallel reduction(+ : members)
      members += 1;
    });
    std::printf("a team of %d on %d cores\n", members, cores);
  }
}
