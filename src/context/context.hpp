// SPDX-License-Identifier: BSD-3-Clause
// Context: QUO's context. What the node has, which of its ranks run where, moving them, and resting together.
// Not: creation (runtime), MPI (mpi), C types (capi). Sources: 000_e1ccbc1c9e2b7238 III, 003_468943038a8a97cc ch. 3.
//
// Thread rules: queries from any thread; collective calls from one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"
#include "context/binding_stack.hpp"
#include "context/distribution.hpp"
#include "context/division.hpp"
#include "context/machine_views.hpp"
#include "context/notice.hpp"
#include "context/peer_masks.hpp"
#include "context/progress.hpp"
#include "context/threads/team_sizes.hpp"
#include "machine/machine.hpp"
#include "machine/numbers.hpp"
#include "node/group.hpp"
#include "node/node.hpp"
#include "os/cpus/cgroup.hpp"
#include "os/scratch.hpp"

namespace comity::context {

using machine::ObjectType;
using Timeout = std::optional<std::chrono::nanoseconds>;  // nullopt: no limit

enum class View : std::uint8_t { published, live };
enum class ToldBy : std::uint8_t { table = 0, kernel = 1, rank = 2 };  // as comity_told_by
enum class BindingOf : std::uint8_t { main_thread = 0, threads = 1 };  // whose masks are this process's binding

struct Width {
  int cores;
  int pus;
};

struct PeerBinding {
  CpuSet mask;
  ToldBy told_by;
};

// As it is asked for: what does not exist is told to all ranks.
struct Splitting {
  int type;
  int pieces;
  int how;
};

struct Selection {
  Assignment mine;
  int selected_count;  // ranks of the node that are selected
};

class Context {
 public:
  // `everybody`: the ranks of this context on this node. All of them then call begin().
  // `stack` and `team_sizes`: the process's. `cpuset`: tells which CPUs the cgroup allows now; null where it has no say, on a
  // machine that is not this one. `first_to_tell`: who warns of ranks in several cpusets; none: nobody does.
  Context(std::shared_ptr<node::Node> node, std::unique_ptr<node::Group> everybody, int node_count, BindingStack& stack,
          TeamSizes& team_sizes, Owner identity, TeamSettings settings, os::CpusetWatch* cpuset = nullptr,
          FirstToTell first_to_tell = {});
  ~Context();
  // Collective: publishes the masks for the first time, and learns whose cgroup is that of rank 0.
  void begin();
  // Gives back what this context has changed, and says what the kernel refused; nothing but the end may follow.
  Restored close() noexcept;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // As it is seen now: what may be used since the last collective call, one PU a core where that was asked for.
  [[nodiscard]] const machine::Machine& machine() const { return views_.current(); }
  [[nodiscard]] Smt smt() const { return views_.smt(); }
  // Collective: from here on machine() has all PUs of each core, or its lowest one. Throws Status::argument on all ranks,
  // and nothing changes, where they ask for different things.
  void show(Smt smt);
  [[nodiscard]] const std::shared_ptr<node::Node>& node() const { return node_; }
  [[nodiscard]] int node_count() const { return node_count_; }
  [[nodiscard]] int rank() const { return everybody_->rank(); }
  [[nodiscard]] int size() const { return everybody_->size(); }

