// SPDX-License-Identifier: BSD-3-Clause
#include "steady.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace {

using comity::BindingGuard;
using comity::check;
using comity::Context;
using comity::Group;
using comity::Resource;
using steady::Board;

class Work {
 public:
  Work(MPI_Comm communicator, bool works, Board& board)
      : context_(comity::make_context(communicator)), group_(context_.split(works ? 0 : -1)), board_(board) {
    if (group_) thread_ = std::thread([this] { work(); });
  }
  ~Work() {
    if (thread_.joinable()) thread_.join();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::string finish() {
    if (thread_.joinable()) thread_.join();
    return wrong_;
  }

 private:
  void work() {
    try {
      steady::Seat& seat = board_.seats[context_.rank()];
      const comity_cpuset mine = all_but_the_first_core();
      context_.push_cpuset(mine);
      const BindingGuard bound(context_.handle());
      seat.process.store(::getpid());
      seat.thread.store(::gettid());
      while (all_go_on()) {
        const auto cpu = static_cast<std::size_t>(::sched_getcpu());
        if ((mine.words[cpu / 64] >> cpu % 64 & 1U) == 0) wrong_ = "a round on CPU " + std::to_string(cpu);
        seat.rounds.fetch_add(1);
      }
    } catch (const std::exception& error) {
      wrong_ = error.what();
    }
  }

  [[nodiscard]] comity_cpuset all_but_the_first_core() const {
    comity_cpuset rest = context_.cpuset(Resource::machine, 0);
    const comity_cpuset first = context_.cpuset(Resource::core, 0);
    for (std::size_t word = 0; word < std::size(rest.words); ++word) rest.words[word] &= ~first.words[word];
    return rest;
  }

  bool all_go_on() {
    if (group_->rank() == 0) board_.goes_on.store(board_.stop.load() == 0 ? 1 : 0);
    context_.quiesce(*group_);
    const bool goes_on = board_.goes_on.load() != 0;
    context_.quiesce(*group_);  // all have read it before it is written again
    return goes_on;
  }

  Context context_;
  std::optional<Group> group_;
  Board& board_;
  std::string wrong_;
  std::thread thread_;
};

void* start(MPI_Comm communicator, bool works, Board* board) { return new Work(communicator, works, *board); }

const char* finish(void* started) {
  static std::string wrong;
  const std::unique_ptr<Work> work(static_cast<Work*>(started));
  wrong = work->finish();
  return wrong.c_str();
}

}  // namespace

const steady::Functions* steady_library() {
  static const steady::Functions functions{start, finish};
  return &functions;
}
