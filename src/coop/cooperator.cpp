// SPDX-License-Identifier: BSD-3-Clause
#include "coop/cooperator.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "base/log.hpp"
#include "coop/attendant.hpp"
#include "coop/blocking_calls.hpp"
#include "coop/calls/end_of_self.hpp"
#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/cooperation.hpp"
#include "coop/copies.hpp"
#include "coop/decision/agreement.hpp"
#include "coop/decision/teams.hpp"
#include "coop/library/descriptors.hpp"
#include "coop/library/library_wait.hpp"
#include "coop/library/progress.hpp"
#include "coop/mpi_bootstrap.hpp"
#include "coop/part.hpp"
#include "interpose/handles.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/watch.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"
#include "os/threads/far_fence.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

// For so many communicators of a node, the first ones: 512 bytes a rank each.
constexpr std::size_t kBoards = 32;

bool is_begin(const interpose::Facts& facts) { return facts.name == "MPI_Init" || facts.name == "MPI_Init_thread"; }

Replaced find_any(std::string_view name) {
  for (const auto find :
       {replacement_of_start, replacement_of_question, replacement_of_message, replacement_of_completion,
        replacement_of_collective, replacement_of_window, replacement_of_file}) {
    if (const Replaced found = find(name); found.function != nullptr) return found;
  }
  return {};
}

// It waits in the library, which has no other form of it.
bool waits_as_it_is(const interpose::Facts& facts) {
  const bool ours = facts.kind != interpose::Kind::begin && facts.kind != interpose::Kind::end;
  return facts.blocking && ours && find_any(facts.name).function == nullptr;
}

MPI_Comm make_candidates(MPI_Comm job) {
  MPI_Comm candidates;
  int rank = 0;
  real::MPI_Comm_rank(job, &rank);
  real::MPI_Comm_split_type(job, MPI_COMM_TYPE_SHARED, rank, interpose::handles().no_info, &candidates);
  return candidates;
}

node::LocalFacts facts_of_this_process() {
  const CpuSet mask = os::affinity(os::process_id());
  return {.mask = mask, .hart_count = std::max(os::online_cpus(), mask.highest().value_or(0) + 1)};
}

// Collective.
bool all_say(MpiBootstrap& bootstrap, bool mine) { return bootstrap.job_sum(mine ? 1 : 0) == bootstrap.job_size(); }

// Collective. Whether ranks can end one another's sleep on descriptors: all of a node have a wire and are in one network namespace.
bool all_are_wired(MpiBootstrap& bootstrap, node::Node& node, bool wanted) {
  const auto holds = [](auto&& step) {
    try {
      return step();
    } catch (const Error& error) {
      log::info("coop", std::string("waits for other nodes sleep on no descriptors: ") + error.what());
      return false;
    }
  };
  const bool has_one = wanted && sees_descriptors() && holds([&] {
                         node.open_wire();
                         return true;
                       });
  if (!all_say(bootstrap, has_one)) return false;
  const int next = (node.participant() + 1) % node.participants();
  return all_say(bootstrap, holds([&] { return node.reaches_by_wire(next); }));
}

// Two threads of a rank that make parts of the party at once would mix them up.
bool has_one_thread_at_a_time() {
  int level = MPI_THREAD_MULTIPLE;
  return real::MPI_Query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE;
}

// It stands behind us for all calls of its kind, mostly; those that wait are what it is there for.
bool is_another_tool_behind() {
  return std::ranges::any_of(
      blocking_calls(), [](const BlockingCall& call) { return interpose::has_tool_behind(std::string(call.name)); });
}

// What the user asked for by name is no news.
void tell(const Agreement& found, const Party& party) {
  if (party.always) return;
  const bool is_alone = found.ranks.size() == 1 && !found.verdict.on;
  const std::string what = is_alone ? "off: one rank has nobody to wait for" : to_text(found.verdict, os::host_name());
  std::fprintf(stderr, "comity: cooperative waits %s\n", what.c_str());
}

// By rank 0 of those who do. Nothing else tells a run with waits that sleep from one without where the user asked for them.
void tell_who_takes_part(const Party& party) {
  int all = 0;
  real::MPI_Comm_size(interpose::handles().world, &all);
  const int some = party.is_whole ? all : static_cast<int>(party.ranks.size());
  log::info("coop", "waits are cooperative: " + std::to_string(some) + " of " + std::to_string(all) +
                        " ranks take part" +
                        (party.is_whole ? "" : "; the others have not loaded Comity's library, or are told not to"));
}

