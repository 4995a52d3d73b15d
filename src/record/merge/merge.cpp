// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/merge.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "os/files/folder.hpp"
#include "record/merge/message.hpp"
#include "record/merge/names.hpp"
#include "record/merge/parcel.hpp"
#include "record/merge/share.hpp"
#include "record/merge/tree.hpp"
#include "record/places.hpp"
#include "record/run/run_file.hpp"

namespace comity::record {
namespace {

// The sink of a leader that passes on to its parent.
class Upward final : public Sink {
 public:
  Upward(Exchange& exchange, int to) : exchange_(exchange), to_(to) {}
  void begin_rank(const RankEntry& entry) override {
    exchange_.send(to_, message(Message::rank, [&](ByteWriter& bytes) { encode(entry, bytes); }));
  }
  void take_piece(std::span<const std::byte> piece) override { exchange_.send(to_, piece_message(piece)); }
  void end_rank(BodyEnd end) override { exchange_.send(to_, end_message(end)); }
  void take_node(std::uint32_t node, const Summary& summary) override {
    exchange_.send(to_, message(Message::node, [&](ByteWriter& bytes) {
                     bytes.number(node);
                     summary.encode(bytes);
                   }));
  }
  void take_note(const std::string& note) override {
    exchange_.send(to_, message(Message::note, [&](ByteWriter& bytes) { bytes.text(note); }));
  }
  void end() { exchange_.send(to_, message(Message::end)); }

 private:
  Exchange& exchange_;
  int to_;
};

// The sink of a leader that writes. After a failure it takes everything and keeps nothing, so that who sends is not left
// waiting; the failure is told at the end.
class ToFile final : public Sink {
 public:
  ToFile(const std::string& folder, const std::string& name, const std::string& job) : path_(folder + '/' + name) {
    attempt([&] {
      os::make_folders(folder);
      folder_.emplace(folder);
      file_ = std::make_unique<RunFile>(*folder_, name, job);
    });
  }
  void begin_rank(const RankEntry& entry) override {
    attempt([&] { file_->begin_rank(entry); });
  }
  void take_piece(std::span<const std::byte> piece) override {
    attempt([&] { file_->take_piece(piece); });
  }
  void end_rank(BodyEnd end) override {
    attempt([&] { file_->end_rank(end); });
  }
  void take_node(std::uint32_t node, const Summary& summary) override {
    attempt([&] { file_->take_node(node, summary); });
  }
  void take_note(const std::string& note) override {
    attempt([&] { file_->take_note(note); });
  }
  MergeOutcome finish(std::uint32_t job_ranks) {
    attempt([&] { file_->finish(job_ranks); });
    if (problem_.empty()) return {.file = path_, .problem = {}};
    return {.file = {}, .problem = "write " + path_ + ": " + problem_};
  }

 private:
  template <typename Step>
  void attempt(Step&& step) {
    if (!problem_.empty()) return;
    try {
      step();
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
  }

  std::string path_;
  std::string problem_;
  std::optional<os::Folder> folder_;
  std::unique_ptr<RunFile> file_;
};

// A leader's: into its sink, and the summary of the node.
class IntoNode final : public ShareTaker {
 public:
  explicit IntoNode(Sink& sink) : sink_(sink) {}
  void begin(const RankEntry& entry, const Summary& summary) override {
    of_rank_ = summary;
    sink_.begin_rank(entry);
  }
  void piece(std::span<const std::byte> piece) override { sink_.take_piece(piece); }
  void end(BodyEnd end) override {
    sink_.end_rank(end);
    if (end == BodyEnd::whole) node_.merge(of_rank_);
  }
  void note(const std::string& note) override { sink_.take_note(note); }
  [[nodiscard]] const Summary& node() const { return node_; }

