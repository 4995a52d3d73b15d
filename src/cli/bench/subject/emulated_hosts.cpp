// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/emulated_hosts.hpp"

#include <algorithm>
#include <filesystem>

#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{30};

// Seen from the command, as it stands in a build folder of the tree; "" elsewhere: it is not installed.
std::string tool_of_the_tree() {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const fs::path& tree : {build.parent_path(), build.parent_path().parent_path()}) {
    const fs::path tool = tree / "tools" / "emulated-hosts";
    if (fs::exists(tool) && fs::exists(tree / "ARCHITECTURE.md")) return tool.string();
  }
  return {};
}

std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

EmulatedHosts find_emulated_hosts() {
  const std::string tool = tool_of_the_tree();
  if (tool.empty()) {
    return {{},
            "hosts are emulated by tools/emulated-hosts of the source tree, which is not beside this command; run the "
            "one of a build folder"};
  }
  const os::CommandEnd end = os::run_command({tool, "check"}, kPatience);
  if (end.exit_code != 0) return {{}, in_one_line(end.output)};
  return {tool, {}};
}

std::vector<std::string> EmulatedHosts::words(int slots) const {
  return {tool, "run", "--slots", std::to_string(slots), "--"};
}

}  // namespace comity::cli::bench
