// SPDX-License-Identifier: BSD-3-Clause
// comity_place_graph_create: a reordered communicator with the graph that it was reordered for. Each rank knows some
// edges; rank 0 gathers them.
#include <comity/comity_mpi.h>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"
#include "mpi/reorder.hpp"

namespace comity::mpi {
namespace {

struct Edges {
  std::int64_t count;
  const std::int32_t* from;
  const std::int32_t* to;
  const std::int64_t* weights;
};

struct Edge {
  std::int32_t from, to;
  std::int64_t weight;
};

// Of all ranks; on rank 0 alone.
struct AllEdges {
  std::vector<std::int32_t> from, to;
  std::vector<std::int64_t> weights;
};

comity_status require_arguments(const Edges& edges, int ranks, const MPI_Comm* graph) {
  if (graph == nullptr) return report(COMITY_ERR_ARGUMENT, "reorder for a graph: `graph` is null; pass where it goes");
  if (edges.count < 0 || edges.count > std::numeric_limits<int>::max()) {
    return report(COMITY_ERR_RANGE, "reorder for a graph: a rank names 0 to 2^31-1 edges");
  }
  if (edges.count > 0 && (edges.from == nullptr || edges.to == nullptr)) {
    return report(COMITY_ERR_ARGUMENT, "reorder for a graph: `from` or `to` is null; pass both ends of each edge");
  }
  const auto is_rank = [&](std::int32_t end) { return end >= 0 && end < ranks; };
  const auto refuse = [&](comity_status status, std::int64_t i, const std::string& why) {
    const std::string sentence = "reorder for a graph: edge " + std::to_string(i) + " joins ranks " +
                                 std::to_string(edges.from[i]) + " and " + std::to_string(edges.to[i]) + why;
    return report(status, sentence.c_str());
  };
  for (std::int64_t i = 0; i < edges.count; ++i) {
    if (!is_rank(edges.from[i]) || !is_rank(edges.to[i])) {
      return refuse(COMITY_ERR_RANGE, i, "; the communicator has ranks 0 to " + std::to_string(ranks - 1));
    }
    if (edges.from[i] == edges.to[i]) return refuse(COMITY_ERR_ARGUMENT, i, ", which are one; leave it out");
    if (edges.weights != nullptr && edges.weights[i] < 1) {
      return refuse(COMITY_ERR_RANGE, i,
                    " with weight " + std::to_string(edges.weights[i]) + "; weights are 1 or more");
    }
  }
  return COMITY_OK;
}

class EdgeType {
 public:
  EdgeType() {
    MPI_Type_contiguous(sizeof(Edge), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  EdgeType(const EdgeType&) = delete;
  EdgeType& operator=(const EdgeType&) = delete;
  ~EdgeType() { MPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class Gathering {
 public:
  Gathering(Job& job, const Edges& edges) : job_(job) {
    mine_.reserve(static_cast<std::size_t>(edges.count));
    for (std::int64_t i = 0; i < edges.count; ++i) {
      mine_.push_back({edges.from[i], edges.to[i], edges.weights == nullptr ? 1 : edges.weights[i]});
    }
    count_.assign(1, static_cast<int>(mine_.size()));
    counts_.resize(is_root() ? static_cast<std::size_t>(job.everybody.size()) : 0);
    first_.resize(counts_.size());
  }

  // Collective.
  comity_status run(AllEdges& all) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Igather(count_.data(), 1, MPI_INT, counts_.data(), 1, MPI_INT, 0, job_.everybody.get(), &request);
    comity_status status = wait_for(job_, code, request);
    if (status != COMITY_OK) return failed(status);
    status = agree(job_, is_root() ? make_room(all) : COMITY_OK);
    if (status != COMITY_OK) return status;
    const EdgeType type;
    code = MPI_Igatherv(mine_.data(), count_.front(), type.get(), gathered_.data(), counts_.data(), first_.data(),
                        type.get(), 0, job_.everybody.get(), &request);
    status = wait_for(job_, code, request);
    if (status != COMITY_OK) return failed(status);
    take(all);
    return COMITY_OK;
  }

 private:
  [[nodiscard]] bool is_root() const { return job_.everybody.rank() == 0; }

  comity_status failed(comity_status status) {
    if (status == COMITY_ERR_PEER_LOST) {
      (void)leave_to_mpi(mine_);
      (void)leave_to_mpi(gathered_);
      (void)leave_to_mpi(first_);
      (void)leave_to_mpi(count_);
      return leave_to_mpi(counts_);
    }
    return report(COMITY_ERR_MPI, "reorder for a graph: its edges could not be gathered; see MPI's own message");
  }

  comity_status make_room(AllEdges& all) {
    const std::int64_t total = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    if (total > std::numeric_limits<int>::max()) {
      return report(COMITY_ERR_RANGE, "reorder for a graph: its ranks name more than 2^31-1 edges together");
    }
    std::exclusive_scan(counts_.begin(), counts_.end(), first_.begin(), 0);
    try {
      gathered_.resize(static_cast<std::size_t>(total));
      all.from.reserve(gathered_.size());
      all.to.reserve(gathered_.size());
      all.weights.reserve(gathered_.size());
    } catch (const std::bad_alloc&) {
      return report_no_memory();
    }
    return COMITY_OK;
  }

  void take(AllEdges& all) {
    for (const Edge& edge : gathered_) {
      all.from.push_back(edge.from);
      all.to.push_back(edge.to);
      all.weights.push_back(edge.weight);
    }
  }

  Job& job_;
  std::vector<Edge> mine_, gathered_;
  std::vector<int> count_;  // of mine, which MPI reads
  std::vector<int> counts_, first_;
};

// As MPI_Dist_graph_create takes them, whose weights are ints: larger ones are the largest.
struct MpiEdges {
  std::vector<int> sources, degrees, destinations, weights;

  explicit MpiEdges(const Edges& edges) {
    const auto count = static_cast<std::size_t>(edges.count);
    sources.assign(edges.from, edges.from + count);
    destinations.assign(edges.to, edges.to + count);
    degrees.assign(count, 1);
    weights.resize(count + 1);  // not empty, for that has a name of its own in MPI
    for (std::size_t i = 0; edges.weights != nullptr && i < count; ++i) {
      weights[i] = static_cast<int>(std::min<std::int64_t>(edges.weights[i], std::numeric_limits<int>::max()));
    }
  }
};

int create(const MpiEdges& edges, bool weighted, MPI_Comm reordered, MPI_Comm* graph) {
  return MPI_Dist_graph_create(reordered, static_cast<int>(edges.sources.size()), edges.sources.data(),
                               edges.degrees.data(), edges.destinations.data(),
                               weighted ? edges.weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, graph);
}

// What needs memory, before anything collective.
struct Prepared {
  Gathering gathering;
  MpiEdges edges;

  Prepared(Job& job, const Edges& named) : gathering(job, named), edges(named) {}
};

comity_status prepare(Job& job, const Edges& edges, const MPI_Comm* graph, std::optional<Prepared>& prepared) {
  try {
    const comity_status status = require_arguments(edges, job.everybody.size(), graph);
    if (status != COMITY_OK) return status;
    prepared.emplace(job, edges);
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  }
  return COMITY_OK;
}

comity_status make_graph(MPI_Comm communicator, const Edges& edges, comity_place_objective objective, MPI_Comm* graph) {
  comity_status status = require_usable(communicator);
  if (status != COMITY_OK) return status;
  Job* job = nullptr;
  status = find_job(communicator, job);
  if (status != COMITY_OK) return status;
  std::optional<Prepared> prepared;
  status = agree(*job, prepare(*job, edges, graph, prepared));
  if (status != COMITY_OK) return status;
  AllEdges all;
  status = prepared->gathering.run(all);
  if (status != COMITY_OK) return status;
  const auto find_order = [&](std::int32_t ranks, const comity_place_seat* seats, std::int32_t* new_ranks) {
    return comity_place_graph(ranks, seats, static_cast<std::int64_t>(all.from.size()), all.from.data(), all.to.data(),
                              all.weights.data(), objective, new_ranks);
  };
  Question question;
  question.add(edges.weights == nullptr ? 0 : 1);
  question.add(objective);
  Communicator reordered;
  status = reorder(communicator, *job, COMITY_OK, question, find_order, reordered);
  if (status != COMITY_OK) return status;
  MPI_Comm made = MPI_COMM_NULL;
  if (create(prepared->edges, edges.weights != nullptr, reordered.get(), &made) != MPI_SUCCESS) {
    return report(COMITY_ERR_MPI, "reorder for a graph: MPI_Dist_graph_create failed; see MPI's own message");
  }
  take_errhandler(made, communicator);
  *graph = made;
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_place_graph_create(MPI_Comm communicator, int64_t edges, const int32_t* from, const int32_t* to,
                                        const int64_t* weights, comity_place_objective objective, MPI_Comm* graph) {
  using namespace comity::mpi;
  return guard([&] { return make_graph(communicator, {edges, from, to, weights}, objective, graph); });
}
