// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/inside.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>

#include "place/division/roam.hpp"
#include "place/division/slices.hpp"
#include "place/job/subgraph.hpp"
#include "place/spare.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostHalvedCells = 5'000;  // of a grid, which slices suit better then
constexpr std::size_t kFewestSlicedCells = 100;  // below, nothing is better than what is found anyway
constexpr std::uint64_t kFewestSwapsACell =
    40;  // below, pieces are so many and unlike that halving each takes longest of all
constexpr Rank kNobody = ~Rank{0};

// A piece of the job that is to be split, and how many domains are.
struct Piece {
  std::vector<Rank> ranks;           // of the first domain that has such a piece
  std::vector<std::uint32_t> rooms;  // [places] of the domains in it
  std::vector<Domain> part = {};
};

// Appends numbers as they lie in memory.
template <typename Number>
char* write(char* end, Number number) {
  std::memcpy(end, &number, sizeof number);
  return end + sizeof number;
}
char* write_rooms(char* end, const std::vector<std::uint32_t>& rooms) {
  end = write(end, rooms.size());
  for (const std::uint32_t room : rooms) end = write(end, room);
  return end;
}
std::size_t bytes_of_rooms(const std::vector<std::uint32_t>& rooms) {
  return sizeof(std::size_t) + rooms.size() * sizeof rooms.front();
}

// Of a grid, a number of each cell, whose differences tell how two cells lie to one another: each dimension is counted in twice its cells, so
// that no step along it looks like one along others.
std::vector<std::uint32_t> coordinates_of(const Grid& grid) {
  std::vector<std::uint32_t> coordinates(grid.cells());
  Cell cell{};
  for (std::uint32_t& one : coordinates) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) one = one * 2 * grid.extents[i] + cell[i];
    for (std::size_t i = grid.dimensions(); i-- > 0;) {
      if (++cell[i] < grid.extents[i]) break;
      cell[i] = 0;
    }
  }
  return coordinates;
}

// Equal for pieces whose cells lie alike, for which the next is equal too; a twentieth of it, where that is long.
std::string outline_of(const std::vector<std::uint32_t>& coordinates, const std::vector<Rank>& ranks,
                       const std::vector<std::uint32_t>& rooms) {
  std::string outline(bytes_of_rooms(rooms) + ranks.size() * sizeof(std::uint32_t), '\0');
  char* end = write_rooms(outline.data(), rooms);
  for (const Rank rank : ranks) end = write(end, coordinates[rank] - coordinates[ranks.front()]);
  return outline;
}

// Equal for pieces that are split alike. How many rooms there are comes first: else one could be taken for what a rank exchanges.
std::string key_of(const Graph& piece, const std::vector<std::uint32_t>& rooms) {
  const bool weighted = piece.weighted();
  const std::size_t an_edge = sizeof(Rank) + (weighted ? sizeof(Weight) : 0);
  std::string key(bytes_of_rooms(rooms) + piece.ranks() * sizeof(Rank) + 2 * piece.edges() * an_edge, '\0');
  char* end = write_rooms(key.data(), rooms);
  for (Rank rank = 0; rank < piece.ranks(); ++rank) {
    end = write(end, static_cast<Rank>(piece.edges_of(rank)));
    piece.for_each_edge(rank, [&](Rank other, Weight weight) {
      end = write(end, other);
      if (weighted) end = write(end, weight);
    });
  }
  return key;
}

class Settling {
 public:
  Settling(const Graph& graph, const Grid* grid, const Site& site, std::span<const Domain> node_of,
           const Portions& portions)
      : grid_(grid),
        site_(site),
        portions_(portions),
        graph_(graph),
        subgraphs_(graph.parts(), Subgraphs(graph)),
        at_(site.places(), kNobody) {
    if (grid != nullptr) coordinates_ = coordinates_of(*grid);
    std::vector<Place> next(site.levels().front().first);
    for (Rank rank = 0; rank < node_of.size(); ++rank) at_[next[node_of[rank]]++] = rank;
  }

