// SPDX-License-Identifier: BSD-3-Clause
// The calls of a context in which all ranks of the node meet: they publish their masks, and agree on what the cgroup allows.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "context/context.hpp"
#include "context/failure_of.hpp"

namespace comity::context {
namespace {

// In the place of a digest: the cgroup allows other CPUs than before, or may (from a rank that was refused some). No mask
// has this digest: none is empty.
constexpr std::uint64_t kLookAgain = 0;

// The only word itself, else a mix of all (the finaliser of MurmurHash3 over a running sum). Never 0.
std::uint64_t digest(const CpuSet& mask, std::size_t words) {
  if (words == 1) return mask.words()[0];
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < words; ++word) {
    hash = (hash ^ mask.words()[word]) + 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 33U)) * 0xFF51AFD7ED558CCDU;
    hash = (hash ^ (hash >> 33U)) * 0xC4CEB9FE1A85EC53U;
    hash ^= hash >> 33U;
  }
  return hash == kLookAgain ? 1 : hash;
}

// Where a process may run after its cgroup has changed, by the kernel's rule, as far as its mask from before tells: who could
// run anywhere may so again, and who has nothing left may run on all that there is.
CpuSet after_change(const CpuSet& mask, const CpuSet& before, const CpuSet& now) {
  if (mask.encloses(before)) return now;
  const CpuSet left = mask & now;
  return left.empty() ? now : left;
}

// Of a set that holds no more than that one.
std::size_t words_for(const CpuSet& set) { return set.highest().value_or(0) / CpuSet::kWordBits + 1; }

// What a rank asks for in a word, the same for all that does not exist.
std::uint64_t as_word(const Splitting& asked) {
  const auto byte = [](int value) { return static_cast<std::uint64_t>(value < 0 || value > 254 ? 255 : value); };
  return static_cast<std::uint32_t>(asked.pieces) | byte(asked.type) << 32U | byte(asked.how) << 40U;
}

void require_same(const std::vector<std::uint64_t>& wishes) {
  const auto other = std::ranges::find_if(wishes, [&](std::uint64_t one) { return one != wishes.front(); });
  if (other == wishes.end()) return;
  throw Error(Status::argument,
              "split CPUs: rank 0 and rank " + std::to_string(other - wishes.begin()) +
                  " ask for different splits; give the same type, pieces and assignment on all ranks");
}

void require_possible(const Splitting& asked) {
  if (asked.type < 0 || static_cast<std::size_t>(asked.type) >= machine::kObjectTypes.size()) {
    throw Error(Status::argument, "split CPUs: there is no object type " + std::to_string(asked.type) +
                                      "; use COMITY_MACHINE .. COMITY_PU");
  }
  if (asked.how < 0 || asked.how > static_cast<int>(Assign::close)) {
    throw Error(Status::argument, "split CPUs: there is no assignment " + std::to_string(asked.how) +
                                      "; use COMITY_ASSIGN_PACKED .. COMITY_ASSIGN_CLOSE");
  }
}

}  // namespace

void Context::hear_rank_0(CpuSet& set, std::size_t words) {
  for (std::size_t word = 0; word < words; ++word) {
    everybody_->exchange(set.words()[word], column_);
    set.words()[word] = column_[0];
  }
}

// Rank 0's sets go round, a word each time; then the masks, also where this rank could not make the new machine.
std::exception_ptr Context::publish_after_change() {
  CpuSet allowed = agreed_;
  CpuSet nodes = agreed_nodes_;
  if (cpuset_ != nullptr && rank() == 0) {
    allowed = news_of_cpuset(cpuset_->look()).value_or(agreed_);
    nodes = news_of_nodes().value_or(agreed_nodes_);
  }
  hear_rank_0(allowed, masks_.words_per_mask());
  hear_rank_0(nodes, words_for(nodes_of(views_.complete())));
  agreed_ = allowed;
  agreed_nodes_ = nodes;
  has_strayed_ = false;
  resend_ = true;  // what a rank has made of the masks since, they all have as they are
  std::exception_ptr failure = failure_of([&] { views_.allow(agreed_, agreed_nodes_); });
  (void)publish(std::nullopt, Look::never);
  return failure;
}

// Meetings that are made often ask the kernel nothing about all threads: they tell what was found last.
CpuSet Context::mask_to_publish(Look look) const {
  const bool often = look == Look::often || look == Look::never;
  if (binding_of_ == BindingOf::threads && often) return node_->published_mask(node_->participant());
  return binding();
}

