// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/older.hpp"

#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/text_file.hpp"
#include "cli/report/memory_picture.hpp"
#include "memory/job/older_page.hpp"

namespace comity::cli {
namespace {

memory::OlderRun read_older(const std::string& file) {
  constexpr std::size_t kMost_bytes = std::size_t{4} << 30U;
  try {
    return memory::run_of_older_tool(read_text_file(file, "the run", "its name", kMost_bytes));
  } catch (const Error& error) {
    throw Error(error.status(), file + ": " + error.what());
  }
}

}  // namespace

int report_older(const std::string& file, bool json, const std::string& picture) {
  const memory::OlderRun run = read_older(file);
  if (!picture.empty()) {
    write_text_file(picture, memory_svg(run.timelines, file, "shares (PSS); seconds since each rank's own MPI_Init"),
                    "the picture", "--svg");
  }
  const std::string text = json ? json_text({{"memory", memory::json_of(run)}}) : visible_lines(memory::text_of(run));
  std::fputs(text.c_str(), stdout);
  return kGood;
}

}  // namespace comity::cli