  [[nodiscard]] CpuSet binding() const;
  // Before the context is used by several threads.
  void take_binding_of(BindingOf whose) { binding_of_ = whose; }
  void take_teams(TeamPolicy teams) { teams_ = teams; }
  [[nodiscard]] bool is_bound() const;
  [[nodiscard]] Width width() const;
  [[nodiscard]] bool encloses(ObjectType type, int index) const;
  [[nodiscard]] bool intersects(ObjectType type, int index) const;
  [[nodiscard]] std::vector<int> touched(ObjectType type) const;  // objects that the binding intersects, ascending
  // The object closest to the set, as machine::Machine::closest says, of the machine that is seen.
  [[nodiscard]] std::optional<machine::Closest> closest(ObjectType type, const CpuSet& cpus) const;
  // Numbers of the objects that the set touches, null: the binding. The way back: machine::objects_numbered.
  [[nodiscard]] CpuSet numbers(ObjectType type, machine::Numbering numbering, const CpuSet* set) const;
  // The piece of each member, of the set or, null, of the binding. `places`: one a member for Assign::close, else none needed.
  [[nodiscard]] std::vector<CpuSet> assign(ObjectType type, int pieces, Assign how, std::size_t members,
                                           const CpuSet* whole, std::span<const CpuSet> places) const;
  // `live`: by the kernel's word, without those that have ended (node::Node::look_at).
  [[nodiscard]] std::vector<int> peers_in(ObjectType type, int index, View view) const;
  // Throws Status::peer_lost where a live look finds that the rank has ended.
  [[nodiscard]] PeerBinding peer_binding(int rank, View view) const;

  void push(ObjectType type, int index);
  void push(const CpuSet& mask);
  void push_nearest(ObjectType type);
  void pop();
  [[nodiscard]] int depth() const { return stack_.depth(identity_); }
  // What this context has pushed is the process's own from here on.
  void keep_binding();
  void spread(ObjectType type);
  // Collective over the group, null: the context: each rank's piece is pushed; returns those that share mine.
  [[nodiscard]] std::unique_ptr<node::Group> split(const Splitting& asked, node::Group* among);
  // The calling thread alone.
  [[nodiscard]] ThreadScope bind_thread(const CpuSet& mask);
  void release_thread(const ThreadScope& scope);

  [[nodiscard]] Selection distribute(ObjectType type, int max_per, Rule rule);
  // The whole table, one row a rank of the node.
  [[nodiscard]] std::vector<Assignment> distribution(ObjectType type, int max_per, Rule rule);

  void quiesce(const Timeout& timeout, node::Meanwhile* meanwhile = nullptr);
  // The same for a group that was split from this context.
  void quiesce(node::Group& group, const Timeout& timeout, node::Meanwhile* meanwhile = nullptr);
  [[nodiscard]] std::unique_ptr<node::Group> split(int colour);
  void refresh();

  // What may be asked for while this rank rests.
  void set_progress(const Progress& progress) { progress_ = progress; }
  [[nodiscard]] const Progress& progress() const { return progress_; }

  [[nodiscard]] bool enter(ObjectType type, int per, int width);
  void leave();
  [[nodiscard]] std::size_t open_phases() const { return phases_.size(); }

 private:
  struct KeptDistribution {
    ObjectType type;
    int max_per;
    Rule rule;
    std::uint64_t masks_version;
    const machine::Machine* machine;
    std::vector<Assignment> rows;
    int selected_count;
  };
  // What enter changed on this rank and leave has to give back.
  struct Phase {
    int depth_before;  // entries of the context on the stack before the phase's own
    TeamSizes::Ticket sizes = TeamSizes::kNone;
  };

  [[nodiscard]] AfterPhase after_phase() const;
  [[nodiscard]] std::vector<Assignment> open_phase(ObjectType type, int per);
  [[nodiscard]] const KeptDistribution& kept_distribution(ObjectType type, int max_per, Rule rule);
  [[nodiscard]] KeptDistribution make_distribution(ObjectType type, int max_per, Rule rule) const;
  [[nodiscard]] CpuSet mine_of(const std::vector<Assignment>& rows, ObjectType type, int width) const;
  // Rank 0's look at the cgroup on the way into a meeting. often: not again sooner than a cpuset can change; anew: wherever
  // the process is by now; agree: the meeting takes note of what rank 0 sees, whether or not it is news, on any rank's wish.
  enum class Look : std::uint8_t { never, often, now, anew, agree };

