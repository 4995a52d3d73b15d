// SPDX-License-Identifier: BSD-3-Clause
// Node: one attached segment, this process's view of the ranks it shares memory with. Door of this part, with
// group.hpp. Not: what the payload means (machine), when harts move (ledger). Invariant: participants are
// fixed at the attach and never numbered anew, so a dead one stays dead.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/cpu_set.hpp"
#include "base/options.hpp"
#include "node/attach/candidates.hpp"
#include "node/bell_wire.hpp"
#include "node/harts/hart_claims.hpp"
#include "node/harts/hart_table.hpp"
#include "node/peer_threads.hpp"
#include "node/segment.hpp"
#include "os/files/ofd_lock.hpp"
#include "os/files/poll.hpp"

namespace comity::node {

class Group;

struct AttachOptions {
  std::string handover = "auto";                      // auto|proc|socket|file|none, as COMITY_NODE_HANDOVER
  std::string directory = "/dev/shm";                 // as COMITY_NODE_DIRECTORY
  std::chrono::milliseconds slice{250};               // as COMITY_NODE_SLICE_MS
  std::int64_t spin_us = -1;                          // as COMITY_NODE_SPIN_US
  std::string payload_source = {};                    // what names the payload to this rank: the same on all of a node
  std::optional<std::string> boot_id = std::nullopt;  // instead of the kernel's: lets a test play two kernels
};

// As the settings have them.
[[nodiscard]] AttachOptions attach_options(const Options& options);

// Where a process is, as its peers see it.
struct Whereabouts {
  CpuSet mask;  // where it may run
  // What its main thread has meanwhile: a part of it, where that is a member of a team with a place of its own.
  CpuSet main_thread;
  bool is_pushed = false;  // a push counts in the mask, which threads need not fill
};

// Whose word on where a participant may run counts: the kernel's, asked now, or its own, told last.
enum class WordOf : std::uint8_t { kernel, participant };

struct Sighting {
  CpuSet mask;
  WordOf word = WordOf::kernel;
  bool operator==(const Sighting&) const = default;
};

struct LocalFacts {
  CpuSet mask;                 // this process's binding
  std::size_t hart_count = 0;  // highest PU number plus one; the leader's counts
};

using MakePayload = std::function<std::vector<std::byte>()>;
using FindLocalFacts = std::function<LocalFacts(std::span<const std::byte> payload)>;

// Why a participant is rung, and what it listens for. A receipt, that somebody asks for a message or has taken one, is no news
// for who waits for a message; an answer, that somebody may have done what this one asked for without its knowing, is none for who
// waits for others to come.
enum class News : std::uint8_t { message, receipt, answer };
enum class Hears : std::uint8_t { everything, messages, all_but_answers };

// What ended a sleep; descriptor: one of those that it was on too.
enum class WokenBy : std::uint8_t { ring, descriptor, clock };

// Thread-safe.
class Node : public std::enable_shared_from_this<Node> {
 public:
  // Collective over the job. make_payload runs on one rank of each node; all read the bytes in payload(). Ranks that
  // were told of different ways to hand over, or, where they share a payload, of different sources of it, are an error
  // of all of them. When any rank fails, or one of the two functions throws on any rank, every rank of the job throws
  // the same status. Who gives the candidates has their memory already; with a bootstrap it is taken here, and a rank
  // that has none leaves the others waiting.
  [[nodiscard]] static std::shared_ptr<Node> attach(Candidates& candidates, const AttachOptions& options,
                                                    const MakePayload& make_payload,
                                                    const FindLocalFacts& find_local_facts);
  [[nodiscard]] static std::shared_ptr<Node> attach(Bootstrap& bootstrap, const AttachOptions& options,
                                                    const MakePayload& make_payload,
                                                    const FindLocalFacts& find_local_facts);