 private:
  Sink& sink_;
  Summary of_rank_;
  Summary node_;
};

// Returns whose records the sink has now. A leader's own share goes before another one comes.
std::vector<int> gather_node(Exchange& exchange, const MergePlan& plan, const MergeWays& ways, Sink& sink) {
  IntoNode node(sink);
  std::vector<int> taken;
  if (give_share(exchange.rank(), plan.job_folder, node)) taken.push_back(exchange.rank());
  for (const int other : ways.node_ranks) {
    if (receive_share(exchange, other, node)) taken.push_back(other);
  }
  sink.take_node(plan.node_of_rank[static_cast<std::size_t>(exchange.rank())], node.node());
  return taken;
}

// All that comes from a child of the tree, which is what came to it.
void take_child(Exchange& exchange, int child, Sink& sink) {
  while (true) {
    const Bytes bytes = exchange.receive(child);
    ByteReader from(bytes);
    switch (kind_of(from)) {
      case Message::rank:
        sink.begin_rank(decode_entry(from));
        break;
      case Message::piece:
        sink.take_piece(from.raw(from.left()));
        break;
      case Message::body_end:
        sink.end_rank(body_end_in(from));
        break;
      case Message::node: {
        const auto node = from.number<std::uint32_t>();
        sink.take_node(node, Summary::decode(from));
        break;
      }
      case Message::note:
        sink.take_note(from.text());
        break;
      case Message::end:
        return;
    }
  }
}

// --- which nodes see the folder that rank 0 sees ---

using Shares = std::vector<std::byte>;  // by node: 1, it does

bool is_shared(const os::Folder& folder, const MergePlan& plan, std::uint32_t node) {
  try {
    return read_node_note(folder, node_file_name(node)).job == plan.job;
  } catch (const Error&) {
    return false;
  }
}

Shares look_who_shares(const MergePlan& plan) {
  const std::uint32_t mine = plan.node_of_rank.front();
  Shares shares(*std::max_element(plan.node_of_rank.begin(), plan.node_of_rank.end()) + std::size_t{1});
  shares[mine] = std::byte{1};
  try {
    const os::Folder folder(plan.folder);
    for (const std::uint32_t node : plan.node_of_rank) {
      if (shares[node] == std::byte{0} && is_shared(folder, plan, node)) shares[node] = std::byte{1};
    }
  } catch (const Error&) {
    // Writing will tell what is wrong with the folder.
  }
  return shares;
}

void tell_apart(const MergePlan& plan, const Shares& shares) {
  std::size_t apart = 0;
  for (std::size_t node = 0; node < shares.size(); ++node) {
    const bool exists = std::find(plan.node_of_rank.begin(), plan.node_of_rank.end(), node) != plan.node_of_rank.end();
    if (exists && shares[node] == std::byte{0}) ++apart;
  }
  if (apart == 0) return;
  log::warning("record",
               std::to_string(apart) + " hosts do not share " + plan.folder +
                   " with the first: each keeps the record of its ranks in its own, in run-node-<n>.comity; copy "
                   "those beside run.comity to read all");
}

Bytes encode(const MergeOutcome& outcome) {
  ByteWriter bytes;
  bytes.text(outcome.file);
  bytes.text(outcome.problem);
  return bytes.take();
}

MergeOutcome decode_outcome(std::span<const std::byte> bytes) {
  ByteReader from(bytes);
  MergeOutcome outcome;
  outcome.file = from.text();
  outcome.problem = from.text();
  return outcome;
}

void send_all(Exchange& exchange, const std::vector<int>& ranks, std::span<const std::byte> bytes) {
  for (const int rank : ranks) exchange.send(rank, bytes);
}

void tell_problem(const MergeOutcome& outcome, const MergePlan& plan) {
  if (outcome.problem.empty()) return;
  log::warning("record", "the ranks' records are not merged: " + outcome.problem + "; they stay where " + plan.folder +
                             "/node-<n>.comity say, and comity report merges them from there");
}

void remove_file(int rank, const MergePlan& plan) {
  if (const auto folder = own_job_folder(plan.job_folder)) {
    folder->remove(rank_file_name(static_cast<std::uint32_t>(rank)));
  }
}

// A leader's part: what rank 0 found goes down the tree, records go up, the outcome goes down. Returns what became of this
// node's records. Merged files are removed here and not by their ranks alone: of one that was killed after it has sent its
// share nobody would, once the node's note is gone.
MergeOutcome lead(Exchange& exchange, const MergePlan& plan, const MergeWays& ways) {
  const bool is_root = ways.parent < 0;
  const std::uint32_t node = plan.node_of_rank[static_cast<std::size_t>(exchange.rank())];
  const auto job_ranks = static_cast<std::uint32_t>(exchange.size());
  const Shares shares = is_root ? look_who_shares(plan) : exchange.receive(ways.parent);
  send_all(exchange, ways.children, shares);

  std::optional<Upward> upward;
  std::optional<ToFile> run;
  std::optional<ToFile> alone;
  if (is_root) run.emplace(plan.folder, kRunFile, plan.job);
  if (!is_root) upward.emplace(exchange, ways.parent);
  if (shares.at(node) == std::byte{0}) alone.emplace(plan.folder, node_run_name(node), plan.job);

  if (is_root) tell_apart(plan, shares);
  Sink& way = is_root ? static_cast<Sink&>(*run) : *upward;
  const std::vector<int> taken = gather_node(exchange, plan, ways, alone ? static_cast<Sink&>(*alone) : way);
  for (const int child : ways.children) take_child(exchange, child, way);
  if (upward) upward->end();

  const MergeOutcome outcome = is_root ? run->finish(job_ranks) : decode_outcome(exchange.receive(ways.parent));
  send_all(exchange, ways.children, encode(outcome));
  MergeOutcome mine = alone ? alone->finish(job_ranks) : outcome;
  if (is_root || alone) tell_problem(mine, plan);
  if (mine.problem.empty()) {
    for (const int rank : taken) remove_file(rank, plan);
  }
  return mine;
}

void remove_note(int rank, const MergePlan& plan) {
  try {
    const os::Folder folder(plan.folder);
    const std::string name = node_file_name(plan.node_of_rank[static_cast<std::size_t>(rank)]);
    if (read_node_note(folder, name).job == plan.job) folder.remove(name);
  } catch (const Error&) {
    // No note of ours is there.
  }
}

}  // namespace

MergeOutcome merge(Exchange& exchange, const MergePlan& plan) {
  const int rank = exchange.rank();
  const MergeWays ways = ways_of(rank, plan.node_of_rank);
  MergeOutcome outcome;
  if (ways.leads(rank)) {
    outcome = lead(exchange, plan, ways);
    send_all(exchange, ways.node_ranks, encode(outcome));
  } else {
    ToLeader leader(exchange, ways.leader);
    const bool is_given = give_share(rank, plan.job_folder, leader);
    outcome = decode_outcome(exchange.receive(ways.leader));
    // Which the leader does not see where it has another $TMPDIR.
    if (is_given && outcome.problem.empty()) remove_file(rank, plan);
  }
  if (outcome.problem.empty()) leave_job_folder(plan.job_folder);
  if (outcome.problem.empty() && ways.leads(rank)) remove_note(rank, plan);
  return outcome;
}

}  // namespace comity::record
