// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/recording.hpp"

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "live/search.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string word_for(live::Recording recording) { return recording == live::Recording::on ? "on" : "off"; }

std::string line_of(pid_t process, const live::PageView& page, live::Recording wish) {
  const std::string who = "process " + std::to_string(process) +
                          (page.phase == live::Phase::in_run ? ", rank " + std::to_string(page.rank) : std::string());
  const bool is_so = page.recording == wish;
  return who + ": recording is " + word_for(wish) +
         (is_so ? " already" : " from its next call of MPI on that waits or makes something") + '\n';
}

Json json_of(pid_t process, const live::PageView& page, live::Recording wish) {
  return {{"pid", process},
          {"rank", page.phase == live::Phase::in_run ? Json(page.rank) : Json(nullptr)},
          {"was", word_for(page.recording)},
          {"asked", word_for(wish)}};
}

}  // namespace

int ask_to_record(const std::vector<pid_t>& processes, live::Recording wish, bool json) {
  live::Search search;
  Json asked = Json::array();
  int code = kGood;
  for (const pid_t process : processes) {
    try {
      const live::PageView page = search.ask(process, wish);
      if (json) {
        asked.push_back(json_of(process, page, wish));
      } else {
        std::fputs(line_of(process, page, wish).c_str(), stdout);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "comity memory: %s\n", error.what());
      code = kFindings;
    }
  }
  if (json) std::fputs(json_text({{"processes", std::move(asked)}}).c_str(), stdout);
  return code;
}

}  // namespace comity::cli
