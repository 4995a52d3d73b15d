// SPDX-License-Identifier: BSD-3-Clause
// OpenMP: which runtimes are here, and which settings of theirs fight with bindings that change or shrink teams.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "cli/doctor/checks.hpp"
#include "context/cores.hpp"
#include "context/threads/environment_policy.hpp"
#include "machine/machine.hpp"

namespace comity::cli {
namespace {

struct RuntimeRow {
  const char* library;
  const char* compiler;
};

constexpr std::array<RuntimeRow, 3> kRuntimes{{
    {"libgomp.so.1", "GCC"},
    {"libomp.so.5", "LLVM"},
    {"libiomp5.so", "Intel"},
}};

// Where the loader would look: its own list, then LD_LIBRARY_PATH.
bool is_installed(const Host& host, const std::string& known, const std::string& library) {
  if (known.find('\t' + library + ' ') != std::string::npos) return true;
  const auto folders = split(host.variable("LD_LIBRARY_PATH").value_or(""), ":");
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return host.has(folder + '/' + library); });
}

Finding check_runtimes(const Host& host) {
  os::CommandEnd list = host.run({"/sbin/ldconfig", "-p"});
  std::string found;
  for (const RuntimeRow& row : kRuntimes) {
    if (!is_installed(host, list.output, row.library)) continue;
    found += (found.empty() ? "" : ", ") + std::string(row.library) + " (" + row.compiler + ")";
  }
  if (!found.empty()) return fine("openmp.runtimes", found);
  return {"openmp.runtimes", Severity::note, "no OpenMP runtime was found", "A push then moves plain threads only.",
          "Nothing, if the program has none; else install libgomp1 or libomp5, or set LD_LIBRARY_PATH."};
}

// Of the widest push; where no topology can be read, which is another check's error, of as many as this shell may use.
int widest_team(const Host& host) {
  try {
    const machine::Image image = host.machine();
    const machine::Machine machine(image);
    return context::core_count(machine, machine.allowed());
  } catch (const Error&) {
    return static_cast<int>(host.binding.count());
  }
}

// Which runtime a program brings is not known here.
std::string who_pins(const Host& host, const std::string& variable) {
  const auto pins = [&](context::Readers reader) {
    const std::vector<context::Policy> policies = context::fighting_policies(host.variable, reader);
    return std::any_of(policies.begin(), policies.end(),
                       [&](const context::Policy& policy) { return policy.variable == variable; });
  };
  if (!pins({true, false})) return "With LLVM's runtime it";
  return pins({false, true}) ? "It" : "With GNU's runtime it";
}

Findings check_policies(const Host& host) {
  Findings found;
  for (const context::Policy& policy : context::fighting_policies(host.variable, {true, true})) {
    found.push_back(
        {"openmp." + policy.variable, Severity::warning, policy.variable + "=" + policy.value + " is set",
         who_pins(host, policy.variable) +
             " pins OpenMP threads when the runtime starts, by the narrow mask of that moment; later pushes "
             "cannot spread them reliably.",
         "Unset " + policy.variable + "; Comity places the threads at each push."});
  }
  const int team = widest_team(host);
  for (const context::Policy& policy : context::shrinking_policies(host.variable, team)) {
    found.push_back({"openmp." + policy.variable, Severity::warning, policy.variable + "=" + policy.value + " is set",
                     "The runtime may give a team fewer than the " + std::to_string(team) +
                         " members that this machine has cores for; a wide phase then runs on few threads, or on one.",
                     "Unset " + policy.variable + "; a phase sizes its team to its object."});
  }
  if (found.empty()) found.push_back(fine("openmp.policies", "no variable pins OpenMP threads or shrinks their teams"));
  return found;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// How long idle OpenMP threads spin on cores that another rank could have.
Finding check_waiting(const Host& host) {
  const auto says = [&](const char* name, const char* value) {
    return lower(host.variable(name).value_or("")) == value;
  };
  const char* cause = nullptr;
  if (says("OMP_WAIT_POLICY", "active")) cause = "OMP_WAIT_POLICY";
  // LLVM's runtime takes the largest number for it too.
  if (says("KMP_BLOCKTIME", "infinite") || says("KMP_BLOCKTIME", "2147483647")) cause = "KMP_BLOCKTIME";
  if (says("GOMP_SPINCOUNT", "infinite") || says("GOMP_SPINCOUNT", "infinity")) cause = "GOMP_SPINCOUNT";
  if (cause == nullptr) return fine("openmp.waiting", "idle OpenMP threads go to sleep");
  return {"openmp.waiting", Severity::warning, std::string(cause) + "=" + *host.variable(cause) + " is set",
          "Between two regions the team spins on its cores, and a rank that got them for its phase shares them with "
          "the spinning.",
          std::string("Unset ") + cause + ", or set OMP_WAIT_POLICY=passive."};
}

}  // namespace

Findings check_openmp(const Host& host) {
  Findings found{check_runtimes(host)};
  const Findings policies = check_policies(host);
  found.insert(found.end(), policies.begin(), policies.end());
  found.push_back(check_waiting(host));
  return found;
}

}  // namespace comity::cli
