// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/reading.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "cli/memory/places.hpp"
#include "memory/rank/book.hpp"
#include "metrics/job/job_sums.hpp"
#include "metrics/snapshot.hpp"
#include "os/files/folder.hpp"
#include "record/format/chunk.hpp"
#include "record/format/some_series.hpp"
#include "record/merge/names.hpp"
#include "record/run/recover.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEnds = 12;  // ranks that are told one by one
constexpr std::array<std::string_view, 2> kSeriesOfFlight{metrics::kInFlightSeries, metrics::kGapSeries};

// What of a rank is decoded: all, or of what happened over time some series.
struct Wanted {
  record::Parts parts = record::Parts::all;
  std::span<const std::string_view> series{};
};

record::Scan decode(std::span<const std::byte> chunks, record::Content& content, const Wanted& wanted) {
  return wanted.parts == record::Parts::all ? record::decode(chunks, content)
                                            : record::decode_with_series(chunks, wanted.series, content);
}

void refuse_a_file(const std::string& place) {
  const std::filesystem::path path(place);
  std::error_code none;
  if (!std::filesystem::exists(path, none) || std::filesystem::is_directory(path, none)) return;
  if (record::is_record_file(path.filename().string())) {
    const std::string folder = path.parent_path().string();
    throw Error(Status::argument, place + " is a file of a record, which is read as a whole: name its folder, " +
                                      (folder.empty() ? "." : folder));
  }
  if (kind_of_run(place) == RunKind::mpimemu)
    throw Error(Status::argument, place +
                                      " is of mpimemu, which tells means over ranks alone: comity report FILE tells " +
                                      "them by themselves, comity memory scaling beside other runs");
  throw Error(Status::argument, place + " is a file and no record: a record is the folder that comity run --record " +
                                    "DIR has filled; of files only those of memnesia and mpimemu are read");
}

record::RunReader open_record(const std::string& folder) {
  refuse_a_file(folder);
  if (os::Folder(folder).has(record::kRunFile)) return record::RunReader(folder, record::WithoutIndex::salvage);
  const record::Recovery recovery = record::recover(folder);
  for (const std::string& note : recovery.notes) std::fprintf(stderr, "comity: %s\n", note.c_str());
  return record::RunReader(recovery.file);
}

// Where the next chunk begins that holds, after one at `begin` that does not: where that one says that it ends, or at the next
// word where some does. The search is bounded, for any word may seem to be the length of a long chunk.
std::size_t next_whole_chunk(std::span<const std::byte> body, std::size_t begin) {
  constexpr std::size_t kSearched_bytes = std::size_t{1} << 20U;
  constexpr std::size_t kLongest_bytes = std::size_t{128} << 10U;  // of a chunk that is found so
  const auto holds = [&](std::size_t at, std::size_t most_bytes) {
    const auto stop_at_next = [seen = false](const record::Chunk&) mutable {
      if (std::exchange(seen, true)) throw Error(Status::argument, "one is enough");
    };
    return record::scan_chunks(body.subspan(at, std::min(most_bytes, body.size() - at)), stop_at_next).chunks > 0;
  };
  std::uint32_t bytes = 0;
  if (body.size() - begin >= sizeof bytes) std::memcpy(&bytes, body.data() + begin, sizeof bytes);
  if (bytes >= record::kChunkHeader_bytes && bytes <= record::kMostPayload_bytes) {
    const std::size_t end = begin + record::chunk_bytes(bytes - record::kChunkHeader_bytes);
    if (end == body.size() || (end < body.size() && holds(end, body.size()))) return end;
  }
  const std::size_t last = std::min(body.size(), begin + kSearched_bytes);
  for (std::size_t at = begin + record::kChunkWord_bytes; at < last; at += record::kChunkWord_bytes) {
    if (holds(at, kLongest_bytes)) return at;
  }
  return body.size();
}

using Entries = std::map<record::StreamId, record::Entries<record::SampleEntry>>;

