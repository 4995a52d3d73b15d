// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text in the place of a file of memnesia or mpimemu is refused with the line that makes no sense, or becomes a run
// that can be told as text, as JSON, beside itself and over time. Both readers of memnesia's find the same ranks.
//
// The first byte chooses whose file the text is; an even one puts the words in front by which it is known.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "memory/job/comparison.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mpimemu.hpp"
#include "memory/job/older_page.hpp"
#include "memory/job/older_tool.hpp"
#include "memory/job/scaling.hpp"
#include "memory/job/timelines.hpp"
#include "memory/rank/growth.hpp"

namespace {

using namespace comity;

void expect(bool holds) {
  if (!holds) std::abort();
}

void dump(const nlohmann::ordered_json& json) {
  (void)json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void tell(const std::vector<memory::RunFigures>& runs) {
  (void)memory::text_of(runs);
  expect(memory::rows_of(runs).ends_with('\n'));
  dump(memory::json_of(runs));
}

void tell(const memory::OlderRun& run) {
  (void)memory::text_of(run);
  dump(memory::json_of(run));
  const memory::Comparison itself = memory::compare(run.job, run.job);
  (void)memory::text_of(itself);
  dump(memory::json_of(itself));
  tell({memory::figures_of(run.job, "one", ""), memory::figures_of(run.job, "", "two, three")});
  for (const char* line : {"mpi", memory::kTotalName}) (void)memory::sum_of(run.timelines, line, 9);
}

void read_memnesia(const std::string& text) {
  const memory::Job job = memory::job_of_older_tool(text);
  const memory::OlderRun run = memory::run_of_older_tool(text);
  expect(job.ranks.size() == run.job.ranks.size() && run.timelines.ranks.size() <= job.ranks.size());
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    expect(job.ranks[i].rank == run.job.ranks[i].rank &&
           job.ranks[i].peak_rss_bytes == run.job.ranks[i].peak_rss_bytes);
    expect(job.ranks[i].rank >= 0 && job.ranks[i].delta->peak >= 0);
  }
  tell(run);
}

void read_mpimemu(const std::string& text) {
  const memory::RunFigures run = memory::figures_of_mpimemu(text, "one");
  expect(run.total.least >= 0 && run.total.most >= 0 && std::isfinite(run.delta.mean));
  tell({run, run});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const bool is_memnesias = data[0] / 2 % 2 == 0;
  std::string text(reinterpret_cast<const char*>(data + 1), bytes - 1);
  if (data[0] % 2 == 0) text.insert(0, is_memnesias ? "# [Run Info Begin]\n" : "### mpimemu: 1.4.2\n");
  (void)memory::is_of_older_tool(text);
  (void)memory::is_of_mpimemu(text);
  try {
    is_memnesias ? read_memnesia(text) : read_mpimemu(text);
  } catch (const Error&) {
    return 0;  // told
  }
  return 0;
}
