// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/costs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "cli/common/told_json.hpp"

namespace comity::cli {
namespace {

using nlohmann::json;

constexpr double kMost_ns = 1e15;
constexpr double kUnrestful = 1.3;  // from here on something else ran beside
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::size_t kMostPairs = 1'000'000'000;

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  MeasuredCosts read(std::string_view text) const {
    const json value = told_json(text, name_);
    if (!value.is_object() || !value.contains("bytes") || !value.contains("costs")) {
      refuse(R"(costs are {"bytes": [..], "costs": [..]}, as comity place --measure writes them)");
    }
    MeasuredCosts costs{read_bytes(value["bytes"]), {}, read_unrest(value)};
    if (!value["costs"].is_array() || value["costs"].empty()) refuse("costs are a list that is not empty");
    for (const json& one : value["costs"]) costs.costs.push_back(read_cost(one, costs.bytes.size()));
    return costs;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(Status::argument, name_ + ": " + why); }

  [[nodiscard]] std::vector<std::int64_t> read_bytes(const json& value) const {
    std::vector<std::int64_t> bytes;
    const auto refuse_all = [&] { refuse("bytes are a list of ascending sizes from 1 on"); };
    if (!value.is_array() || value.empty()) refuse_all();
    for (const json& one : value) {
      if (!one.is_number_unsigned() || one.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostBytes)) refuse_all();
      const auto size = one.get<std::int64_t>();
      if (size <= (bytes.empty() ? 0 : bytes.back())) refuse_all();
      bytes.push_back(size);
    }
    return bytes;
  }

  // Of one that was written by hand nobody knows.
  [[nodiscard]] double read_unrest(const json& value) const {
    if (!value.contains("unrest")) return 1;
    const json& unrest = value["unrest"];
    const bool fits = unrest.is_number() && unrest.get<double>() >= 1 && unrest.get<double>() <= kMostUnrest;
    if (!fits) refuse("unrest is a number from 1 on");
    return unrest.get<double>();
  }

  [[nodiscard]] MeasuredCost read_cost(const json& value, std::size_t sizes) const {
    if (!value.is_object() || !value.contains("apart") || !value.contains("ns")) {
      refuse(R"(a cost is {"apart": [..], "ns": [..]})");
    }
    MeasuredCost cost;
    if (!value["apart"].is_array()) refuse("apart is a list of names of levels");
    for (const json& one : value["apart"]) {
      if (!one.is_string()) refuse("apart is a list of names of levels");
      cost.apart.push_back(one.get<std::string>());
    }
    if (value.contains("pairs")) {
      if (!value["pairs"].is_number_unsigned() || value["pairs"].get<std::uint64_t>() - 1 >= kMostPairs) {
        refuse("pairs is a whole number from 1 on");
      }
      cost.pairs = value["pairs"].get<std::size_t>();
    }
    if (!value["ns"].is_array() || value["ns"].size() != sizes) refuse("ns has a number for each of the bytes");
    for (const json& one : value["ns"]) {
      const bool fits = one.is_number() && one.get<double>() > 0 && one.get<double>() <= kMost_ns;
      if (!fits) refuse("ns are numbers above 0");
      cost.ns.push_back(one.get<double>());
    }
    return cost;
  }

  const std::string& name_;
};

// By how many pairs tell it.
class Mean {
 public:
  void add(double value, std::size_t count) {
    sum_ += value * static_cast<double>(count);
    count_ += static_cast<double>(count);
  }
  [[nodiscard]] std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / count_);
  }

 private:
  double sum_ = 0, count_ = 0;
};

}  // namespace

MeasuredCosts parse_costs(std::string_view text, const std::string& name) { return Reader(name).read(text); }

nlohmann::ordered_json costs_json(const MeasuredCosts& costs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const MeasuredCost& one : costs.costs) {
    all.push_back({{"apart", one.apart}, {"pairs", one.pairs}, {"ns", one.ns}});
  }
  return {{"bytes", costs.bytes}, {"costs", std::move(all)}, {"unrest", costs.unrest}};
}

std::string unrest_text(const MeasuredCosts& costs) {
  if (costs.unrest <= kUnrestful) return {};
  return "Messages took " + std::to_string(static_cast<int>(100 * (costs.unrest - 1))) +
         " % longer than at best: something else ran. Measure again on a quiet machine.";
}

double cost_of(const MeasuredCosts& costs, const MeasuredCost& one, std::int64_t bytes) {
  const auto at =
      static_cast<std::size_t>(std::upper_bound(costs.bytes.begin(), costs.bytes.end(), bytes) - costs.bytes.begin());
  if (at == 0) return one.ns.front();
  const auto size = static_cast<double>(bytes), below = static_cast<double>(costs.bytes[at - 1]);
  if (at == costs.bytes.size()) return one.ns.back() * size / below;
  const double part = (size - below) / (static_cast<double>(costs.bytes[at]) - below);
  return one.ns[at - 1] + part * (one.ns[at] - one.ns[at - 1]);
}

LevelCosts level_costs(const MeasuredCosts& costs, const std::vector<std::string>& levels, std::int64_t bytes) {
  std::vector<Mean> crossing(levels.size() + 1);  // the last: no level parts them
  for (const MeasuredCost& one : costs.costs) {
    const auto outermost = std::find_if(levels.begin(), levels.end(), [&](const std::string& level) {
      return std::find(one.apart.begin(), one.apart.end(), level) != one.apart.end();
    });
    crossing[static_cast<std::size_t>(outermost - levels.begin())].add(cost_of(costs, one, bytes), one.pairs);
  }
  const double inside = crossing.back().value().value_or(0);
  LevelCosts result;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (const auto value = crossing[level].value()) {
      result.emplace_back(levels[level], std::max(0.0, *value - inside));
    }
  }
  return result;
}

}  // namespace comity::cli
