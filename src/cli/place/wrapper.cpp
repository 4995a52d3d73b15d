// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/wrapper.hpp"

#include <map>

namespace comity::cli {
namespace {

using place::Plan;
using place::Rank;

constexpr std::size_t kLineEnd = 100;

// "0|4|8": a pattern of case, in lines of a readable length.
std::string pattern(const std::vector<std::size_t>& numbers) {
  std::string text;
  std::size_t width = 0;
  for (const std::size_t number : numbers) {
    const std::string word = std::to_string(number);
    if (!text.empty()) {
      text += '|';
      if (width + word.size() > kLineEnd) {
        text += "\\\n";
        width = 0;
      }
    }
    text += word;
    width += word.size() + 1;
  }
  return text;
}

std::string settings_of(const Plan& plan, Rank rank) {
  return "cpus=" + plan.cpus(rank).to_list() + " threads=" + std::to_string(plan.seat(rank).threads) + " places='" +
         openmp_places(plan, rank) + "'";
}

}  // namespace

std::string openmp_places(const Plan& plan, Rank rank) {
  std::string places;
  for (const place::CoreSeat& core : plan.cores(rank)) {
    std::string cpus;
    core.cpus.for_each([&](std::size_t cpu) { cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu); });
    places.append(places.empty() ? "{" : ",{").append(cpus).append("}");
  }
  return places;
}

std::string wrapper_text(const LaunchFormName& form, const Plan& plan, const std::vector<Rank>& started,
                         WrapperBinds binds) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t number = 0; number < started.size(); ++number) {
    alike[settings_of(plan, started[number])].push_back(number);
  }
  const std::string variable(form.rank_variable), name(kWrapperName);
  std::string text = "#!/bin/sh\n# Made by comity place for " + std::string(form.name) + ": " + name +
                     " PROGRAM [ARGUMENT..] as a rank, with its own cores and threads.\n";
  text +=
      "rank=${" + variable + ":?" + name + ": this variable is not set; start it with the launcher}\ncase $rank in\n";
  for (const auto& [settings, numbers] : alike) text += pattern(numbers) + ") " + settings + " ;;\n";
  text += "*) echo \"" + name + ": there is no rank $rank in the plan of " + std::to_string(plan.ranks()) +
          "; run comity place again\" >&2; exit 1 ;;\nesac\n";
  text += "export OMP_NUM_THREADS=\"$threads\" OMP_PLACES=\"$places\" OMP_PROC_BIND=close\n";
  return text + (binds == WrapperBinds::yes ? "exec taskset -c \"$cpus\" \"$@\"\n" : "exec \"$@\"\n");
}

}  // namespace comity::cli