  void split_level(std::size_t level, const Effort& effort) {
    const Level& outer = site_.levels()[level - 1];
    std::vector<std::size_t> piece_of(outer.domains());
    const std::size_t before = level - 1, levels = site_.levels().size() - 1;
    if (portions_) portions_(before * kHundred, levels * kHundred);
    std::vector<Piece> pieces = different_pieces(level, effort, piece_of);
    const Progress tell = [&](std::string_view, std::size_t number, std::size_t of) {
      if (portions_ && is_time_to_tell(number, of))
        portions_(before * kHundred + number * kHundred / of, levels * kHundred);
    };
    PartsDone done(tell, "", pieces.size());
    graph_.side_by_side(subgraphs_.size(), [&](std::size_t part) {
      for (std::size_t i = part; i < pieces.size(); i += subgraphs_.size()) {
        pieces[i].part = split_piece(pieces[i], subgraphs_[part], {effort.swaps / pieces.size(), effort.trials});
        done.add(1, 1);
      }
    });
    in_runs(outer.domains(), [&](std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t domain = from; domain < to; ++domain) {
        apply(pieces[piece_of[domain]], outer.first[domain], outer.first[domain + 1]);
      }
    });
  }

  [[nodiscard]] Mapping mapping() const {
    Mapping mapping(graph_.ranks());
    for (Place place = 0; place < at_.size(); ++place) {
      if (at_[place] != kNobody) mapping[at_[place]] = place;
    }
    return mapping;
  }

 private:
  // Pieces of a run of domains, numbered from the first on, and what each looks like.
  struct Found {
    std::unordered_map<std::string, std::size_t> known = {};
    std::vector<const std::string*> keys = {};
    std::vector<Piece> pieces = {};
  };

  // Runs of numbers below `count` that are all together, in order.
  template <typename Work>
  void in_runs(std::size_t count, Work&& work) const {
    const std::size_t parts = subgraphs_.size();
    graph_.side_by_side(parts, [&](std::size_t part) { work(part, count * part / parts, count * (part + 1) / parts); });
  }

  // In order of the first domain that has each; `piece_of`: of all domains of the level outside. Of a grid those that lie unlike; these are
  // compared as graphs too, unless that takes as long as to split them.
  std::vector<Piece> different_pieces(std::size_t level, const Effort& effort, std::vector<std::size_t>& piece_of) {
    std::vector<Found> found(subgraphs_.size());
    in_runs(piece_of.size(), [&](std::size_t part, std::size_t from, std::size_t to) {
      look_at_domains(level, from, to, subgraphs_[part], found[part], piece_of);
    });
    std::vector<Piece> pieces = merged(found, piece_of);
    if (coordinates_.empty() || all_suit_slices(pieces, effort)) return pieces;
    std::vector<Found> unlike(subgraphs_.size());
    std::vector<std::size_t> number_of(pieces.size());
    in_runs(pieces.size(), [&](std::size_t part, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        std::string key = key_of(subgraphs_[part].of(pieces[i].ranks), pieces[i].rooms);
        number_of[i] = number_by(std::move(key), std::move(pieces[i]), unlike[part]);
      }
    });
    pieces = merged(unlike, number_of);
    for (std::size_t& piece : piece_of) piece = number_of[piece];
    return pieces;
  }

  // Pieces of all runs, each once; `number_of`: of what runs are of, in its run, and then among all.
  std::vector<Piece> merged(std::vector<Found>& found, std::vector<std::size_t>& number_of) const {
    std::unordered_map<std::string_view, std::size_t> known;
    std::vector<Piece> pieces;
    std::vector<std::vector<std::size_t>> among_all(found.size());  // of each piece of each run
    for (std::size_t part = 0; part < found.size(); ++part) {
      for (std::size_t i = 0; i < found[part].pieces.size(); ++i) {
        const auto [place, fresh] = known.try_emplace(*found[part].keys[i], pieces.size());
        among_all[part].push_back(place->second);
        if (fresh) pieces.push_back(std::move(found[part].pieces[i]));
      }
    }
    in_runs(number_of.size(), [&](std::size_t part, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) number_of[i] = among_all[part][number_of[i]];
    });
    return pieces;
  }

  void look_at_domains(std::size_t level, std::size_t from, std::size_t to, Subgraphs& subgraphs, Found& found,
                       std::vector<std::size_t>& piece_of) const {
    const Level& outer = site_.levels()[level - 1];
    const Level& inner = site_.levels()[level];
    auto child = static_cast<std::size_t>(std::lower_bound(inner.first.begin(), inner.first.end(), outer.first[from]) -
                                          inner.first.begin());
    for (std::size_t domain = from; domain < to; ++domain) {
      Piece piece{ranks_in(outer.first[domain], outer.first[domain + 1]), {}};
      for (; child < inner.domains() && inner.first[child] < outer.first[domain + 1]; ++child) {
        piece.rooms.push_back(static_cast<std::uint32_t>(inner.size(child)));
      }
      std::string key = coordinates_.empty() ? key_of(subgraphs.of(piece.ranks), piece.rooms)
                                             : outline_of(coordinates_, piece.ranks, piece.rooms);
      piece_of[domain] = number_by(std::move(key), std::move(piece), found);
    }
  }

  static std::size_t number_by(std::string key, Piece piece, Found& found) {
    const auto [place, fresh] = found.known.try_emplace(std::move(key), found.pieces.size());
    if (fresh) {
      found.keys.push_back(&place->first);
      found.pieces.push_back(std::move(piece));
    }
    return place->second;
  }

  [[nodiscard]] std::vector<Rank> ranks_in(Place from, Place to) const {
    std::vector<Rank> ranks;
    ranks.reserve(to - from);
    std::copy_if(at_.begin() + from, at_.begin() + to, std::back_inserter(ranks),
                 [](Rank rank) { return rank != kNobody; });
    return ranks;
  }

  std::vector<Domain> split_piece(const Piece& piece, Subgraphs& subgraphs, const Effort& effort) const {
    const std::size_t room = std::accumulate(piece.rooms.begin(), piece.rooms.end(), std::size_t{0});
    if (room > piece.ranks.size()) return share_out(subgraphs.of(piece.ranks), piece, effort);
    const std::vector<std::size_t> sizes(piece.rooms.begin(), piece.rooms.end());
    if (grid_ != nullptr && suits_slices(piece.ranks.size(), effort))
      return split_of_grid([&] { return subgraphs.of(piece.ranks); }, *grid_, piece.ranks, sizes);
    return split_exactly(subgraphs.of(piece.ranks), piece.ranks, sizes, effort);
  }

  std::vector<Domain> split_exactly(const Graph& graph, const std::vector<Rank>& ranks,
                                    const std::vector<std::size_t>& sizes, const Effort& effort) const {
    if (grid_ != nullptr && suits_slices(graph.ranks(), effort))
      return split_of_grid([&]() -> const Graph& { return graph; }, *grid_, ranks, sizes);
    std::vector<Domain> part = split(graph, sizes, effort);
    if (grid_ == nullptr || graph.ranks() < kFewestSlicedCells) return part;
    std::vector<Domain> slices = sliced(*grid_, ranks, sizes);
    return cut(graph, slices, sizes.size()) < cut(graph, part, sizes.size()) ? slices : part;
  }

  static Weight cut(const Graph& graph, const std::vector<Domain>& part, std::size_t parts) {
    return node_cut(graph, parts, part).sum;
  }

  // The best of a few ways to leave places empty. Of equal ones the first: domains are filled in order.
  std::vector<Domain> share_out(const Graph& graph, const Piece& piece, const Effort& effort) const {
    const std::size_t domains = piece.rooms.size();
    if (graph.ranks() == 0 || domains == 1) return std::vector<Domain>(graph.ranks(), 0);
    if (graph.ranks() <= kVerySmall) {
      std::vector<Domain> part = split_by(filled_in_order(piece.rooms, graph.ranks()), graph, piece.ranks, {});
      try_all_splits(graph, std::vector<std::size_t>(piece.rooms.begin(), piece.rooms.end()), part);
      return part;
    }
    const bool is_one_of_many = effort.swaps < kFewestSwapsACell * graph.ranks();
    std::vector<Shares> ways = is_one_of_many ? std::vector{filled_in_order(piece.rooms, graph.ranks()),
                                                            even_shares(piece.rooms, graph.ranks(), domains)}
                                              : shares_to_try(graph, nullptr, piece.rooms, Aim::sum);
    std::vector<Domain> best;
    Weight least = kNoLimit;
    for (const Shares& shares : ways) {
      std::vector<Domain> part = split_by(shares, graph, piece.ranks, {effort.swaps / ways.size(), effort.trials});
      const Weight found = cut(graph, part, domains);
      if (found >= least) continue;
      least = found;
      best = std::move(part);
    }
    if (least > 0 && !is_one_of_many && graph.ranks() <= kMostDividedForBothAims) {
      const std::uint64_t moves = std::min(effort.swaps / ways.size(), usual_moves(graph.ranks()));
      roam(graph, best, piece.rooms, {}, {Wanted::least_sum, moves, 1});
    }
    return best;
  }

  // Domains without ranks take no part.
  std::vector<Domain> split_by(const Shares& shares, const Graph& graph, const std::vector<Rank>& ranks,
                               const Effort& effort) const {
    std::vector<Domain> used;
    std::vector<std::size_t> sizes;
    for (Domain domain = 0; domain < shares.size(); ++domain) {
      if (shares[domain] == 0) continue;
      used.push_back(domain);
      sizes.push_back(shares[domain]);
    }
    std::vector<Domain> part = split_exactly(graph, ranks, sizes, effort);
    for (Domain& one : part) one = used[one];
    return part;
  }

  static bool suits_slices(std::size_t cells, const Effort& effort) {
    return cells > kMostHalvedCells || (cells >= kFewestSlicedCells && effort.swaps < kFewestSwapsACell * cells);
  }

  static bool all_suit_slices(const std::vector<Piece>& pieces, const Effort& effort) {
    return std::ranges::all_of(pieces, [&](const Piece& piece) {
      return suits_slices(piece.ranks.size(), {effort.swaps / pieces.size(), effort.trials});
    });
  }

  // Stable: ranks stay in order within each part, so that pieces that are alike stay so on the next level.
  void apply(const Piece& piece, Place first, Place end) {
    const std::vector<Rank> ranks = ranks_in(first, end);
    std::fill(at_.begin() + first, at_.begin() + end, kNobody);
    for (Domain part = 0; part < piece.rooms.size(); ++part) {
      Place next = first;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (piece.part[i] == part) at_[next++] = ranks[i];
      }
      first += piece.rooms[part];
    }
  }

  const Grid* grid_;
  const Site& site_;
  const Portions& portions_;
  const Graph& graph_;
  std::vector<std::uint32_t> coordinates_;  // of a grid's cells, else none
  std::vector<Subgraphs> subgraphs_;        // one for each part of the work
  std::vector<Rank> at_;                    // the rank at each place, or kNobody
};

}  // namespace

Mapping settled(const Graph& graph, const Site& site, std::span<const Domain> node_of, const Effort& effort,
                const Grid* grid, const Portions& portions) {
  Settling settling(graph, grid, site, node_of, portions);
  for (std::size_t level = 1; level < site.levels().size(); ++level) settling.split_level(level, effort);
  return settling.mapping();
}

}  // namespace comity::place