// Samples that were decoded so far: out of the way of what is decoded next, which is sorted as a whole.
void put_aside(record::Content& content, Entries& aside) {
  for (auto& [id, series] : content.series) {
    record::Entries<record::SampleEntry>& entries = aside[id];
    entries.insert(entries.end(), series.entries.begin(), series.entries.end());
    series.entries.clear();
  }
}

// All chunks that hold, also behind some that do not. Returns how many bytes were passed over: of samples also those whose series
// nothing declares any more. Each damage costs a way through all that is declared: a body that has been made of damage and declarations is given up.
std::uint64_t decode_what_holds(std::span<const std::byte> body, record::Content& content, const Wanted& wanted = {}) {
  constexpr std::size_t kMostPassed = 10'000'000;  // of a rank with a hundred series damage at 100,000 places
  std::uint64_t lost = 0;
  std::size_t passed = 0;
  Entries aside;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = at + decode(body.subspan(at), content, wanted).stopped_at;
    passed += content.series.size() + content.spans.size();
    at = end < body.size() && passed <= kMostPassed ? next_whole_chunk(body, end) : body.size();
    lost += at - end;
    if (lost > 0) put_aside(content, aside);
  }
  for (auto& [id, entries] : aside) content.series.at(id).entries = std::move(entries);
  return lost;
}

// The same of a rank, whatever was asked for: samples of a series that is damaged are lost with it, also where nobody asks for samples.
std::uint64_t decode_rank(std::span<const std::byte> body, record::Content& content, const Wanted& wanted) {
  const std::uint64_t lost = decode_what_holds(body, content, wanted);
  if (lost == 0 || wanted.parts == record::Parts::all) return lost;
  record::Content all;
  return decode_what_holds(body, all);
}

// The index tells whether any rank has written whose its memory is, and what was in flight: of others nothing over time is asked for.
Wanted wanted_for(const record::RunReader& run, Answer answer, OverTime over_time) {
  const bool tells_memory = !run.all().tables(memory::kComponentsTable).empty();
  const bool tells_flight = !run.all().tables(metrics::kFlightTable).empty();
  if (over_time == OverTime::each || (over_time == OverTime::together && tells_memory)) return {};
  Wanted wanted{.parts = record::Parts::fixed};
  if ((answer == Answer::flight || answer == Answer::json) && tells_flight) wanted.series = kSeriesOfFlight;
  return wanted;
}

// Whether what is left of a damaged rank's metrics is enough for figures.
bool can_be_summed(const record::Content& rank) try {
  metrics::JobSums(metrics::Messages::untold).add(rank);
  return true;
} catch (const Error&) {
  return false;
}

std::map<std::string, std::string> other_facts(const std::map<std::string, std::string>& of,
                                               const std::map<std::string, std::string>& than) {
  std::map<std::string, std::string> others;
  for (const auto& [key, value] : of) {
    const auto found = than.find(key);
    if (found == than.end() || found->second != value) others.emplace(key, value);
  }
  return others;
}

}  // namespace

