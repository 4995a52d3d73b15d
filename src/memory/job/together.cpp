// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/together.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <queue>
#include <utility>

#include "base/csv.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/series.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60U;
constexpr std::size_t kMostNamed = 5;  // components in a line of text

// The next change of a rank's total: stretch `at` begins, or, behind the last one, the rank has ended.
struct Next {
  std::int64_t time_ns;
  std::size_t rank;
  std::size_t at;
};

struct IsLater {
  bool operator()(const Next& a, const Next& b) const { return a.time_ns > b.time_ns; }
};

std::optional<Next> next_of(const Timeline& total, std::size_t rank, std::size_t at) {
  if (at < total.size()) return Next{total[at].begin_ns, rank, at};
  const std::int64_t end_ns = total.back().end_ns;
  if (at > total.size() || end_ns == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Next{end_ns + 1, rank, at};
}

std::int64_t whole(double bytes) { return std::min(static_cast<std::int64_t>(bytes), kMostBytes); }

double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return 1e-9 * (static_cast<double>(end_ns) - static_cast<double>(begin_ns));
}

struct Highest {
  std::int64_t time_ns = 0;
  std::int64_t total = -1;

  void raise(std::int64_t to, std::int64_t at_ns) {
    if (to <= total) return;
    total = to;
    time_ns = at_ns;
  }
};

// Other moments than `most`, at which a node had much: there the job may have more than at the moment that was found for it.
std::vector<TogetherMoment> moments_of(const std::map<int, Highest>& nodes, std::int64_t most_ns) {
  constexpr std::size_t kMostOthers = 8;
  std::vector<Highest> by_total;
  by_total.reserve(nodes.size());
  for (const auto& [node, of_node] : nodes) by_total.push_back(of_node);
  std::stable_sort(by_total.begin(), by_total.end(),
                   [](const Highest& a, const Highest& b) { return a.total > b.total; });
  std::vector<TogetherMoment> moments;
  for (std::size_t i = 0; i < by_total.size() && moments.size() < kMostOthers; ++i) {
    const std::int64_t time_ns = by_total[i].time_ns;
    const bool is_there =
        std::any_of(moments.begin(), moments.end(), [&](const TogetherMoment& one) { return one.time_ns == time_ns; });
    if (time_ns != most_ns && !is_there) moments.emplace_back().time_ns = time_ns;
  }
  return moments;
}

// The moment was found among stretches that were kept; what was there is told by all.
void add_at(TogetherMoment& moment, const RankTimelines& rank) {
  const std::int64_t total = whole(bytes_at(rank.total, moment.time_ns));
  if (total <= 0) return;
  ++moment.ranks;
  add_to(moment.total, total);
  for (const auto& [name, timeline] : rank.components) {
    add_to(moment.components[name], whole(bytes_at(timeline, moment.time_ns)));
  }
}

// Of each of so many steps the stretch with the most, at its own time.
Timeline highest(const Timeline& line, std::size_t steps) {
  if (line.size() <= steps) return line;
  Timeline kept;
  kept.reserve(steps);
  std::size_t at = 0;
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::int64_t until = moment_between(line.front().begin_ns, line.back().begin_ns, step, steps);
    const std::size_t first = at;
    while (at < line.size() && line[at].begin_ns <= until) ++at;
    const auto most = std::max_element(line.begin() + static_cast<std::ptrdiff_t>(first),
                                       line.begin() + static_cast<std::ptrdiff_t>(at),
                                       [](const Stretch& a, const Stretch& b) { return a.bytes < b.bytes; });
    if (first < at) kept.push_back(*most);
  }
  kept.back().end_ns = line.back().end_ns;
  kept.shrink_to_fit();
  return kept;
}

std::size_t stretches_of(const RankTimelines& rank) {
  std::size_t count = rank.total.size() + rank.virtual_size.size();
  for (const auto& [name, line] : rank.components) count += line.size();
  return count;
}

}  // namespace

