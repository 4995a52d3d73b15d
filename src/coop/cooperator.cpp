// SPDX-License-Identifier: BSD-3-Clause
#include "coop/cooperator.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "base/log.hpp"
#include "coop/agreement.hpp"
#include "coop/blocking_calls.hpp"
#include "coop/cooperation.hpp"
#include "coop/library_wait.hpp"
#include "coop/mpi_bootstrap.hpp"
#include "coop/replacements.hpp"
#include "coop/teams.hpp"
#include "interpose/handles.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/watch.hpp"
#include "os/affinity.hpp"
#include "os/environment.hpp"
#include "os/far_fence.hpp"
#include "os/kernel.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

bool is_begin(const interpose::Facts& facts) { return facts.name == "MPI_Init" || facts.name == "MPI_Init_thread"; }

interpose::Replacement find_any(std::string_view name) {
  for (const auto find : {replacement_of_start, replacement_of_message, replacement_of_completion,
                          replacement_of_collective, replacement_of_window, replacement_of_file}) {
    if (const interpose::Replacement found = find(name); found != nullptr) return found;
  }
  return nullptr;
}

// It waits in the library, which has no other form of it.
bool waits_as_it_is(const interpose::Facts& facts) {
  const bool ours = facts.kind != interpose::Kind::begin && facts.kind != interpose::Kind::end;
  return facts.blocking && ours && find_any(facts.name) == nullptr;
}

// Looking for a message makes the library go on; which one, if any, does not matter.
void make_progress() {
  int found = 0;
  MPI_Status status;
  real::MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, interpose::handles().world, &found, &status);
}

// The two communicators over which the ranks find one another, for that moment.
class Meeting {
 public:
  Meeting() {
    const interpose::Handles& handles = interpose::handles();
    int rank = 0;
    real::MPI_Comm_dup(handles.world, &job_);
    real::MPI_Comm_rank(job_, &rank);
    real::MPI_Comm_split_type(job_, MPI_COMM_TYPE_SHARED, rank, handles.no_info, &candidates_);
  }
  ~Meeting() {
    real::MPI_Comm_free(&candidates_);
    real::MPI_Comm_free(&job_);
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  [[nodiscard]] MpiBootstrap bootstrap() const { return {job_, candidates_}; }

 private:
  MPI_Comm job_{};
  MPI_Comm candidates_{};
};

node::LocalFacts facts_of_this_process() {
  const CpuSet mask = os::affinity(os::process_id());
  return {.mask = mask, .hart_count = std::max(os::online_cpus(), mask.highest().value_or(0) + 1)};
}

// Collective.
bool all_say(MpiBootstrap& bootstrap, bool mine) { return bootstrap.job_sum(mine ? 1 : 0) == bootstrap.job_size(); }

// It stands behind us for all calls of its kind, mostly; those that wait are what it is there for.
bool is_another_tool_behind() {
  return std::ranges::any_of(
      blocking_calls(), [](const BlockingCall& call) { return interpose::has_tool_behind(std::string(call.name)); });
}

// Where it is off nobody has to know. What the user asked for by name is no news.
void tell(const Agreement& found, When when) {
  const std::string text = "cooperative waits " + to_text(found.verdict, os::host_name());
  if (when == When::crowded && found.verdict.on) {
    std::fprintf(stderr, "comity: %s\n", text.c_str());
  } else if (when == When::crowded) {
    log::info("coop", text);
  }
}

// Before the segment is made, which notes where each rank runs.
void make_room(const Agreement& found) {
  if (!found.verdict.crowded) return;
  if (is_to_spread(found.rank)) spread(found.rank);
  if (has_idle_threads_in_the_way(found.node)) let_idle_threads_sleep(os::environment);
}

}  // namespace

interpose::Depth Cooperator::depth(const interpose::Facts& facts) const noexcept {
  const bool looks = is_begin(facts) || (kLibraryCallsBack && waits_as_it_is(facts));
  return looks ? interpose::Depth::calls : interpose::Depth::none;
}

bool Cooperator::announces(const interpose::Facts& facts) const noexcept { return !is_begin(facts); }

interpose::Replacement Cooperator::replacement(const interpose::Facts& facts) const noexcept {
  return find_any(facts.name);
}

void Cooperator::end_of_library_wait() {
  LibraryWait::end();
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.ring_everybody();
}

void Cooperator::before(const interpose::Call& /*call*/) noexcept { LibraryWait::begin(); }

void Cooperator::after(const interpose::Event& event) noexcept {
  if (!is_begin(*event.facts)) return end_of_library_wait();
  if (!event.succeeded) return;
  try {
    join();
  } catch (const std::exception& error) {
    if (interpose::may_speak_for_the_job()) {
      log::warning("coop", std::string("waits in MPI keep their cores: ") + error.what());
    }
    interpose::stop_replacing();
  }
}

// All ranks, or none: where one cannot, each throws.
void Cooperator::join() {
  const Meeting meeting;
  MpiBootstrap bootstrap = meeting.bootstrap();
  const bool may_spread = settings_.may_spread && is_bound_by_default(os::environment);
  RankFacts facts = facts_of_this_rank(os::environment, may_spread);
  facts.has_tool = is_another_tool_behind() ? 1 : 0;
  const Agreement found = agree(bootstrap, facts);
  if (bootstrap.job_rank() == 0) tell(found, settings_.when);
  if (settings_.when == When::crowded && !found.verdict.on) return interpose::stop_replacing();
  make_room(found);
  auto node = node::Node::attach(
      bootstrap, settings_.node, [] { return std::vector<std::byte>(1); },
      [](std::span<const std::byte>) { return facts_of_this_process(); });
  node->claim_harts({},
                    facts_of_this_process().mask);  // so that ranks which share a hart know that, and do not spin there
  const std::vector<std::uint64_t> nodes = bootstrap.job_gather(node->id());
  // Where ranks take turns on a hart each sleeps so often that its fences would cost more than those of all rings.
  if (all_say(bootstrap, os::join_far_fences() && !is_crammed(*node))) node->make_rings_light();
  if (!all_say(bootstrap, hook_into_progress())) {
    throw Error(Status::unsupported,
                "wait in MPI: this MPI library does not let itself be asked (it has no opal_progress_register)");
  }
  auto* const started = new Cooperation(std::move(node), nodes, make_progress);
  // Never destroyed: programs call MPI also while they end.
  cooperation.store(started, std::memory_order_release);
}

}  // namespace comity::coop