Reading::Reading(const std::string& folder, Answer answer, OverTime over_time, const memory::TogetherRoom& room)
    : folder_(folder), run_(open_record(folder)), together_(room) {
  if (run_.ranks().empty()) throw Error(Status::not_found, "the record in " + folder + " holds no rank");
  metrics::JobSums sums(answer == Answer::text || answer == Answer::flight ? metrics::Messages::untold
                                                                           : metrics::Messages::told);
  const Wanted wanted = wanted_for(run_, answer, over_time);
  std::size_t measured = 0;
  for (const record::RankEntry& entry : run_.ranks()) {
    record::Content rank;
    const record::Bytes body = run_.body_bytes(entry);
    const std::uint64_t lost = decode_rank(body, rank, wanted) + (entry.body_bytes - body.size());
    if (lost > 0) damaged_.push_back({entry.rank, entry.body_bytes, lost});
    if (metrics::holds_snapshot(rank) && (lost == 0 || can_be_summed(rank))) {
      sums.add(rank);
      ++measured;
    } else if (lost == 0) {
      unmeasured_.push_back(entry.rank);
    }
    memory_.add(static_cast<int>(entry.rank), rank);
    if (over_time != OverTime::untold) add_over_time(entry, rank, over_time);
    if (const auto end = rank.facts.find(record::kEndFact);
        entry.end != record::RankEnd::ended && end != rank.facts.end()) {
      last_words_[entry.rank] = end->second;
    }
    clock_error_ns_ = std::max(clock_error_ns_, record::ClockMap::from_facts(rank.facts).error_ns().value_or(0));
    if (&entry == run_.ranks().data()) {
      facts_ = std::move(rank.facts);
    } else if (answer == Answer::json) {
      others_.emplace_back(entry.rank, other_facts(rank.facts, facts_));
    }
  }
  if (!is_whole()) std::fprintf(stderr, "comity: %s is damaged:\n%s", run_.path().c_str(), damaged_lines().c_str());
  if (memory_.has_impossible_samples())
    std::fprintf(stderr, "comity: %s: at some samples of its memory components have more than there was\n",
                 run_.path().c_str());
  if (measured > 0) job_ = sums.job();
  if (!job_ && memory_.ranks.empty()) refuse_without_metrics();
  together_.find_moments();
  read_again_what_lacks();
}

void Reading::refuse_without_metrics() const {
  throw Error(Status::argument, "the record in " + folder_ + " holds no metrics of any of its " +
                                    std::to_string(run_.ranks().size()) + " ranks: was it made with --record?");
}

const metrics::Job& Reading::job() const {
  if (!job_) refuse_without_metrics();
  return *job_;
}

void Reading::add_over_time(const record::RankEntry& entry, const record::Content& rank, OverTime over_time) {
  std::optional<memory::RankTimelines> lines =
      memory::timelines_of(static_cast<int>(entry.rank), rank, record::ClockMap::from_facts(rank.facts));
  if (!lines) return;
  if (over_time == OverTime::each) timelines_.ranks.push_back(*lines);
  together_.add(std::move(*lines), static_cast<int>(entry.node));
}

void Reading::read_again_what_lacks() {
  for (const memory::RankTimelines& lines : timelines_.ranks) together_.add_again(lines);
  for (const record::RankEntry& entry : run_.ranks()) {
    if (!together_.lacks(static_cast<int>(entry.rank))) continue;
    record::Content rank;
    (void)decode_what_holds(run_.body_bytes(entry), rank);
    const std::optional<memory::RankTimelines> lines =
        memory::timelines_of(static_cast<int>(entry.rank), rank, record::ClockMap::from_facts(rank.facts));
    if (lines) together_.add_again(*lines);
  }
}

const std::string& Reading::fact(const std::string& key) const {
  static const std::string unknown = "unknown";
  const auto found = facts_.find(key);
  return found == facts_.end() ? unknown : found->second;
}

// How far off times of different ranks are against one another, where clocks were measured.
std::string Reading::clocks_line() const {
  if (clock_error_ns_ == 0) return {};
  constexpr std::int64_t kMillisecond_ns = 1'000'000;
  const bool large = clock_error_ns_ >= kMillisecond_ns;
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "     clocks: several; times of their ranks are known to %.3g %s\n",
                static_cast<double>(clock_error_ns_) * (large ? 1e-6 : 1e-3), large ? "ms" : "us");
  return text.data();
}

std::string Reading::builds_line() const {
  const std::string& library = fact(record::kMpiLibraryFact);
  const std::string& file = fact(std::string(record::kLibraryFacts) + library);
  return "     " + fact(record::kProgramFact) + " is build " + fact(record::kProgramBuildFact) + "; " + library +
         " is " + file + '\n';
}

// "0, 3, 7 and 12 more"
std::string Reading::unmeasured_line() const {
  if (unmeasured_.empty()) return {};
  std::string text = "     killed before they left any figures, so these are those of the others: rank";
  for (std::size_t i = 0; i < std::min(unmeasured_.size(), kMostEnds); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(unmeasured_[i]);
  }
  if (unmeasured_.size() > kMostEnds) text += " and " + std::to_string(unmeasured_.size() - kMostEnds) + " more";
  return text + '\n';
}

