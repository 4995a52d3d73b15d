// SPDX-License-Identifier: BSD-3-Clause
// bench-interpose: what the wrapper of an MPI function adds to a call, in one process: loops through the wrapper and loops
// of the MPI's own function in turn. The wrappers are linked in, and stand before the MPI as a preloaded library does.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/line.hpp"
#include "common/timing.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/subscriber.hpp"

namespace {

using comity::interpose::Depth;
using comity::interpose::Facts;

constexpr int kCalls = 1000;        // a loop: a call takes a few nanoseconds
constexpr double kLeast_ns = 0.01;  // an added time that cannot be told from none

struct Watching {
  std::string_view name;  // of the case
  std::string_view function;
  Depth others;  // how closely other functions are looked at
  Depth ours;
};

constexpr std::array kWatching{
    Watching{"nobody", "MPI_Send", Depth::none, Depth::none},
    Watching{"others", "MPI_Send", Depth::calls, Depth::none},
    Watching{"others_marked", "MPI_Topo_test", Depth::calls, Depth::none},
    Watching{"calls", "MPI_Send", Depth::calls, Depth::calls},
    Watching{"traffic", "MPI_Send", Depth::traffic, Depth::traffic},
    Watching{"times", "MPI_Send", Depth::times, Depth::times},
};

class Idle final : public comity::interpose::Subscriber {
 public:
  Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  virtual ~Idle() = default;
  [[nodiscard]] Depth depth(const Facts& facts) const noexcept override {
    return facts.name == watching.function ? watching.ours : watching.others;
  }
  Watching watching{};
};

Idle idle;

// To MPI_PROC_NULL: a whole call with six arguments that moves nothing.
auto call_by(decltype(&MPI_Send) send) {
  return [send] {
    static const double value = 0.0;
    bench::use(send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  };
}

auto call_by(decltype(&MPI_Topo_test) ask) {
  return [ask] {
    int topology = 0;
    bench::use(ask(MPI_COMM_WORLD, &topology));
  };
}

// Both by a pointer that the compiler knows nothing of.
template <typename Function>
void compare(bench::Outcome& outcome, Function* function) {
  Function* volatile wrapped = function;
  Function* volatile bare =
      reinterpret_cast<Function*>(comity::interpose::real_function(std::string(idle.watching.function)));
  bench::alternate(outcome, bench::kBatches, kCalls, call_by(wrapped), call_by(bare));
}

bench::Outcome measure() {
  bench::Outcome outcome{std::string(idle.watching.name), "ns", "a bare call", {}, {}};
  if (idle.watching.function == "MPI_Send") {
    compare(outcome, &MPI_Send);
  } else {
    compare(outcome, &MPI_Topo_test);
  }
  for (std::size_t i = 0; i < outcome.values.size(); ++i) {
    outcome.values[i] = std::max(kLeast_ns, outcome.values[i] - outcome.references[i]);
  }
  return outcome;
}

bool choose(std::string_view name) {
  for (const Watching& one : kWatching) {
    if (one.name != name) continue;
    idle.watching = one;
    return true;
  }
  return false;
}

}  // namespace

comity::interpose::Subscribers comity::interpose::subscribers() {
  static Subscriber* const all[] = {&idle};
  return all;
}

int main(int count, char** words) {
  if (count != 2 || !choose(words[1])) {
    std::fprintf(stderr, "bench-interpose: takes one word, nobody, others, others_marked, calls, traffic or times\n");
    return 2;
  }
  MPI_Init(&count, &words);
  bench::print(1, 1, {measure()});
  MPI_Finalize();
  return 0;
}
