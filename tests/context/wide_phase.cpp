// SPDX-License-Identifier: BSD-3-Clause
// One phase as wide as the machine, under whatever settings the environment has; what is said of them is counted outside.
// usage: wide_phase [dynamic]     "dynamic": the program itself lets the runtime make teams smaller
#include <comity/comity.hpp>

#include <omp.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "dynamic") omp_set_dynamic(1);
  comity::Context context = comity::Context::local();
  int members = 0;
  const bool ran = context.phase(comity::Resource::machine, 1, [&] {
#pragma omp parallel reduction(+ : members)
    members += 1;
  });
  std::printf("a team of %d on %d cores\n", members, context.count(comity::Resource::core));
  return ran ? 0 : 1;
}