// What was lost of a rank may be any of its figures, so each is named.
std::string Reading::damaged_lines() const {
  std::string text;
  if (!run_.index_damage().empty())
    text += "     DAMAGED: " + run_.index_damage() + "; shown are the ranks that are found without it, " +
            std::to_string(run_.ranks().size()) + "\n";
  for (std::size_t i = 0; i < std::min(damaged_.size(), kMostEnds); ++i) {
    const Damage& one = damaged_[i];
    text += "     DAMAGED: of rank " + std::to_string(one.rank) + " " + std::to_string(one.lost_bytes) + " of " +
            std::to_string(one.bytes) + " bytes cannot be read; what stood there is missing below\n";
  }
  if (damaged_.size() > kMostEnds)
    text += "     DAMAGED: so are " + std::to_string(damaged_.size() - kMostEnds) + " more ranks\n";
  return text;
}

bool Reading::is_damaged(std::uint32_t rank) const {
  return std::any_of(damaged_.begin(), damaged_.end(), [&](const Damage& one) { return one.rank == rank; });
}

// Of a job that was killed as a whole, thousands: then their number counts.
std::string Reading::ends_lines() const {
  std::string text;
  std::size_t found = 0;
  for (const record::RankEntry& entry : run_.ranks()) {
    if (entry.end == record::RankEnd::ended || ++found > kMostEnds) continue;
    const auto told = last_words_.find(entry.rank);
    text += "     rank " + std::to_string(entry.rank) + ": " +
            (told != last_words_.end()
                 ? "ended by " + told->second + "; its figures are of then\n"
                 : std::string(record::words_for(entry.end)) + "; its figures are seconds older than its end\n");
  }
  if (found > kMostEnds) text += "     and " + std::to_string(found - kMostEnds) + " more ranks did not end well\n";
  return text;
}

std::string Reading::head() const {
  std::string text = "run: " + fact(record::kArgumentsFact) + "\n     " + fact(record::kMpiFact) + ", on " +
                     fact(record::kHostFact) + "\n     launcher: " + fact(record::kLauncherFact) + '\n' +
                     builds_line() + clocks_line();
  if (run_.missing_ranks() > 0 && run_.index_damage().empty()) {
    text += "     of " + std::to_string(run_.job_ranks()) + " ranks " + std::to_string(run_.missing_ranks()) +
            " left no record: the figures are those of the others\n";
  }
  text += damaged_lines() + unmeasured_line() + ends_lines();
  for (const std::string& note : run_.notes()) text += "     " + note + "\n";
  return text + "\n";
}

Json Reading::json() const {
  Json ends = Json::array();
  for (const record::RankEntry& entry : run_.ranks()) {
    const auto told = last_words_.find(entry.rank);
    ends.push_back({{"rank", entry.rank},
                    {"node", entry.node},
                    {"end", record::words_for(entry.end)},
                    {"by", told == last_words_.end() ? Json(nullptr) : Json(told->second)},
                    {"damaged", is_damaged(entry.rank)}});
  }
  Json damaged = Json::array();
  for (const Damage& one : damaged_)
    damaged.push_back({{"rank", one.rank}, {"bytes", one.bytes}, {"lost_bytes", one.lost_bytes}});
  Json others = Json::object();
  for (const auto& [rank, facts] : others_) others[std::to_string(rank)] = facts;
  return {{"job", run_.job()},
          {"ranks", run_.job_ranks()},
          {"missing_ranks", run_.missing_ranks()},
          {"unmeasured_ranks", unmeasured_},
          {"damaged_ranks", std::move(damaged)},
          {"index_damage", run_.index_damage().empty() ? Json(nullptr) : Json(run_.index_damage())},
          {"notes", run_.notes()},
          {"facts", facts_},
          {"facts_of_ranks", std::move(others)},
          {"ends", std::move(ends)}};
}

}  // namespace comity::cli