// With what the main thread has, by which a live look knows whether it is still true. Who asks all threads has told already.
void Context::show_to_peers(const CpuSet& mine) const noexcept {
  if (binding_of_ == BindingOf::threads) return;
  const std::exception_ptr unknown = failure_of([&] {
    const BindingStack::State now = stack_.state();
    node_->publish({now.binding, now.main_thread, !now.pushed.empty()});
  });
  if (unknown) node_->publish_mask(mine);
}

// One round of the digests tells all ranks alike whether any mask, or what the cgroup allows, has changed; only then the
// masks themselves go round, a word each time (the segment has room for one word a rank and group). With up to 64 PUs
// the digest is the mask. A rank that cannot learn its own mask meets the others with the last one that it knew.
std::exception_ptr Context::publish(const Timeout& timeout, Look look, node::Meanwhile* meanwhile) {
  const bool news = has_news(look);
  CpuSet mine;
  std::exception_ptr unknown = failure_of([&] { mine = mask_to_publish(look); });
  if (unknown) mine = digests_.empty() ? machine().allowed() : masks_.mask(static_cast<std::size_t>(rank()));
  const std::size_t words = masks_.words_per_mask();
  const std::uint64_t mine_now = digest(mine, words);
  // Before the others hear of it, so that what they see live is never older than what is published.
  if (digests_.empty() || digests_[static_cast<std::size_t>(rank())] != mine_now) show_to_peers(mine);
  everybody_->exchange(news ? kLookAgain : mine_now, column_, timeout, meanwhile);
  if (std::ranges::find(column_, kLookAgain) != column_.end()) {
    const std::exception_ptr old_machine = publish_after_change();
    return unknown ? unknown : old_machine;
  }
  if (column_ == digests_ && !resend_) return unknown;

  resend_ = false;
  digests_ = column_;
  const std::span<std::uint64_t> all = words_.values();
  for (std::size_t word = 0; word < words; ++word) {
    if (words > 1) everybody_->exchange(mine.words()[word], column_);
    for (std::size_t rank = 0; rank < column_.size(); ++rank) all[rank * words + word] = column_[rank];
  }
  const std::lock_guard lock(mutex_);
  masks_.replace(all);
  met_masks_.clear();
  words_.forget();
  return unknown;
}

void Context::stray_to(const CpuSet& asked) {
  const CpuSet allowed = asked & views_.complete().cpuset(ObjectType::machine, 0);
  if (allowed.empty() || allowed == views_.whole().allowed()) return;
  if (met_masks_.empty()) met_masks_.assign(masks_.words().begin(), masks_.words().end());
  const bool strays = !(allowed == agreed_);
  PeerMasks met(masks_.size(), masks_.words_per_mask());
  met.replace(met_masks_);
  std::vector<std::uint64_t> words = met_masks_;
  for (std::size_t rank = 0; strays && rank < met.size(); ++rank) {
    const CpuSet mask = after_change(met.mask(rank), agreed_, allowed);
    std::copy_n(mask.words().begin(), met.words_per_mask(),
                words.begin() + static_cast<std::ptrdiff_t>(rank * met.words_per_mask()));
  }
  views_.allow(allowed, agreed_nodes_);  // the last that may fail
  has_strayed_ = strays;
  const std::lock_guard lock(mutex_);
  masks_.replace(words);
}

// Nobody waits, so the look of the first of the group's ranks that comes here counts for all of them.
void Context::follow_first_look(node::Group& group) {
  if (cpuset_ == nullptr) return;
  const std::optional<CpuSet> now = group.follow_first([&] { return news_of_mine(); });
  stray_to(now.value_or(agreed_));
}

void Context::begin() {
  const std::exception_ptr unknown = publish(std::nullopt, Look::often);
  learn_whose_cgroup_is_mine();
  rethrow(unknown);
}

// The look comes after the meeting, while those that slept wake up. Ranks that are not in the group see the change in their
// own next call.
void Context::quiesce(node::Group& group, const Timeout& timeout, node::Meanwhile* meanwhile) {
  group.wait(timeout, meanwhile);
  follow_first_look(group);
}

void Context::quiesce(const Timeout& timeout, node::Meanwhile* meanwhile) {
  rethrow(publish(timeout, Look::often, meanwhile));
}

std::unique_ptr<node::Group> Context::split(int colour) {
  require_own_process();
  const std::exception_ptr old_machine = publish(std::nullopt, Look::now);
  std::unique_ptr<node::Group> group = everybody_->split(colour);
  rethrow(old_machine);
  return group;
}

// The others wait for this rank also where its look fails.
void Context::refresh() {
  const std::exception_ptr failure = failure_of([&] { stack_.look_anew(); });
  if (cpuset_ != nullptr && rank() != 0) (void)cpuset_->look_anew();  // rank 0 does on its way into the meeting
  const std::exception_ptr old_machine = publish(std::nullopt, Look::anew);
  learn_whose_cgroup_is_mine();
  rethrow(failure);
  rethrow(old_machine);
}

