// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/spinning_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "coop/blocking_calls.hpp"

namespace comity::cli::launch {
namespace {

using Names = std::vector<std::string_view>;

Names calls_that_wait(std::initializer_list<coop::Waits> how) {
  Names names;
  for (const coop::BlockingCall& call : coop::blocking_calls()) {
    if (std::ranges::find(how, call.waits) != how.end()) names.push_back(call.name);
  }
  return names;
}

// The calls in which a cooperative rank waits as the library does: spinning, unless that calls back from there.
Names calls_of_the_library() { return calls_that_wait({coop::Waits::in_library, coop::Waits::behind_barrier}); }

// Those in which it does for ranks of another node, or of another group.
Names calls_between_nodes() { return calls_that_wait({coop::Waits::on_one_node}); }

// Those of Open MPI call back however many threads call it, MPICH's where one does at a time.
enum class Spins : std::uint8_t { never, with_many_threads, always };

Spins spins(const Plan& plan) {
  if (plan.mpi == "openmpi") return Spins::never;
  return plan.calls_back ? Spins::with_many_threads : Spins::always;
}

// So that a shell still reads the output back.
std::string in_comments(const Names& names) {
  constexpr std::size_t kWidth = 110;
  std::string text;
  std::size_t width = kWidth;
  for (const std::string_view name : names) {
    if (width + name.size() > kWidth) {
      text += "\n#";
      width = 1;
    }
    text += ' ' + std::string(name);
    width += name.size() + 1;
  }
  return text;
}

}  // namespace

std::string list_of_spinning_calls(const Plan& plan) {
  const Spins when = spins(plan);
  const std::string all = "\n# Waits in all calls after MPI_Init are cooperative";
  if (when == Spins::never) return all + '.';
  const std::string head = when == Spins::always
                               ? "\n# Waits in these calls are not cooperative, for they pass through to the MPI:"
                               : all + ", but with MPI_THREAD_MULTIPLE for these, which pass through to the MPI:";
  return head + in_comments(calls_of_the_library()) +
         "\n# nor, for ranks of another node or of another group, in these:" + in_comments(calls_between_nodes());
}

nlohmann::ordered_json coop_to_json(const Plan& plan) {
  const bool is_off = plan.coop.setting == "off";
  const auto if_on = [&](bool spin, const Names& names) { return spin && !is_off ? names : Names(); };
  const bool always = spins(plan) == Spins::always;
  const bool with_many_threads = spins(plan) != Spins::never;
  return {{"setting", plan.coop.setting},
          {"why", plan.coop.why},
          {"passes_through", if_on(always, calls_of_the_library())},
          {"passes_through_with_many_threads", if_on(with_many_threads, calls_of_the_library())},
          {"between_nodes",
           {{"passes_through", if_on(always, calls_between_nodes())},
            {"passes_through_with_many_threads", if_on(with_many_threads, calls_between_nodes())}}}};
}

}  // namespace comity::cli::launch
