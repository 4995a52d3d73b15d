// SPDX-License-Identifier: BSD-3-Clause
#include "memory/look.hpp"

#include "base/error.hpp"
#include "memory/object_span.hpp"
#include "os/memory/thread_blocks.hpp"

namespace comity::memory {
namespace {

// Only areas with several owners are counted page by page. A kernel that does not tell pages leaves them to be shared out
// by size.
CountPages page_counter(pid_t process) {
  try {
    return [pagemap = std::make_shared<os::Pagemap>(process)](std::uint64_t start, std::uint64_t end) {
      return pagemap->count(start, end);
    };
  } catch (const Error&) {
    return [](std::uint64_t, std::uint64_t) { return std::nullopt; };
  }
}

}  // namespace

Looker::Looker(pid_t process, const Components& components, NodePages node_pages)
    : memory_(process), components_(components), node_pages_(node_pages) {}

std::optional<std::uint64_t> Looker::span_of(const os::Area& first) {
  const FileKey key{first.device_major, first.device_minor, first.inode};
  const auto known = spans_.find(key);
  if (known != spans_.end()) return known->second;
  return spans_[key] = object_span(first, "/proc/" + std::to_string(process()));
}

// The sum directly behind the areas: what lies between the two reads becomes the residual. The text stays until pages are
// counted: where the kernel has joined its mapping with another one, that one would get its pages too.
std::optional<Attribution> Looker::attribution(const Ownership* ownership) {
  auto mapped = memory_.areas_and_rollup();
  if (!mapped) return std::nullopt;
  auto nodes = node_pages_ == NodePages::read ? memory_.node_pages() : std::vector<os::AreaNodes>{};
  if (!nodes) return std::nullopt;
  Told told{.areas = std::move(mapped->areas),
            .rollup = mapped->rollup,
            .nodes = std::move(*nodes),
            .thread_blocks = os::thread_blocks(process())};
  return attribute(
      std::move(told), components_, [this](const os::Area& first) { return span_of(first); }, page_counter(process()),
      ownership);
}

std::vector<UnaskedRange> Looker::unasked(const Ownership& ownership) {
  std::optional<std::vector<os::Area>> areas = memory_.bare_areas();
  if (!areas) return {};
  return unasked_ranges(
      std::move(*areas), os::thread_blocks(process()), components_,
      [this](const os::Area& first) { return span_of(first); }, ownership);
}

}  // namespace comity::memory