// Where the cpuset has changed since the choice, which the meeting tells all ranks alike, all undo it and choose again.
void Context::spread(ObjectType type) {
  require_own_process();
  const int depth_before = depth();
  std::exception_ptr old_machine;
  for (;;) {
    const CpuSet chosen_by = agreed_;
    const CpuSet chosen_by_nodes = agreed_nodes_;
    const std::exception_ptr failure = failure_of([&] {
      if (old_machine) std::rethrow_exception(old_machine);
      push_my_place(type);
    });
    try {
      old_machine = publish(std::nullopt, failure ? Look::agree : Look::now);
    } catch (...) {  // a peer is lost: as after a push that failed
      (void)stack_.remove(identity_, depth_before);
      throw;
    }
    if (agreed_ == chosen_by && agreed_nodes_ == chosen_by_nodes) return rethrow(failure ? failure : old_machine);
    (void)stack_.remove(identity_, depth_before);  // what the kernel refuses here the next push gives, or tells
  }
}

std::vector<CpuSet> Context::exchange_masks(node::Group& ranks, const CpuSet& mine) const {
  std::vector<CpuSet> all(static_cast<std::size_t>(ranks.size()));
  std::vector<std::uint64_t> words(all.size());
  for (std::size_t word = 0; word < masks_.words_per_mask(); ++word) {
    ranks.exchange(mine.words()[word], words);
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank].words()[word] = words[rank];
  }
  return all;
}

int Context::push_my_piece(const Splitting& asked, std::vector<CpuSet> bindings, int rank) {
  require_possible(asked);
  CpuSet whole;
  for (CpuSet& binding : bindings) {
    binding = views_.seen(binding);
    whole |= binding;
  }
  const std::vector<CpuSet> pieces = pieces_of(machine(), whole, static_cast<ObjectType>(asked.type), asked.pieces);
  const std::vector<int> chosen = context::assign(static_cast<Assign>(asked.how), pieces, bindings.size(), bindings);
  const int mine = chosen[static_cast<std::size_t>(rank)];
  push(pieces[static_cast<std::size_t>(mine)]);
  return mine;
}

// What kept this rank alone from going by the machine that all of them go by.
std::exception_ptr Context::meet(node::Group* among) {
  if (among == nullptr) return publish(std::nullopt, Look::now);
  among->wait();
  return failure_of([&] { follow_first_look(*among); });
}

// A rank that fails alone meets the others to the end, and is in none of the new groups.
std::unique_ptr<node::Group> Context::split(const Splitting& asked, node::Group* among) {
  require_own_process();
  node::Group& ranks = among == nullptr ? *everybody_ : *among;
  std::vector<std::uint64_t> wishes(static_cast<std::size_t>(ranks.size()));
  const std::exception_ptr old_machine = meet(among);
  CpuSet mine = machine().allowed();
  const std::exception_ptr unknown = failure_of([&] { mine = binding(); });
  const std::vector<CpuSet> bindings = exchange_masks(ranks, mine);
  ranks.exchange(as_word(asked), wishes);
  const int depth_before = depth();
  int piece = kNobody;
  const std::exception_ptr failure = failure_of([&] {
    rethrow(old_machine ? old_machine : unknown);
    require_same(wishes);
    piece = push_my_piece(asked, bindings, ranks.rank());
  });
  try {
    std::unique_ptr<node::Group> sharers = ranks.split(piece);
    const std::exception_ptr untold = among == nullptr ? publish(std::nullopt, Look::never) : nullptr;
    rethrow(failure ? failure : untold);
    return sharers;
  } catch (...) {
    (void)stack_.remove(identity_, depth_before);
    throw;
  }
}

void Context::show(Smt smt) {
  require_own_process();
  const std::exception_ptr old_machine = publish(std::nullopt, Look::now);
  const std::vector<std::uint64_t>& asked = column_;
  everybody_->exchange(static_cast<std::uint64_t>(smt), column_);
  const auto other = std::ranges::find_if(asked, [&](std::uint64_t one) { return one != asked.front(); });
  if (other != asked.end()) {
    throw Error(Status::argument, "choose the PUs of a core: rank 0 and rank " + std::to_string(other - asked.begin()) +
                                      " ask for different views; give the same on all ranks");
  }
  if (smt != Smt::all && smt != Smt::one) {
    throw Error(Status::argument, "choose the PUs of a core: there is no view " + std::to_string(asked.front()) +
                                      "; use COMITY_SMT_ALL or COMITY_SMT_ONE");
  }
  views_.show(smt);
  rethrow(old_machine);
}

}  // namespace comity::context