void Together::add(RankTimelines rank, int node) {
  if (rank.total.empty()) return;
  const std::int64_t first_ns = rank.total.front().begin_ns, last_ns = rank.total.back().end_ns;
  begin_ns = ranks_.empty() ? first_ns : std::min(begin_ns, first_ns);
  end_ns = ranks_.empty() ? last_ns : std::max(end_ns, last_ns);
  OfRank& one = ranks_.emplace_back();
  one.rank = rank.rank;
  one.node = std::max(0, node);
  one.total = highest(rank.total, most_of_total_);
  kept_totals_ += one.total.size();
  make_room_for_totals();
  const std::size_t lines = stretches_of(rank);
  if (kept_lines_ + lines > room_.lines) return;
  kept_lines_ += lines;
  for (auto& [name, line] : rank.components) line.shrink_to_fit();
  rank.total.shrink_to_fit();
  rank.virtual_size.shrink_to_fit();
  one.lines = std::move(rank);
}

void Together::make_room_for_totals() {
  while (kept_totals_ > room_.totals && most_of_total_ > kLeastOfTotal) {
    most_of_total_ = std::max(kLeastOfTotal, most_of_total_ / 2);
    kept_totals_ = 0;
    for (OfRank& one : ranks_) {
      one.total = highest(one.total, most_of_total_);
      kept_totals_ += one.total.size();
    }
  }
}

void Together::find_moments() {
  if (ranks_.empty()) return;
  std::priority_queue<Next, std::vector<Next>, IsLater> changes;
  for (std::size_t i = 0; i < ranks_.size(); ++i) changes.push(*next_of(ranks_[i].total, i, 0));
  std::map<int, std::int64_t> of_nodes;
  std::int64_t of_all = 0;
  Highest most;
  std::map<int, Highest> most_of_nodes;
  std::vector<int> changed;  // nodes, at the moment that is on
  while (!changes.empty()) {
    const auto [time_ns, rank, at] = changes.top();
    changes.pop();
    const Timeline& total = ranks_[rank].total;
    const int node = ranks_[rank].node;
    const std::int64_t before = at == 0 ? 0 : whole(total[at - 1].bytes);
    const std::int64_t after = at < total.size() ? whole(total[at].bytes) : 0;
    for (std::int64_t* const sum : {&of_nodes[node], &of_all}) add_to(*sum, after - before);
    changed.push_back(node);
    if (const std::optional<Next> next = next_of(total, rank, at + 1)) changes.push(*next);
    if (!changes.empty() && changes.top().time_ns == time_ns) continue;
    most.raise(of_all, time_ns);
    for (const int one : changed) most_of_nodes[one].raise(of_nodes[one], time_ns);
    changed.clear();
  }
  job.emplace().time_ns = most.time_ns;
  for (const auto& [node, of_node] : most_of_nodes) nodes[node].time_ns = of_node.time_ns;
  others_ = moments_of(most_of_nodes, most.time_ns);
  for (const OfRank& one : ranks_) {
    if (one.lines) {
      add_lines(*one.lines, one.node);
    } else {
      lacking_.emplace(one.rank, one.node);
    }
  }
  ranks_ = std::vector<OfRank>();
  if (lacking_.empty()) raise_to_lines();
}

void Together::add_again(const RankTimelines& rank) {
  const auto found = lacking_.find(rank.rank);
  if (found == lacking_.end()) return;
  add_lines(rank, found->second);
  lacking_.erase(found);
  if (lacking_.empty()) raise_to_lines();
}

std::int64_t Together::moment_ns(std::size_t moment) const {
  return moment_between(begin_ns, end_ns, moment, kMoments - 1);
}

void Together::add_lines(const RankTimelines& one, int node) {
  add_at(*job, one);
  add_at(nodes[node], one);
  for (TogetherMoment& other : others_) add_at(other, one);
  const auto add_line = [&](const std::string& name, const Timeline& timeline) {
    std::vector<std::int64_t>& of_node = over_time[node][name];
    std::vector<std::int64_t>& of_job = over_time[kJob][name];
    of_node.resize(kMoments);
    of_job.resize(kMoments);
    for (std::size_t i = 0; i < kMoments; ++i) {
      const std::int64_t bytes = whole(bytes_at(timeline, moment_ns(i)));
      add_to(of_node[i], bytes);
      add_to(of_job[i], bytes);
    }
  };
  add_line(kTotalName, one.total);
  if (!one.virtual_size.empty()) add_line(kVirtualName, one.virtual_size);
  for (const auto& [name, timeline] : one.components) add_line(name, timeline);
  std::vector<std::int64_t>& of_node = ranks_over_time_[node];
  std::vector<std::int64_t>& of_job = ranks_over_time_[kJob];
  of_node.resize(kMoments);
  of_job.resize(kMoments);
  for (std::size_t i = 0; i < kMoments; ++i) {
    if (whole(bytes_at(one.total, moment_ns(i))) <= 0) continue;
    ++of_node[i];
    ++of_job[i];
  }
}

