// SPDX-License-Identifier: BSD-3-Clause
// A library to preload that writes down every call that it is shown, in memory, and gives it to the program or, where the
// program is of another language, writes the counts to a file when the process ends.
#include "interpose/witness.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "interpose/subscriber.hpp"
#include "real.hpp"

namespace comity::testing {
namespace {

int other_barriers = 0;

int other_barrier(MPI_Comm communicator) {
  MPI_Request request{};
  int flag = 0;
  ++other_barriers;
  int code = interpose::real::MPI_Ibarrier(communicator, &request);
  while (code == 0 && flag == 0) code = interpose::real::MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return code;
}

class Witness final : public interpose::Subscriber {
 public:
  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override {
    const char* const only = std::getenv("COMITY_WITNESS_ONLY");  // one function, or "nothing"
    return only == nullptr || facts.name == only ? interpose::Depth::times : interpose::Depth::none;
  }
  [[nodiscard]] bool announces(const interpose::Facts&) const noexcept override { return true; }
  // MPI_Barrier by its nonblocking form, as programs' own calls that nobody may see.
  [[nodiscard]] interpose::Replacement replacement(const interpose::Facts& facts) const noexcept override {
    const bool wanted = std::getenv("COMITY_WITNESS_REPLACES") != nullptr && facts.name == "MPI_Barrier";
    return wanted ? reinterpret_cast<interpose::Replacement>(&other_barrier) : nullptr;
  }
  void before(const interpose::Call& call) noexcept override {
    const std::lock_guard guard(mutex_);
    ++begun_[call.facts->name];
  }
  void after(const interpose::Event& event) noexcept override {
    const std::lock_guard guard(mutex_);
    ++counts_[event.facts->name];
    if (event.end_ns < event.begin_ns || begun_[event.facts->name] < counts_[event.facts->name])
      ++counts_["out of order"];
    last_ = {event.facts->name.data(), event.succeeded,      event.communicator,           event.to, event.from,
             event.sent_bytes,         event.received_bytes, event.end_ns - event.begin_ns};
  }

  void moved(const interpose::Message& message) noexcept override {
    const std::lock_guard guard(mutex_);
    ++told_;
    messages_.insert(messages_.end(), message.times,
                     {message.facts->name.data(), 1, message.communicator, message.to, message.from, message.sent_bytes,
                      message.received_bytes, 0});
  }

  void shared(const interpose::Message& share) noexcept override {
    const std::lock_guard guard(mutex_);
    shares_.push_back({share.facts->name.data(), 1, share.communicator, share.to, share.from, share.sent_bytes,
                       share.received_bytes, 0});
  }

  WitnessedCall message() { return oldest_of(messages_); }
  WitnessedCall share() { return oldest_of(shares_); }
  WitnessedCall last() {
    const std::lock_guard guard(mutex_);
    return last_;
  }
  int count(const std::string& name) {
    const std::lock_guard guard(mutex_);
    if (name == "told messages") return told_;
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  void write(const char* path) {
    const std::lock_guard guard(mutex_);
    std::FILE* const file = std::fopen((std::string(path) + '.' + std::to_string(::getpid())).c_str(), "w");
    if (file == nullptr) return;
    if (other_barriers > 0) std::fprintf(file, "other_barrier %d\n", other_barriers);
    for (const auto& [name, count] : counts_) std::fprintf(file, "%s %d\n", std::string(name).c_str(), count);
    std::fclose(file);
  }

 private:
  WitnessedCall oldest_of(std::deque<WitnessedCall>& told) {
    const std::lock_guard guard(mutex_);
    if (told.empty()) return {};
    const WitnessedCall oldest = told.front();
    told.pop_front();
    return oldest;
  }

  std::mutex mutex_;
  std::map<std::string_view, int> counts_;
  WitnessedCall last_{};
  std::deque<WitnessedCall> messages_;
  std::deque<WitnessedCall> shares_;
  int told_ = 0;  // how often messages were told, equal ones at once
  std::map<std::string_view, int> begun_;
};

Witness& witness() {
  static auto* const one = new Witness;
  return *one;
}

// What the ranks start is none of the witness's business, a sanitizer's symbolizer least of all.
__attribute__((constructor)) void keep_to_the_ranks() { ::unsetenv("LD_PRELOAD"); }

// Written after all that the program does at its end: a library that is loaded first ends last.
__attribute__((destructor(101))) void write_at_the_end() {
  if (const char* const path = std::getenv("COMITY_WITNESS_FILE")) witness().write(path);
}

}  // namespace
}  // namespace comity::testing

comity::interpose::Subscribers comity::interpose::subscribers() {
  static Subscriber* const all[] = {&testing::witness()};
  return all;
}

extern "C" __attribute__((visibility("default"))) int comity_witness_count(const char* name) {
  return comity::testing::witness().count(name);
}
extern "C" __attribute__((visibility("default"))) WitnessedCall comity_witness_last(void) {
  return comity::testing::witness().last();
}
extern "C" __attribute__((visibility("default"))) WitnessedCall comity_witness_message(void) {
  return comity::testing::witness().message();
}
extern "C" __attribute__((visibility("default"))) WitnessedCall comity_witness_share(void) {
  return comity::testing::witness().share();
}