  [[nodiscard]] std::optional<node::Sighting> look_at(int rank) const;
  [[nodiscard]] bool touches(int rank, const CpuSet& object, View view) const;  // under mutex_ where published
  void push(const CpuSet& mask, Until until);
  void push_my_place(ObjectType type);
  [[nodiscard]] std::exception_ptr meet(node::Group* among);
  [[nodiscard]] std::vector<CpuSet> exchange_masks(node::Group& ranks, const CpuSet& mine) const;
  // Returns which piece it is.
  int push_my_piece(const Splitting& asked, std::vector<CpuSet> bindings, int rank);
  // Collective. Throws where ranks could not meet; returns what kept this rank alone from learning its mask, or from making
  // the machine agreed on.
  [[nodiscard]] std::exception_ptr publish(const Timeout& timeout, Look look, node::Meanwhile* meanwhile = nullptr);
  [[nodiscard]] std::exception_ptr publish_after_change();
  [[nodiscard]] CpuSet mask_to_publish(Look look) const;
  void show_to_peers(const CpuSet& mine) const noexcept;
  [[nodiscard]] bool has_news(Look look);
  [[nodiscard]] std::optional<CpuSet> news_of_cpuset(std::optional<CpuSet> allowed) const;
  [[nodiscard]] std::optional<CpuSet> news_of_nodes() const;
  void hear_rank_0(CpuSet& set, std::size_t words);
  // Where not all ranks meet: what may be used, as this rank sees it now; none where that is what all agreed on.
  [[nodiscard]] std::optional<CpuSet> news_of_mine();
  void learn_whose_cgroup_is_mine();
  void tell_of_another_cpuset() const noexcept;
  void follow_first_look(node::Group& group);
  // From here on this rank goes by another set than the last meeting agreed on, until the next one.
  void stray_to(const CpuSet& asked);
  void require(const CpuSet& mask, const char* act) const;
  void require_own_process() const;

  std::shared_ptr<node::Node> node_;
  std::unique_ptr<node::Group> everybody_;
  MachineViews views_;  // of the node's segment
  int node_count_;
  BindingStack& stack_;
  TeamSizes& team_sizes_;
  Owner identity_;
  TeamSettings settings_;
  os::CpusetWatch* cpuset_;
  FirstToTell first_to_tell_;
  BindingOf binding_of_ = BindingOf::main_thread;
  TeamPolicy teams_ = TeamPolicy::place;  // of its pushes, where the user's settings do not say
  // Used by collective calls only.
  CpuSet agreed_;        // what the cgroup allows, as all ranks of the context last agreed
  CpuSet agreed_nodes_;  // the same of NUMA nodes, by OS number
  // views_ has another one: this rank, or those of a group or a phase, have seen a change since.
  bool has_strayed_ = false;
  bool may_look_ = false;                 // the cgroup that counts, rank 0's, is this rank's
  bool resend_ = false;                   // the masks go round though none has changed
  std::vector<std::uint64_t> met_masks_;  // as the last meeting had them; empty where masks_ has them
  // Used by collective calls only, and made with the context: between two exchanges nothing may fail for lack of memory.
  std::vector<std::uint64_t> digests_;  // of all ranks' masks as last published; at first empty
  std::vector<std::uint64_t> column_;   // one word a rank, as an exchange fills it
  os::Scratch<std::uint64_t> words_;    // all masks, rank by rank
  mutable std::mutex mutex_;            // guards masks_, kept_ and oldest_kept_
  PeerMasks masks_;
  static constexpr std::size_t kKeptDistributions = 16;  // more than a program has kinds of phases, as a rule
  std::array<std::optional<KeptDistribution>, kKeptDistributions> kept_;
  std::size_t oldest_kept_ = 0;
  // When this rank last looked at the cgroup, in calls that do not look each time; used by collective calls only.
  std::int64_t looked_ns_ = 0;
  std::int64_t looked_at_nodes_ns_ = 0;
  Progress progress_;
  std::vector<Phase> phases_;  // open ones, innermost last; never more than kMostPhases
};

}  // namespace comity::context