// The moments were found among the stretches that were kept: a line may have more.
void Together::raise_to_lines() {
  for (const auto& [node, lines] : over_time) {
    const std::vector<std::int64_t>& totals = lines.at(kTotalName);
    TogetherMoment& most = node == kJob ? *job : nodes[node];
    const auto top = std::max_element(totals.begin(), totals.end());
    if (*top <= most.total) continue;
    const auto at = static_cast<std::size_t>(top - totals.begin());
    most = {moment_ns(at), *top, ranks_over_time_[node][at], {}};
    for (const auto& [name, line] : lines) {
      if (name != kTotalName && name != kVirtualName && line[at] != 0) most.components[name] = line[at];
    }
  }
  ranks_over_time_.clear();
  raise_to_nodes();
}

// Beyond the moments that were asked for what others had when a node had most is not known: then its own counts, which was there in any case.
void Together::raise_to_nodes() {
  for (TogetherMoment& other : others_) {
    if (other.total > job->total) *job = std::move(other);
  }
  for (const auto& [node, most] : nodes) {
    if (most.total > job->total) *job = most;
  }
  others_.clear();
}

const TogetherMoment* Together::of_node(int node) const {
  const auto found = nodes.find(node);
  return node < 0 || found == nodes.end() ? nullptr : &found->second;
}

std::string text_of(const Together& together) {
  if (!together.is_known()) return {};
  const TogetherMoment& most = *together.job;
  std::vector<std::pair<std::string, std::int64_t>> named(most.components.begin(), most.components.end());
  std::erase_if(named, [](const auto& one) { return one.second < kLeastShown_bytes; });
  std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "  together most at one moment, %.3f s after the first sample: %.2f MiB of %lld ranks",
                seconds_between(together.begin_ns, most.time_ns), static_cast<double>(most.total) / kMiB,
                static_cast<long long>(most.ranks));
  std::string line = text.data();
  for (std::size_t i = 0; i < std::min(named.size(), kMostNamed); ++i) {
    std::snprintf(text.data(), text.size(), " %.2f", static_cast<double>(named[i].second) / kMiB);
    line += (i == 0 ? "; " : ", ") + named[i].first + text.data();
  }
  return line + (named.size() > kMostNamed ? ", ..\n\n" : "\n\n");
}

Json json_of(const TogetherMoment& moment, std::int64_t begin_ns) {
  Json components = Json::object();
  for (const auto& [name, bytes] : moment.components) components[name] = bytes;
  return {{"at_s", seconds_between(begin_ns, moment.time_ns)},
          {"ranks", moment.ranks},
          {"total_bytes", moment.total},
          {"components", std::move(components)}};
}

Json json_of(const Together& together) {
  if (!together.is_known()) return nullptr;
  Json times = Json::array();
  for (std::size_t i = 0; i < Together::kMoments; ++i)
    times.push_back(seconds_between(together.begin_ns, together.moment_ns(i)));
  Json lines = Json::object();
  if (const auto job = together.over_time.find(Together::kJob); job != together.over_time.end()) {
    for (const auto& [name, line] : job->second) lines[name] = line;
  }
  Json most = json_of(*together.job, together.begin_ns);
  return {{"most", std::move(most)}, {"times_s", std::move(times)}, {"bytes", std::move(lines)}};
}

std::string series_rows_of(const Together& together) {
  std::string text = "time_s,node,component,bytes\n";
  for (std::size_t i = 0; together.is_known() && i < Together::kMoments; ++i) {
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%.6f,", seconds_between(together.begin_ns, together.moment_ns(i)));
    for (const auto& [node, lines] : together.over_time) {
      const std::string head = time.data() + (node == Together::kJob ? std::string() : std::to_string(node)) + ',';
      for (const auto& [name, line] : lines) text += head + csv_text(name) + ',' + std::to_string(line[i]) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