  Node(Segment segment, std::unique_ptr<os::OfdLock> lock, int me, const AttachOptions& options);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] std::uint64_t id() const { return segment_.header().id; }  // random, the same on all participants
  [[nodiscard]] int participant() const { return me_; }                    // 0 .. participants()-1, in job-rank order
  [[nodiscard]] int participants() const { return segment_.participants(); }
  [[nodiscard]] std::span<const std::byte> payload() const { return segment_.payload(); }
  [[nodiscard]] std::size_t segment_bytes() const { return segment_.header().total_bytes; }

  [[nodiscard]] pid_t pid(int participant) const;  // in that participant's pid namespace
  [[nodiscard]] CpuSet home_mask(int participant) const;
  [[nodiscard]] std::optional<std::size_t> home_hart(int participant) const;  // the lowest PU of the home mask
  [[nodiscard]] CpuSet published_mask(int participant) const;                 // at first the home mask
  // What others see of this process.
  void publish(const Whereabouts& now);
  void publish_mask(const CpuSet& mask) { publish({mask, mask}); }
  void publish_news(const Whereabouts& now);  // nothing where it is published already
  // Which threads of this process are MPI's own: they do not count where others look at all threads.
  void publish_helpers(std::span<const pid_t> threads);
  // Where a participant may run by the kernel's word: what it has published, unless its main thread has been moved since; then
  // that one's mask. None where it has ended. One system call; the published mask, by its own word, and no call where the kernel
  // does not tell this process: another pid namespace, a refusal, a fork child.
  [[nodiscard]] std::optional<Sighting> look_at(int participant) const;
  // The same of all threads but MPI's own: the union of their masks, and of the push while the main thread is where that has
  // put it. A stat and one system call a thread, a listing where threads were born or have ended; as look_at, but never by the
  // kernel's word, where the threads cannot be listed, or MPI's own are not known.
  [[nodiscard]] std::optional<Sighting> look_at_threads(int participant) const;
  // What I have of the hart table where I run now. `pushed`: the innermost push, empty without one.
  void claim_harts(const CpuSet& pushed, const CpuSet& binding);

  // Whether it still runs; a stopped process does. About a microsecond.
  [[nodiscard]] bool alive(int participant) const;
  // In a fork child of a participant, which is none itself.
  [[nodiscard]] bool is_fork_child() const { return lock_->lost_by_fork(); }

  // True for the one participant that is first to ask; notice: 0 to 31. So a warning that concerns the node comes once.
  [[nodiscard]] bool first_to_tell(unsigned notice);

  // Everything that a dead participant owned or held goes back, and who still wants one of them asks again.
  void drop_dead(int participant);

  [[nodiscard]] HartTable& harts() { return harts_; }
  void fall_asleep() { claims_.fall_asleep(); }  // my harts are idle meanwhile, counted over threads
  void awake() { claims_.awake(); }

  // The doorbell, by which one participant tells another that something may have come for it; no word is lost: who
  // listens first and then looks is either rung or sees it. A fence, and a load for each that does not listen. What the
  // caller did before is seen by who is rung.
  void ring(int participant, News news = News::message);
  // Before a look of one's own at whether somebody sleeps, as ring() makes it before its own.
  void fence_before_look() const;
  [[nodiscard]] std::uint32_t rings(int participant) const;  // how often it was rung while it listened
  void ring(std::span<const int> participants, News news = News::message);
  [[nodiscard]] bool listens(int participant) const;

  // What only a wait of another one can give me, for a library does it there: the other one is rung, and answers, by a ring, when it has
  // looked and is to sleep, or is done. One question a participant: the last one counts. Mine to me: others may hand it on.
  enum class Asked : std::uint8_t { still, anew, handed_on };  // the last one is unanswered, or was answered so
  Asked ask(int participant);
  void stop_asking();
  // Those who ask me: I have looked since. A load where nobody does.
  void answer();
  // I am done with what I wanted of that one: some of those that ask it may have waited for that. A load where nobody does.
  void hand_on(int participant);
  // From now on listening takes a fence that counts for all participants (os/far_fence) and ringing none. Call where all of
  // them have joined such fences, before anybody listens or rings.
  void make_rings_light() { light_rings_ = true; }
  // From now on who listens may sleep on descriptors too, if all participants have called this and reach one another, which is for
  // the caller to find out. Before anybody listens or rings. Throws Status::system.
  void open_wire();
  [[nodiscard]] bool reaches_by_wire(int participant) const { return wire_ && wire_->reaches(participant); }
  // While this lives rings of mine wake its thread. Look once more after making it, then sleep.
  class Listening {
   public:
    explicit Listening(Node& node, Hears hears = Hears::everything);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

