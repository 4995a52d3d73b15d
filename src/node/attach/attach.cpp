// SPDX-License-Identifier: BSD-3-Clause
// Node::attach: the candidates find out who shares a kernel and whether they were told alike, try the hand-over routes
// in the same order, and agree after each. Every candidate makes the same collective calls in the same order whatever
// goes wrong on any of them.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/log.hpp"
#include "node/attach/agreement.hpp"
#include "node/attach/apart.hpp"
#include "node/attach/candidates.hpp"
#include "node/attach/handover.hpp"
#include "node/attach/terms.hpp"
#include "node/node.hpp"
#include "os/kernel.hpp"

namespace comity::node {
namespace {

// Before anything is shared. Its first two fields stay where they are in every version.
struct Facts {
  std::uint64_t magic = kLayoutMagic;
  std::uint64_t version = kLayoutVersion;
  std::array<char, 48> boot_id{};
};

struct Card {
  Report report;
  Announcement announcement;
};

using Cards = std::span<const Card>;  // of all candidates, until they tell the next

std::vector<Route> routes_to_try(const std::string& handover) {
  if (handover == "auto") return {Route::proc, Route::socket, Route::file};
  if (handover == "none") return {};
  for (const Route route : {Route::proc, Route::socket, Route::file}) {
    if (handover == route_name(route)) return {route};
  }
  throw Error(Status::option, "hand over the node segment by '" + handover + "': auto|proc|socket|file|none are known");
}

Nonce random_nonce() { return {os::random_number(), os::random_number()}; }

class Attachment {
 public:
  Attachment(Candidates& candidates, const AttachOptions& options, const MakePayload& make_payload,
             const FindLocalFacts& find_local_facts)
      : candidates_(candidates), options_(options), make_payload_(make_payload), find_local_facts_(find_local_facts) {}

  std::shared_ptr<Node> run() {
    meet();
    attempt(mine_, OnError::fail, [&] { warn_of_ranks_apart(candidates_.bootstrap()); });
    std::vector<Route> routes;
    attempt(mine_, OnError::fail, [&] { routes = routes_to_try(options_.handover); });
    compare_terms();
    for (const Route route : routes) {
      if (known_.outcome == Outcome::failed || try_route(route)) break;
    }
    if (known_.outcome != Outcome::failed && !attached_) stay_alone();
    tell(Card{mine_, {}});  // harts are dealt now
    attempt(mine_, OnError::fail, [&] {
      if (!lock_) return;  // some other rank failed, which settle() tells
      node_ = std::make_shared<Node>(std::move(segment_), std::move(lock_), me_, options_);
    });
    settle(candidates_.bootstrap(), mine_, known_);
    return node_;
  }

 private:
  [[nodiscard]] bool leads() const { return me_ == 0; }

  // Finds those candidates that the same kernel runs.
  void meet() {
    Facts facts;
    attempt(mine_, OnError::fail, [&] {
      const std::string boot = options_.boot_id ? *options_.boot_id : os::boot_id();
      std::copy_n(boot.begin(), std::min(boot.size(), facts.boot_id.size() - 1), facts.boot_id.begin());
    });
    const std::span<const Facts> all = candidates_.gather(facts);
    attempt(mine_, OnError::fail, [&] {
      for (std::size_t i = 0; i < all.size(); ++i) {
        require_same_version(all[i]);
        if (all[i].boot_id != facts.boot_id) continue;
        if (i == candidates_.rank()) me_ = static_cast<int>(members_.size());
        members_.push_back(i);
      }
    });
  }

  static void require_same_version(const Facts& other) {
    if (other.magic == kLayoutMagic && other.version == kLayoutVersion) return;
    throw Error(Status::version, "a rank of this node has layout version " + std::to_string(other.version) +
                                     ", this one " + std::to_string(kLayoutVersion) +
                                     "; let all ranks load the same libcomity");
  }

  // Else candidates would walk lists of routes of different lengths, and wait for one another for ever.
  void compare_terms() {
    Terms mine{.report = mine_, .job_rank = candidates_.bootstrap().job_rank()};
    mine.leader = members_.empty() ? 0 : static_cast<std::uint32_t>(members_.front());
    set_handover(mine, options_.handover);
    set_source(mine, options_.payload_source);
    const std::span<const Terms> all = candidates_.gather(mine);
    note_failures(all);
    if (known_.outcome == Outcome::failed) return;
    attempt(mine_, OnError::fail, [&] { require_same_terms(all); });
    known_ = mine_;
  }

