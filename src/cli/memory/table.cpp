// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "cli/memory/summary.hpp"

namespace comity::cli {
namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;
using memory::Component;
using memory::ComponentUse;
using os::PageUse;

constexpr std::size_t kMostSegments = 8;
constexpr std::size_t kSegmentColumns = 32;
constexpr double kLoud = 0.01;  // of the total: what may be missing in silence
constexpr double kOld_s = 2;    // mappings read so long ago are said to be

// Figures that most programs have none of: a column each where there are some.
struct ExtraColumn {
  std::string_view name;
  std::uint64_t (*bytes)(const PageUse& use);
};

constexpr std::array kExtraColumns{ExtraColumn{"swap", [](const PageUse& use) { return use.swap; }},
                                   ExtraColumn{"locked", [](const PageUse& use) { return use.locked; }},
                                   ExtraColumn{"huge", [](const PageUse& use) { return use.huge(); }},
                                   ExtraColumn{"hugetlb", [](const PageUse& use) { return use.hugetlb(); }}};

std::string percent_text(double share) {
  constexpr double kPercent = 100;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", kPercent * share);
  return text.data();
}

std::string signed_bytes_text(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(std::abs(bytes));
  return (bytes < 0 ? "-" : "") + bytes_text(size);
}

std::string nodes_text(const os::NodeBytes& nodes) {
  std::string text;
  for (const auto& [node, bytes] : nodes)
    text += (text.empty() ? "" : ", ") + std::to_string(node) + ": " + bytes_text(bytes);
  return text;
}

Row use_row(std::string name, const PageUse& use, const PageUse& sum) {
  Row row{std::move(name), bytes_text(use.rss), bytes_text(use.pss), bytes_text(use.uss())};
  for (const ExtraColumn& column : kExtraColumns) {
    if (column.bytes(sum) != 0) row.push_back(bytes_text(column.bytes(use)));
  }
  return row;
}

Row use_heads(std::string name, const PageUse& sum) {
  Row heads{std::move(name), "RSS", "PSS", "USS"};
  for (const ExtraColumn& column : kExtraColumns) {
    if (column.bytes(sum) != 0) heads.emplace_back(column.name);
  }
  return heads;
}

std::string components_text(const Summary& summary, const memory::Components& names, std::size_t columns) {
  PageUse sum;
  bool has_nodes = false;
  for (const ComponentUse& use : summary.components) {
    sum += use.use;
    has_nodes |= !use.nodes.empty();
  }
  Rows rows{use_heads("component", sum)};
  if (has_nodes) rows.back().emplace_back("on nodes");
  for (const Component component : components_in(summary.components, &PageUse::pss)) {
    const ComponentUse& use = summary.components[static_cast<std::size_t>(component)];
    rows.push_back(use_row(std::string(names.name(component)), use.use, sum));
    if (has_nodes) rows.back().push_back(nodes_text(use.nodes));
  }
  rows.push_back(use_row("all", sum, sum));
  return table(rows, 2, columns);
}

std::string segments_text(const Summary& summary, const memory::Components& names, std::size_t columns, bool several) {
  if (summary.segments.empty()) return {};
  Rows rows{{"segment", "maker", "mapped", "RSS", "PSS"}};
  if (several) rows.back().emplace_back("mapped by");
  for (const SegmentSummary& segment : summary.segments) {
    if (rows.size() > kMostSegments) break;
    const std::string name = visible(segment_text(segment.use.name));
    rows.push_back({name.size() > kSegmentColumns ? ".." + std::string(end_of(name, kSegmentColumns - 2)) : name,
                    segment.use.maker == Component::shared ? "-" : std::string(names.name(segment.use.maker)),
                    bytes_text(segment.use.virtual_bytes), bytes_text(segment.use.use.rss),
                    bytes_text(segment.use.use.pss)});
    if (several) rows.back().push_back(std::to_string(segment.processes));
  }
  std::string text = table(rows, 2, columns);
  if (summary.segments.size() > kMostSegments)
    text += "  .. and " + count_text(summary.segments.size() - kMostSegments, "smaller one") + '\n';
  return text;
}

std::string who_text(const ProcessView& process) {
  return "pid " + std::to_string(process.process) +
         (process.rank ? ", rank " + std::to_string(*process.rank) : std::string());
}

std::string head_text(const Screen& screen, const ProcessView& process, std::size_t columns) {
  const std::string who = who_text(process);
  const os::Totals& totals = process.seen.totals;
  const std::size_t room = columns > who.size() + 2 ? columns - who.size() - 2 : 0;
  std::string text =
      screen.paint(Colour::strong, who) + ": " + table({{visible(without_folder(process.command))}}, 0, room);
  std::string figures = "resident " + bytes_text(totals.resident) + ", at its peak " +
                        bytes_text(process.seen.peak_bytes) + "; virtual " + bytes_text(totals.virtual_size) +
                        "; page tables " + bytes_text(totals.page_tables);
  if (totals.swap != 0) figures += "; swapped out " + bytes_text(totals.swap);
  if (totals.locked != 0) figures += "; locked " + bytes_text(totals.locked);
  if (totals.hugetlb != 0) figures += "; hugetlb " + bytes_text(totals.hugetlb);
  return text + wrap(figures, 0);
}

std::string residual_text(const ProcessView& process) {
  const memory::Attribution& told = process.attribution();
  const auto share = [](std::int64_t residual, std::uint64_t total) {
    return total == 0 ? 0.0 : static_cast<double>(std::abs(residual)) / static_cast<double>(total);
  };
  const double rss = share(told.rss_residual(), told.total.rss);
  const double pss = share(told.pss_residual(), told.total.pss);
  if (rss <= kLoud && pss <= kLoud) return {};
  return wrap("The kernel's own sum differs by " + signed_bytes_text(told.rss_residual()) + " RSS (" +
                  percent_text(rss) + ") and " + signed_bytes_text(told.pss_residual()) + " PSS (" + percent_text(pss) +
                  "): the process changed while it was read.",
              0);
}

std::string nearness_text(const ProcessView& process) {
  const std::string warning = memory::far_warning(who_text(process), process.nearness, process.cpus);
  return warning.empty() ? warning : wrap(warning, 0);
}

std::string age_text(const ProcessView& process) {
  if (process.mappings_age_s < kOld_s) return {};
  return wrap("Components as of " + duration_text(process.mappings_age_s) + " ago: to read them took " +
                  duration_text(seconds_of(process.seen.cost_ns)) + ", and is done for a hundredth of the time.",
              0);
}

std::string end_text(const ProcessView& process) {
  if (!process.seen.ended) return {};
  return wrap(
      who_text(process) + " has ended; this is how it was last seen. Had it more memory after that, nobody knows.", 0);
}

// What cannot be known of memory from outside.
std::string limits_text(const MemoryView& view, const Summary& summary) {
  const auto has = [&](Component component) {
    return !is_empty(summary.components[static_cast<std::size_t>(component)]);
  };
  std::string text;
  if (has(Component::heap) || has(Component::anonymous)) {
    text += wrap(
        "heap is malloc's, anonymous is mapped memory without a name: whose either is cannot be told from outside, nor "
        "what MPI allocated there; of a run from its start, comity run --memory tells.",
        0);
  }
  for (const ProcessView& process : view.processes) {
    if (!process.told() || !process.attribution().statically_linked) continue;
    text += wrap(who_text(process) + " is linked statically: its libraries are part of the application.", 0);
  }
  return text;
}

std::string with_mpi_text(const Summary& summary) {
  const PageUse mpi = summary.with_mpi();
  if (mpi.rss == 0) return {};
  return wrap("MPI and what it brought (mpi, pmix, fabric, support): " + bytes_text(mpi.rss) + " RSS, " +
                  bytes_text(mpi.pss) + " PSS, without its heap.",
              0);
}

std::string processes_table(const MemoryView& view, std::size_t columns) {
  Rows rows{{"rank", "pid", "RSS", "peak", "PSS", "USS", "MPI PSS", "command"}};
  for (const ProcessView& process : view.processes) {
    const Summary own = summary_of({process});
    const auto told = [&](std::uint64_t bytes) { return process.told() ? bytes_text(bytes) : std::string("-"); };
    rows.push_back({process.rank ? std::to_string(*process.rank) : "-", std::to_string(process.process),
                    bytes_text(process.seen.totals.resident), bytes_text(process.seen.peak_bytes), told(own.total.pss),
                    told(own.total.uss()), told(own.with_mpi().pss),
                    (process.seen.ended ? "(ended) " : "") + visible(without_folder(process.command))});
  }
  return table(rows, 2, columns);
}

std::string many_head(const Screen& screen, const MemoryView& view, const Summary& summary) {
  std::string text = screen.paint(Colour::strong, std::to_string(view.processes.size()) + " processes");
  if (summary.total.pss != 0)
    text += ": together " + bytes_text(summary.total.pss) + " (shared pages once), of " + bytes_text(view.node.total);
  return text + '\n';
}

template <typename Text>
std::string for_each(const MemoryView& view, Text&& text) {
  std::string all;
  for (const ProcessView& process : view.processes) all += text(process);
  return all;
}

}  // namespace

std::string memory_text(const Screen& screen, const MemoryView& view, std::size_t columns) {
  const Summary summary = summary_of(view.processes);
  const bool several = view.processes.size() > 1;
  std::string text = several
                         ? many_head(screen, view, summary) + processes_table(view, columns)
                         : for_each(view, [&](const ProcessView& each) { return head_text(screen, each, columns); });
  if (std::any_of(view.processes.begin(), view.processes.end(), [](const ProcessView& each) { return each.told(); })) {
    text += '\n' + components_text(summary, *view.components, columns) + with_mpi_text(summary);
    const std::string segments = segments_text(summary, *view.components, columns, several);
    if (!segments.empty()) text += '\n' + segments;
  }
  std::string notes = for_each(view, nearness_text);
  for (const ProcessView& process : view.processes) {
    if (process.told()) notes += residual_text(process) + (several ? std::string() : age_text(process));
  }
  notes += limits_text(view, summary) + for_each(view, end_text);
  return notes.empty() ? text : text + '\n' + notes;
}

}  // namespace comity::cli