    // Until it is rung after this was made, or the deadline on the clock of now_ns(); my harts are idle meanwhile. Returns
    // whether it was rung: then nobody rings again before another one is made.
    bool sleep_until(std::int64_t deadline_ns);
    // The same, and until one of the descriptors is ready; the first one of `watched` is left to the doorbell. Where another
    // thread of the process does that, or the wire is not open, these do not end it.
    WokenBy sleep_on(std::span<pollfd> watched, std::int64_t deadline_ns);

   private:
    bool hear(bool was_woken);
    [[nodiscard]] os::PollEnd poll_on_wire(std::span<pollfd> watched, std::int64_t deadline_ns);
    Node& node_;
    ParticipantRecord& mine_;
    const Hears hears_;
    std::uint32_t heard_;
  };

  // Who waits for long, for those that decide by it what to do meanwhile. One that is killed stays as it was.
  void tell_rest(bool rests);  // mine; who waits for a change is woken
  [[nodiscard]] bool rests(int participant) const;
  [[nodiscard]] std::uint32_t rest_changes() const;  // how often any of them has told
  void wait_for_rest_change(std::uint32_t seen) const;

  // How long a wait of mine may spin now, by option, measured wake-up cost, and who wants the hart that I run on.
  [[nodiscard]] Nanoseconds spin_budget() const;
  [[nodiscard]] bool may_spin() const;  // by option, and who wants the hart
  [[nodiscard]] bool hart_is_wanted() const { return claims_.wanted(); }
  void note_wake(Nanoseconds cost);
  [[nodiscard]] Nanoseconds wake_cost(int participant) const;  // 0: none measured yet
  [[nodiscard]] Nanoseconds slice() const { return slice_; }

  // Collective over the candidates. `participants`: the caller's group, in rank order, the caller
  // among them; candidates may give different groups, each of which must be given by exactly its members.
  [[nodiscard]] std::unique_ptr<Group> make_group(Candidates& candidates, std::span<const int> participants);
  [[nodiscard]] std::unique_ptr<Group> make_group(Bootstrap& bootstrap, std::span<const int> participants);
  [[nodiscard]] std::unique_ptr<Group> make_group(Bootstrap& bootstrap);  // of all participants

  [[nodiscard]] const Segment& segment() const { return segment_; }

 private:
  [[nodiscard]] ParticipantRecord& record(int participant) const;  // throws Status::range
  [[nodiscard]] bool is_seen(const ParticipantRecord& who) const;  // the kernel tells this process of that one
  void ring_if_listening(int participant, News news);
  std::uint32_t take_question(std::uint32_t next);
  bool end_question(int whose, int to, std::uint32_t how);

  Segment segment_;
  std::unique_ptr<os::OfdLock> lock_;
  int me_;
  Nanoseconds slice_;
  std::int64_t spin_us_;
  std::unique_ptr<PeerThreads> peer_threads_ = std::make_unique<PeerThreads>();  // locks for itself
  HartTable harts_;
  HartClaims claims_;
  std::uint64_t pid_namespace_;
  bool light_rings_ = false;
  std::unique_ptr<BellWire> wire_;  // none: nobody of this node sleeps on descriptors
  bool crowded_ = false;  // more participants than this very machine has processors; a simulated one may have more
  std::mutex publishing_;
};

}  // namespace comity::node
