// SPDX-License-Identifier: BSD-3-Clause
// `comity doctor`: runs every check, prints what each found. Not: the checks (doctor/).
#include "cli/doctor.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/screen.hpp"
#include "cli/doctor/checks.hpp"
#include "os/environment.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kExamples{
    Example{"comity doctor", "look at this machine, this shell, this container"},
    Example{"mpirun -n 1 comity doctor", "look at what a rank sees: limits and binding may differ from the shell's"},
    Example{"comity doctor ./solver", "also look at how a program comes by its MPI"},
    Example{"comity doctor --json | jq '.findings[] | select(.severity == \"error\")'", "for scripts"},
};

constexpr Manual kManual{
    "doctor", "[PROGRAM]",
    "Look for what makes coupled runs slow or fail: CPUs and limits of the cgroup, what the kernel allows between "
    "processes, launchers, MPI and OpenMP settings; with PROGRAM also whether its MPI is one that Comity and preloaded "
    "tools can reach. Each finding says what it is, why it matters and what to do. "
    "Nothing is changed.\n"
    "The exit code is 1 if there is a warning or an error; notes do not count.",
    kExamples};

struct SeverityRow {
  Severity severity;
  const char* name;
  Colour colour;
};

constexpr std::array<SeverityRow, 4> kSeverities{{
    {Severity::ok, "ok", Colour::green},
    {Severity::note, "note", Colour::strong},
    {Severity::warning, "warning", Colour::yellow},
    {Severity::error, "error", Colour::red},
}};

const SeverityRow& row_of(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

struct Group {
  std::string_view title;
  Findings findings;
};

std::vector<Group> examine(const Host& host) {
  std::vector<Group> groups;
  groups.reserve(kChecks.size());
  for (const CheckRow& row : kChecks) {
    Findings findings = row.check(host);
    if (!findings.empty()) groups.push_back({row.title, std::move(findings)});
  }
  return groups;
}

std::size_t count(const std::vector<Group>& groups, Severity severity) {
  std::size_t total = 0;
  for (const Group& group : groups) {
    total += static_cast<std::size_t>(std::count_if(group.findings.begin(), group.findings.end(),
                                                    [&](const Finding& f) { return f.severity == severity; }));
  }
  return total;
}

constexpr std::size_t kTextColumn = 11;  // behind "  warning  "

std::string finding_text(const Screen& screen, const Finding& finding) {
  const SeverityRow& row = row_of(finding.severity);
  const std::string name = row.name;
  std::string text = wrap(finding.what, kTextColumn);
  text.replace(0, 2 + name.size(), "  " + screen.paint(row.colour, name));
  if (!finding.why.empty()) text += wrap("why: " + finding.why, kTextColumn);
  if (!finding.advice.empty()) text += wrap("do:  " + finding.advice, kTextColumn);
  return text;
}

std::string to_text(const Screen& screen, const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) {
    text += screen.paint(Colour::strong, group.title) + '\n';
    for (const Finding& finding : group.findings) text += finding_text(screen, finding);
  }
  return text + '\n' + count_text(count(groups, Severity::error), "error") + ", " +
         count_text(count(groups, Severity::warning), "warning") + ", " +
         count_text(count(groups, Severity::note), "note") + ", " + std::to_string(count(groups, Severity::ok)) +
         " ok\n";
}

Json to_json(const std::vector<Group>& groups) {
  Json findings = Json::array();
  for (const Group& group : groups) {
    for (const Finding& f : group.findings) {
      findings.push_back(
          {{"id", f.id}, {"severity", row_of(f.severity).name}, {"what", f.what}, {"why", f.why}, {"do", f.advice}});
    }
  }
  Json counts = Json::object();
  for (const SeverityRow& row : kSeverities) counts[row.name] = count(groups, row.severity);
  return {{"findings", std::move(findings)}, {"counts", std::move(counts)}};
}

}  // namespace

int doctor_command(std::span<const std::string> words) {
  bool json = false;
  Arguments arguments(kManual);
  arguments.add_json_flag(json);
  Host host = this_host();
  arguments.options().add_option("PROGRAM", host.program, "a program to look at, by path or by name on the PATH");
  if (arguments.parse(words) == Next::stop) return kGood;
  const std::vector<Group> groups = examine(host);
  const std::string text =
      json ? json_text(to_json(groups)) : to_text(Screen::of_standard_output(os::environment), groups);
  std::fputs(text.c_str(), stdout);
  return count(groups, Severity::warning) + count(groups, Severity::error) > 0 ? kFindings : kGood;
}

}  // namespace comity::cli
