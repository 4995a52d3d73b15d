// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/told_json.hpp"

#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::cli {

nlohmann::json told_json(std::string_view text, const std::string& name) {
  using nlohmann::json;
  const auto refuse = [&](const std::string& why) { throw Error(Status::argument, name + ": " + why); };
  std::vector<std::set<std::string>> open;  // keys of each object that has not ended
  const auto look = [&](int /*depth*/, json::parse_event_t event, const json& found) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event != json::parse_event_t::key) return true;
    const auto& key = found.get_ref<const std::string&>();
    if (!open.back().insert(key).second) refuse(in_quotes(key) + " stands twice in one object; tell it once");
    return true;
  };
  json value = json::parse(text, look, false);
  if (value.is_discarded()) refuse("this is no JSON");
  return value;
}

}  // namespace comity::cli