  // Returns whether every candidate has its segment now.
  bool try_route(Route route) {
    const bool involved = !attached_ && members_.size() > 1;
    Card card{.report = mine_, .announcement = {}};
    std::optional<Giver> giver;
    std::optional<Taker> taker;
    if (involved && leads()) attempt(card.report, OnError::fail, [&] { prepare(); });
    if (involved) attempt(card.report, OnError::refuse, [&] { card.announcement = offer(route, giver, taker); });
    Cards cards = tell(card);

    if (route == Route::socket) {
      if (giver && mine_are_good(cards)) attempt(card.report, OnError::refuse, [&] { serve(*giver, cards); });
      cards = tell(card);
    }

    if (involved && mine_are_good(cards)) {
      SegmentFiles files;
      const Announcement& leader = cards[members_.front()].announcement;
      attempt(card.report, OnError::refuse, [&] { files = giver ? giver->own_files() : taker->take(leader); });
      attempt(card.report, OnError::fail, [&] { enter(std::move(files), static_cast<std::uint64_t>(me_)); });
    }
    cards = tell(card);
    if (involved) conclude(route, cards);
    return std::all_of(cards.begin(), cards.end(), [](const Card& one) { return one.report.outcome == Outcome::good; });
  }

  // The payload, which only one rank of a node makes, and the size of the segment.
  void prepare() {
    if (prepared_) return;
    os::sweep_exclusive_files(options_.directory);
    payload_ = make_payload_();
    harts_ = find_local_facts_(payload_).hart_count;
    if (harts_ > CpuSet::kCapacity) {
      throw Error(Status::topology, "this machine has " + std::to_string(harts_) + " hardware threads, " +
                                        std::to_string(CpuSet::kCapacity) + " are the most that one node can have");
    }
    if (payload_.size() > kMostPayload) {
      throw Error(Status::topology, "the node's payload has " + std::to_string(payload_.size()) + " bytes, " +
                                        std::to_string(kMostPayload) + " are the most that one node can have");
    }
    prepared_ = true;
  }

  Announcement offer(Route route, std::optional<Giver>& giver, std::optional<Taker>& taker) {
    if (!leads()) return taker.emplace(route, options_.directory).announcement();
    return make_file(route, giver, members_.size());
  }

  Announcement make_file(Route route, std::optional<Giver>& giver, std::size_t participants) {
    const Extent extent{.participants = participants, .harts = harts_, .payload_bytes = payload_.size()};
    const Nonce nonce = random_nonce();
    giver.emplace(route, options_.directory, lay_out(extent).total_bytes);
    static_cast<void>(Segment::format(giver->file(), extent, nonce, payload_));
    return giver->announcement(nonce);
  }

  void serve(const Giver& giver, Cards cards) const {
    const Nonce& nonce = cards[members_.front()].announcement.nonce;
    for (std::size_t i = 1; i < members_.size(); ++i) giver.serve(nonce, cards[members_[i]].announcement);
  }

  // Maps the segment, takes my lock, fills my record.
  void enter(SegmentFiles files, std::uint64_t byte) {
    segment_ = Segment::open(files.map);
    lock_ = std::make_unique<os::OfdLock>(std::move(files.lock), byte);
    const LocalFacts facts = find_local_facts_(segment_.payload());
    ParticipantRecord& record = segment_.participant(static_cast<int>(byte));
    record.pid = os::process_id();
    record.pid_namespace = os::namespace_id("pid");
    record.home.publish(facts.mask);
    record.current.publish(facts.mask);
  }

