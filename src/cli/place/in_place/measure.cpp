// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/measure.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/statistics.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/launcher_version.hpp"
#include "cli/common/screen.hpp"
#include "cli/place/in_place/verify.hpp"
#include "cli/run/family.hpp"
#include "cli/run/program.hpp"
#include "place/host_names.hpp"

namespace comity::cli {
namespace {

using nlohmann::json;

// The launcher's own where it has one; Slurm starts those of any.
std::string mpi_of_line(const std::string& launcher, const std::string& program, const launch::Surroundings& here) {
  const os::CommandEnd end = here.run({launcher, "--version"});
  const auto family = end.exit_code ? launch::family_of(launcher_version(end.output)) : std::nullopt;
  std::string mpi = family ? launch::mpi_of(*family) : "";
  if (mpi.empty() && !program.empty()) mpi = launch::look_at(here, program).mpi;
  if (mpi.empty()) {
    throw UsageError("--measure cannot tell which MPI " + launcher +
                     " starts; write a program that uses it where the program stands");
  }
  return mpi;
}

std::string program_for(const std::string& mpi) {
  const std::vector<std::string> built = bench::built_mpis("place");
  if (std::find(built.begin(), built.end(), mpi) != built.end()) {
    return bench::program_beside("bench-place-" + mpi).string();
  }
  throw Error(Status::not_found, "measure costs: bench-place-" + mpi +
                                     " is neither beside this command nor installed; build Comity with this MPI");
}

std::string time_text(double ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), ns < 1e3 ? "%.0f ns" : "%.4g us", ns < 1e3 ? ns : ns / 1e3);
  return text.data();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<std::string> line_with_measurement(const std::vector<std::string>& line, const launch::Surroundings& here) {
  const auto in_place_of = [&](const std::string& launcher, const std::string& program) {
    return std::vector<std::string>{program_for(mpi_of_line(launcher, program, here))};
  };
  return line_with({"--measure", in_place_of}, line, here);
}

PartHosts parting_in(const place::Network& network, const std::vector<std::string>& hosts) {
  return [&network, positions = place::HostNames(hosts)](const std::string& one, const std::string& other) {
    std::vector<std::string> names;
    const std::vector<std::size_t> a = positions.find(one), b = positions.find(other);
    if (a.size() != 1 || b.size() != 1) return names;
    for (const place::Level& level : network.levels) {
      const auto domain = [&](std::size_t at) {
        return std::upper_bound(level.first.begin(), level.first.end(), static_cast<place::Place>(at));
      };
      if (domain(a.front()) != domain(b.front())) names.push_back(level.name);
    }
    return names;
  };
}

MeasuredCosts read_pairs(std::string_view line, const PartHosts& part_hosts) {
  MeasuredCosts measured;
  std::map<std::vector<std::string>, std::vector<std::vector<double>>> values;  // of each kind, pair and size
  try {
    const json told = json::parse(line);
    for (const json& size : told.at("bytes")) {
      if (!size.is_number_integer()) throw std::invalid_argument("bytes are whole numbers");
      measured.bytes.push_back(size.get<std::int64_t>());
    }
    for (const json& pair : told.at("pairs")) {
      auto apart = pair.at("apart").get<std::vector<std::string>>();
      if (std::find(apart.begin(), apart.end(), "node") != apart.end()) {
        const auto hosts = pair.at("hosts").get<std::vector<std::string>>();
        const std::vector<std::string> above = part_hosts(hosts.at(0), hosts.at(1));
        apart.insert(apart.begin(), above.begin(), above.end());
      }
      const std::vector<double>& ns = values[apart].emplace_back(pair.at("ns").get<std::vector<double>>());
      if (ns.size() != measured.bytes.size()) throw std::invalid_argument("ns has a number for each of the bytes");
      measured.unrest = std::max(measured.unrest, std::min(kMostUnrest, pair.at("unrest").get<double>()));
    }
  } catch (const std::exception& error) {
    throw Error(Status::system, std::string("measure costs: the program's answer makes no sense: ") + error.what());
  }
  if (values.empty()) {
    throw Error(
        Status::not_found,
        "measure costs: no two ranks of the launch line have cores of their own; start a rank a core, two at least");
  }
  for (const auto& [apart, pairs] : values) {
    MeasuredCost cost{apart, pairs.size(), {}};
    for (std::size_t size = 0; size < measured.bytes.size(); ++size) {
      std::vector<double> ns;
      ns.reserve(pairs.size());
      for (const std::vector<double>& pair : pairs) ns.push_back(pair[size]);
      cost.ns.push_back(bench::median(ns));
    }
    measured.costs.push_back(std::move(cost));
  }
  // What is written to a file is what can be read from it.
  (void)parse_costs(costs_json(measured).dump(-1, ' ', false, json::error_handler_t::replace),
                    "measure costs: the program's answer");
  // The dearest first.
  std::stable_sort(measured.costs.begin(), measured.costs.end(),
                   [](const MeasuredCost& a, const MeasuredCost& b) { return a.ns.front() > b.ns.front(); });
  return measured;
}

std::string measured_text(const MeasuredCosts& measured, const std::string& file) {
  std::vector<std::vector<std::string>> rows{{"what lies between", "pairs"}};
  for (const std::int64_t bytes : measured.bytes) rows.front().push_back(bytes_text(static_cast<std::uint64_t>(bytes)));
  for (const MeasuredCost& cost : measured.costs) {
    rows.push_back({joined(cost.apart), std::to_string(cost.pairs)});
    for (const double ns : cost.ns) rows.back().push_back(time_text(ns));
  }
  std::string text = "What an exchange costs, half of the way there and back\n" + table(rows, 2) + '\n' +
                     wrap("Written to " + file + "; plan with --objective time --costs-from " + file + '.', 0);
  const std::string unrest = unrest_text(measured);
  return unrest.empty() ? text : text + wrap(unrest, 0);
}

}  // namespace comity::cli