// By rank of MPI_COMM_WORLD; who is not in the party is on no node of it.
std::vector<std::uint64_t> nodes_of_world(MpiBootstrap& bootstrap, std::uint64_t mine, const Party& party) {
  std::vector<std::uint64_t> nodes = bootstrap.job_gather(mine);
  if (party.is_whole) return nodes;
  int size = 0;
  real::MPI_Comm_size(interpose::handles().world, &size);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size), kNoNode);
  for (std::size_t i = 0; i < nodes.size(); ++i) all[static_cast<std::size_t>(party.ranks[i])] = nodes[i];
  return all;
}

// Some links to each rank, and what the library has besides. Where there are more it is waited for as without them.
std::size_t descriptors_at_most(int ranks) {
  return std::min<std::size_t>(64 + 4 * static_cast<std::size_t>(ranks), 4096);
}

// Collective, in a job with ranks that cannot ring this one: of other nodes, or outside. Who takes no part rings nobody, and one thread may take what another sleeps for.
void watch_descriptors(MpiBootstrap& bootstrap, Cooperation& here, const Party& party) {
  FarWaits& far = here.peers.far_waits();
  if (!all_are_wired(bootstrap, here.peers.node(), far.bounds().watches)) {
    if (!far.bounds().watches) return;
    log::info(
        "coop",
        "waits for other nodes sleep on no descriptors: a rank is told why, or another library stands before poll, "
        "or ranks of a node are in several network namespaces");
    return;
  }
  here.peers.watch().open(descriptors_at_most(here.peers.job_size()));
  if (party.is_whole && has_one_thread_at_a_time()) far.may_trust_descriptors();
}

Neighbours neighbours_of(const Agreement& found) {
  Neighbours all{.ranks = {}, .have_shares = !found.shares.empty()};
  for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
    const RankFacts& facts = found.ranks[rank];
    const CpuSet& alone = is_to_spread(facts) ? facts.reach : facts.mask;
    all.ranks.push_back({all.have_shares ? found.shares[rank] : alone, facts.threads});
  }
  return all;
}

// Before the segment is made, which notes where each rank runs. Returns what is to be seen to from then on, the node left out.
Duties make_room(const Agreement& found, std::size_t me) {
  Duties duties;
  if (!found.verdict.crowded) return duties;
  if (!found.shares.empty()) {
    duties.left_alone = move_threads(found.rank, found.shares[me]);
  } else if (is_to_spread(found.rank)) {
    move_threads(found.rank, found.rank.reach);
  }
  if (!has_idle_threads_in_the_way(found.node)) return duties;
  duties.neighbours = neighbours_of(found);
  duties.launched = found.rank.mask;
  duties.spins = let_idle_threads_sleep(os::environment);
  let_openblas_compute_alone(os::environment);
  return duties;
}

// Where this rank's waits are to keep their cores after all. Idle threads stay told to sleep.
class WayBack {
 public:
  WayBack(RankFacts rank, const Agreement& found, std::size_t me) : rank_(rank) {
    if (found.verdict.crowded && !found.shares.empty()) share_ = found.shares[me];
  }
  ~WayBack() {
    if (share_.empty()) return;
    RankFacts moved = rank_;
    moved.mask = share_;
    try {
      (void)move_threads(moved, rank_.mask);
    } catch (const std::exception& error) {
      log::warning("coop", std::string("threads stay on a share of the cores: ") + error.what());
    }
  }
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;
  void is_not_needed() { share_ = {}; }

 private:
  RankFacts rank_;
  CpuSet share_;
};

// Whose teams crowd it; one whose ranks are in several segments has no one place for that.
bool is_whole(const node::Node& node, const Neighbours& neighbours) {
  return static_cast<std::size_t>(node.participants()) == neighbours.ranks.size();
}

// Ranks that wait for long are told of where one thread at a time does that, and where others can make use of it.
void see_to_long_waits(Peers& peers, std::shared_ptr<node::Node> node, Duties duties) {
  if (!is_whole(*node, duties.neighbours)) return;
  peers.long_waits().tell(*node);
  if (duties.spins.empty() && !duties.neighbours.have_shares) return;
  duties.node = std::move(node);
  if (!start_attendant(std::move(duties))) {
    log::info("coop", "this rank does not use what others leave: the system gives no thread for it");
  }
}

}  // namespace