  void conclude(Route route, Cards cards) {
    attached_ = mine_are_good(cards);
    if (attached_) {
      if (!leads()) return;
      attempt(mine_, OnError::fail, [&] {
        deal();
        log::info("node", std::to_string(members_.size()) + " ranks of this node share a segment, handed over by '" +
                              std::string(route_name(route)) + "'");
      });
      return;
    }
    lock_.reset();
    segment_ = Segment();
    for (const std::size_t member : members_) {
      if (cards[member].report.outcome == Outcome::good) continue;
      attempt(mine_, OnError::fail, [&] { note_refusal(route, cards[member].report); });
      break;
    }
    known_ = mine_.outcome == Outcome::failed ? mine_ : known_;
  }

  void note_refusal(Route route, const Report& report) {
    causes_ += (causes_.empty() ? "" : "; ") + std::string(route_name(route)) + ": " + report.words();
    if (options_.handover == "auto") return;
    throw Error(report.status,
                "hand over the node segment by '" + options_.handover + "', which was forced: " + report.words());
  }

  void deal() {
    std::vector<CpuSet> masks;
    masks.reserve(static_cast<std::size_t>(segment_.participants()));
    for (int i = 0; i < segment_.participants(); ++i) masks.push_back(segment_.participant(i).home.read());
    HartTable(segment_.harts()).set_owners(deal_owners(masks, segment_.header().harts));
  }

  // A segment of my own: nobody else is on this node, or no route is open.
  void stay_alone() {
    attempt(mine_, OnError::fail, [&] {
      if (members_.size() < 2 || !leads() || options_.handover != "auto") return;
      log::warning("node", "the ranks of this node cannot share memory, each goes on alone: " + causes_);
    });
    me_ = 0;
    attempt(mine_, OnError::fail, [&] {
      prepare();
      std::optional<Giver> giver;
      try {
        make_file(Route::proc, giver, 1);
        enter(giver->own_files(), 0);
      } catch (const Error& error) {
        if (error.status() != Status::system) throw;
        make_file(Route::file, giver, 1);
        enter(giver->own_files(), 0);
      }
      deal();
    });
  }

  [[nodiscard]] bool mine_are_good(Cards cards) const {
    return std::all_of(members_.begin(), members_.end(),
                       [&](std::size_t member) { return cards[member].report.outcome == Outcome::good; });
  }

  // Collective over the candidates: gathers their cards, and notes what failed on any of them.
  Cards tell(const Card& mine) {
    const Cards cards = candidates_.gather(mine);
    note_failures(cards);
    return cards;
  }

  template <typename Block>
  void note_failures(std::span<const Block> all) {
    for (const Block& one : all) {
      if (one.report.outcome == Outcome::failed && known_.outcome == Outcome::good) known_ = one.report;
    }
    const Report& own = all[candidates_.rank()].report;
    if (own.outcome == Outcome::failed) mine_ = own;
  }

  Candidates& candidates_;
  const AttachOptions& options_;
  const MakePayload& make_payload_;
  const FindLocalFacts& find_local_facts_;

  std::vector<std::size_t> members_;  // candidates that share my kernel, in order; the first leads
  int me_ = 0;                        // my place among them
  Report mine_;                       // what failed here
  Report known_;                      // what failed first on any candidate
  bool prepared_ = false;
  std::vector<std::byte> payload_;
  std::size_t harts_ = 0;
  bool attached_ = false;
  std::string causes_;  // why routes were refused
  Segment segment_;
  std::unique_ptr<os::OfdLock> lock_;
  std::shared_ptr<Node> node_;
};

// No attach need follow that would do it. Without memory nothing is swept: the attach has failed for a cause of its own.
void sweep_what_a_killed_leader_left(const std::string& directory) noexcept {
  try {
    os::sweep_exclusive_files(directory);
  } catch (...) {
  }
}

}  // namespace

std::shared_ptr<Node> Node::attach(Candidates& candidates, const AttachOptions& options,
                                   const MakePayload& make_payload, const FindLocalFacts& find_local_facts) {
  try {
    return Attachment(candidates, options, make_payload, find_local_facts).run();
  } catch (...) {
    sweep_what_a_killed_leader_left(options.directory);
    throw;
  }
}

std::shared_ptr<Node> Node::attach(Bootstrap& bootstrap, const AttachOptions& options, const MakePayload& make_payload,
                                   const FindLocalFacts& find_local_facts) {
  Candidates candidates(bootstrap);
  return attach(candidates, options, make_payload, find_local_facts);
}

}  // namespace comity::node
