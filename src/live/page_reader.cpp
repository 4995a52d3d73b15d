// SPDX-License-Identifier: BSD-3-Clause
#include "live/page_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::live {
namespace {

using Bytes = std::span<const std::byte>;

[[noreturn]] void refuse(Status status, const std::string& why) { throw Error(status, "read a live page: " + why); }

// What keeps its place in every version comes first, so that a newer page is told as one.
Header header_of(Bytes copy) {
  Header header{};
  if (!copy.empty()) std::memcpy(&header, copy.data(), std::min(copy.size(), sizeof header));
  if (copy.size() >= sizeof header.magic && header.magic == 0) refuse(Status::order, "it is still being made");
  if (copy.size() < offsetof(Header, total_bytes) || header.magic != kMagic) {
    refuse(Status::argument, "it does not begin as one");
  }
  if (header.byte_order != kByteOrder) refuse(Status::unsupported, "its byte order is not that of this machine");
  if (header.version != kVersion) {
    refuse(Status::version, "it has version " + std::to_string(header.version) + ", and this command knows version " +
                                std::to_string(kVersion) +
                                "; take the command that belongs to the library in the rank");
  }
  return header;
}

bool lies_inside(Bytes copy, std::uint64_t at, std::uint64_t bytes) {
  return at <= copy.size() && bytes <= copy.size() - at;
}

void check_places(Bytes copy, const Header& header) {
  const bool sound = header.header_bytes == sizeof(Header) && header.row_bytes == sizeof(Row) && header.rows <= kRows &&
                     lies_inside(copy, header.rows_at, std::uint64_t{header.rows} * sizeof(Row)) &&
                     lies_inside(copy, header.names_at, header.names_bytes);
  if (!sound) refuse(Status::argument, "its places do not lie inside it");
}

std::string_view text_at(Bytes copy, std::size_t at, std::size_t bytes) {
  return {reinterpret_cast<const char*>(copy.data()) + at, bytes};
}

std::vector<std::string_view> names_of(Bytes copy, const Header& header) {
  std::vector<std::string_view> names;
  std::string_view text = text_at(copy, header.names_at, header.names_bytes);
  for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    names.push_back(text.substr(0, end));
  }
  return names;
}

template <std::size_t kBytes>
std::string text_of(const char (&field)[kBytes]) {
  return visible(std::string_view(field, static_cast<std::size_t>(std::find(field, field + kBytes, '\0') - field)));
}

std::string function_of(const Row& row, const std::vector<std::string_view>& names) {
  if (row.function == kOutside) return {};
  return row.function <= names.size() ? visible(names[row.function - 1]) : "unknown";
}

// Half an old path and half a new one is neither.
std::string region_of(const Row& row) {
  if (row.region_bytes > kRegion_bytes || row.region_before != row.region_after) return {};
  return visible({row.region, row.region_bytes});
}

ThreadView thread_of(const Row& row, const std::vector<std::string_view>& names) {
  ThreadView view{row.thread, function_of(row, names), row.since_ns, region_of(row)};
  if (view.function.empty() || view.since_ns < 0) view.since_ns = 0;
  return view;
}

Phase phase_of(std::uint32_t phase) {
  if (phase == static_cast<std::uint32_t>(Phase::in_run)) return Phase::in_run;
  return phase == static_cast<std::uint32_t>(Phase::after_finalize) ? Phase::after_finalize : Phase::before_init;
}

Recording recording_of(std::uint32_t word) {
  if (word == static_cast<std::uint32_t>(Recording::on)) return Recording::on;
  return word == static_cast<std::uint32_t>(Recording::off) ? Recording::off : Recording::none;
}

}  // namespace

PageView read_page(std::span<const std::byte> copy) {
  const Header header = header_of(copy);
  if (copy.size() < sizeof header) refuse(Status::argument, "it is cut off");
  check_places(copy, header);
  PageView view{.process = header.process,
                .phase = phase_of(header.phase),
                .main_thread = header.main_thread,
                .rank = header.rank,
                .ranks = std::max(header.ranks, std::uint32_t{1}),
                .job = header.job,
                .mpi = text_of(header.mpi),
                .host = text_of(header.host),
                .untold_threads = header.untold_threads,
                .recording = recording_of(header.recording),
                .threads = {}};
  const std::vector<std::string_view> names = names_of(copy, header);
  for (std::uint32_t i = 0; i < header.rows; ++i) {
    Row row{};
    std::memcpy(&row, copy.data() + header.rows_at + i * sizeof(Row), sizeof row);
    if (row.thread != 0) view.threads.push_back(thread_of(row, names));
  }
  return view;
}

}  // namespace comity::live