interpose::Depth Cooperator::depth(const interpose::Facts& facts) const noexcept {
  const bool looks = is_begin(facts) || (waits_as_it_is(facts) && may_call_back());
  return looks ? interpose::Depth::calls : interpose::Depth::none;
}

bool Cooperator::announces(const interpose::Facts& facts) const noexcept { return !is_begin(facts); }

interpose::Replacement Cooperator::replacement(const interpose::Facts& facts) const noexcept {
  return find_any(facts.name).function;
}

interpose::Replacement Cooperator::replacement_inside(const interpose::Facts& facts) const noexcept {
  return find_any(facts.name).inside;
}

void Cooperator::end_of_library_wait() {
  LibraryWait::end();
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.ring_everybody();
}

void Cooperator::before(const interpose::Call& call) noexcept {
  if (call.facts->name == "MPI_Buffer_detach") Copies::detach();
  LibraryWait::begin();
}

void Cooperator::after(const interpose::Event& event) noexcept {
  if (!is_begin(*event.facts)) return end_of_library_wait();
  if (!event.succeeded) return;
  try {
    const Party party = settings_.party();
    if (!party.has_me) return interpose::stop_replacing(*this);
    join(party);
  } catch (const std::exception& error) {
    if (interpose::may_speak_for_the_job()) {
      log::warning("coop", std::string("waits in MPI keep their cores: ") + error.what());
    }
    interpose::stop_replacing(*this);
  }
}

// All ranks of the party, or none: where one cannot, each throws.
void Cooperator::join(const Party& party) {
  OwnCommunicator job(make_communicator(party));
  const OwnCommunicator candidates(make_candidates(job.get()));
  MpiBootstrap bootstrap(job.get(), candidates.get());
  const bool may_spread = settings_.may_spread && is_bound_by_default(os::environment);
  RankFacts facts = facts_of_this_rank(os::environment, may_spread);
  facts.has_tool = is_another_tool_behind() ? 1 : 0;
  // Where several threads wait nobody would tell what the rank leaves.
  if (!settings_.may_share || !has_one_thread_at_a_time()) facts.is_free = 0;
  const Agreement found = agree(bootstrap, facts);
  if (bootstrap.job_rank() == 0) tell(found, party);
  if (!party.always && !found.verdict.on) return interpose::stop_replacing(*this);
  const auto me = static_cast<std::size_t>(bootstrap.candidate_rank());
  Duties duties = make_room(found, me);
  WayBack way_back(facts, found, me);
  const auto candidates_here = static_cast<std::size_t>(bootstrap.candidate_size());
  std::shared_ptr<node::Node> node = node::Node::attach(
      bootstrap, settings_.node, [&] { return std::vector<std::byte>(kBoards * Board::bytes_for(candidates_here)); },
      [](std::span<const std::byte>) { return facts_of_this_process(); });
  node->claim_harts({},
                    facts_of_this_process().mask);  // so that ranks which share a hart know that, and do not spin there
  const std::vector<std::uint64_t> nodes = nodes_of_world(bootstrap, node->id(), party);
  // Where ranks take turns on a hart each sleeps so often that its fences would cost more than those of all rings.
  if (all_say(bootstrap, os::join_far_fences() && !is_crammed(*node))) node->make_rings_light();
  if (!all_say(bootstrap, hook_into_progress())) {
    throw Error(Status::unsupported,
                "wait in MPI: this MPI library does not let itself be asked (it has no opal_progress_register)");
  }
  begin_progress();
  auto* const started = new Cooperation(node, nodes, settings_.far, make_progress);
  if (!started->peers.all_are_here()) watch_descriptors(bootstrap, *started, party);
  started->party = party;
  started->starts_collectives = all_say(bootstrap, !sleeps_in_the_library());
  if (!sleeps_in_the_library()) started->trial = std::make_unique<Trial>();
  const bool has_many_threads = !has_one_thread_at_a_time();
  if (has_many_threads && !sleeps_in_the_library()) started->peers.lookout().open();
  if (all_say(bootstrap, !has_many_threads)) started->party_communicator = job.keep();  // for good
  // Never destroyed: programs call MPI also while they end.
  way_back.is_not_needed();
  if (!has_many_threads) see_to_long_waits(started->peers, std::move(node), std::move(duties));
  cooperation.store(started, std::memory_order_release);
  const MPI_Comm world = interpose::handles().world;
  learn_as(key_of(world), world);
  attach_to_self();
  if (bootstrap.job_rank() == 0) tell_who_takes_part(party);
}

}  // namespace comity::coop
