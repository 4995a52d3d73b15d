// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/reading.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "metrics/job/job_sums.hpp"
#include "metrics/snapshot.hpp"
#include "os/files/folder.hpp"
#include "record/merge/names.hpp"
#include "record/run/recover.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEnds = 12;  // ranks that are told one by one

record::RunReader open_record(const std::string& folder) {
  if (os::Folder(folder).has(record::kRunFile)) return record::RunReader(folder);
  const record::Recovery recovery = record::recover(folder);
  for (const std::string& note : recovery.notes) std::fprintf(stderr, "comity: %s\n", note.c_str());
  return record::RunReader(recovery.file);
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

Reading::Reading(const std::string& folder, Answer answer) : run_(open_record(folder)) {
  if (run_.ranks().empty()) throw Error(Status::not_found, "the record in " + folder + " holds no rank");
  metrics::JobSums sums(answer == Answer::text ? metrics::Messages::untold : metrics::Messages::told);
  for (const record::RankEntry& entry : run_.ranks()) {
    record::Content rank = run_.rank(entry.rank, record::Parts::fixed).content;
    if (metrics::holds_snapshot(rank)) {
      sums.add(rank);
    } else {
      unmeasured_.push_back(entry.rank);
    }
    memory_.add(static_cast<int>(entry.rank), rank);
    if (const auto end = rank.facts.find(record::kEndFact);
        entry.end != record::RankEnd::ended && end != rank.facts.end()) {
      last_words_[entry.rank] = end->second;
    }
    clock_error_ns_ = std::max(clock_error_ns_, record::ClockMap::from_facts(rank.facts).error_ns());
    if (&entry == run_.ranks().data()) {
      facts_ = std::move(rank.facts);
    } else if (answer == Answer::json) {
      others_.emplace_back(entry.rank, other_facts(rank.facts, facts_));
    }
  }
  if (unmeasured_.size() == run_.ranks().size()) {
    throw Error(Status::argument, "the record in " + folder + " holds no metrics of any of its " +
                                      std::to_string(unmeasured_.size()) + " ranks: was it made with --record?");
  }
  job_ = sums.job();
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
  if (run_.missing_ranks() > 0) {
    text += "     of " + std::to_string(run_.job_ranks()) + " ranks " + std::to_string(run_.missing_ranks()) +
            " left no record: the figures are those of the others\n";
  }
  text += unmeasured_line() + ends_lines();
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
                    {"by", told == last_words_.end() ? Json(nullptr) : Json(told->second)}});
  }
  Json others = Json::object();
  for (const auto& [rank, facts] : others_) others[std::to_string(rank)] = facts;
  return {{"job", run_.job()},
          {"ranks", run_.job_ranks()},
          {"missing_ranks", run_.missing_ranks()},
          {"unmeasured_ranks", unmeasured_},
          {"notes", run_.notes()},
          {"facts", facts_},
          {"facts_of_ranks", std::move(others)},
          {"ends", std::move(ends)}};
}

}  // namespace comity::cli
