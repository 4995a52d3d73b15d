// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/inside.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "place/division/piece.hpp"
#include "place/job/subgraph.hpp"

namespace comity::place {
namespace {

constexpr Rank kNobody = ~Rank{0};

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
      : splitter_(grid),
        site_(site),
        portions_(portions),
        graph_(graph),
        subgraphs_(graph.helpers(), Subgraphs(graph)),
        at_(site.places(), kNobody) {
    if (grid != nullptr) coordinates_ = coordinates_of(*grid);
    std::vector<Place> next(site.levels().front().first);
    for (Rank rank = 0; rank < node_of.size(); ++rank) at_[next[node_of[rank]]++] = rank;
  }

  // Nodes that are full, and what is inside, keep the ranks that they have, each where it is.
  void keep_full(const Mapping& known) {
    known_ = &known;
    keeps_full_ = true;
  }
  // Pieces that are what they were are divided on from what they have.
  void begin_from(const Mapping& known) { known_ = &known; }

  // All levels, one after the other.
  Mapping settle(const Effort& effort) {
    for (std::size_t level = 1; level < site_.levels().size(); ++level) split_level(level, effort);
    return mapping();
  }

 private:
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
        const Effort each{effort.swaps / pieces.size(), effort.trials};
        const std::optional<std::vector<Domain>> known = known_part(level, pieces[i]);
        pieces[i].part = known ? split_again(subgraphs_[part].of(pieces[i].ranks), pieces[i].sizes(), each, *known)
                               : splitter_.split(pieces[i], subgraphs_[part], each);
        done.add(1, 1);
      }
    });
    in_runs(outer.domains(), [&](std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t domain = from; domain < to; ++domain) {
        const Place first = outer.first[domain], end = outer.first[domain + 1];
        piece_of[domain] == kKept ? put_back(level, first, end) : apply(pieces[piece_of[domain]], first, end);
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
    if (coordinates_.empty() || splitter_.all_are_quick(pieces, effort)) return pieces;
    std::vector<Found> unlike(subgraphs_.size());
    std::vector<std::size_t> number_of(pieces.size());
    in_runs(pieces.size(), [&](std::size_t part, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        std::string key = key_of(subgraphs_[part].of(pieces[i].ranks), pieces[i].rooms);
        number_of[i] = number_by(std::move(key), std::move(pieces[i]), unlike[part]);
      }
    });
    pieces = merged(unlike, number_of);
    for (std::size_t& piece : piece_of) piece = piece == kKept ? kKept : number_of[piece];
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
      for (std::size_t i = from; i < to; ++i) {
        if (number_of[i] != kKept) number_of[i] = among_all[part][number_of[i]];
      }
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
      if (is_kept(level, piece.ranks, outer.first[domain], outer.first[domain + 1])) {
        piece_of[domain] = kKept;
        while (child < inner.domains() && inner.first[child] < outer.first[domain + 1]) ++child;
        continue;
      }
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

  // None where the piece has other ranks than a domain had, or is very small.
  [[nodiscard]] std::optional<std::vector<Domain>> known_part(std::size_t level, const Piece& piece) const {
    if (known_ == nullptr || keeps_full_ || piece.ranks.size() <= kVerySmall) return std::nullopt;
    const std::vector<Domain>& domain_of = site_.domain_of(level);
    std::vector<Domain> part;
    part.reserve(piece.ranks.size());
    for (const Rank rank : piece.ranks) part.push_back(domain_of[(*known_)[rank]]);
    const Domain first = *std::ranges::min_element(part);
    std::vector<std::uint32_t> room = piece.rooms;
    for (Domain& one : part) {
      one -= first;
      if (one >= room.size() || room[one]-- == 0) return std::nullopt;
    }
    return part;
  }

  [[nodiscard]] bool is_kept(std::size_t level, const std::vector<Rank>& ranks, Place first, Place end) const {
    return keeps_full_ && level > site_.node_level() && ranks.size() == end - first &&
           std::ranges::all_of(ranks, [&](Rank rank) { return (*known_)[rank] >= first && (*known_)[rank] < end; });
  }

  // Of a full domain: each rank into the domain inside where it has been, in order.
  void put_back(std::size_t level, Place first, Place end) {
    std::vector<Rank> ranks(at_.begin() + first, at_.begin() + end);
    const std::vector<Domain>& domain_of = site_.domain_of(level);
    std::ranges::stable_sort(ranks, {}, [&](Rank rank) { return domain_of[(*known_)[rank]]; });
    std::ranges::copy(ranks, at_.begin() + first);
  }

  // Stable: ranks stay in order within each part, so that pieces that are alike stay so on the next level.
  void apply(const Piece& piece, Place first, Place end) {
    const std::vector<Rank> ranks = ranks_in(first, end);
    std::fill(at_.begin() + first, at_.begin() + end, kNobody);
    std::vector<Place> next(piece.rooms.size());  // of each part
    std::exclusive_scan(piece.rooms.begin(), piece.rooms.end(), next.begin(), first);
    for (std::size_t i = 0; i < ranks.size(); ++i) at_[next[piece.part[i]]++] = ranks[i];
  }

  static constexpr std::size_t kKept = ~std::size_t{0};  // in place of a piece's number

  PieceSplitter splitter_;
  const Site& site_;
  const Portions& portions_;
  const Graph& graph_;
  std::vector<std::uint32_t> coordinates_;  // of a grid's cells, else none
  std::vector<Subgraphs> subgraphs_;        // one for each part of the work
  std::vector<Rank> at_;                    // the rank at each place, or kNobody
  const Mapping* known_ = nullptr;          // or none
  bool keeps_full_ = false;
};

}  // namespace

Mapping settled(const Graph& graph, const Site& site, std::span<const Domain> node_of, const Effort& effort,
                const Grid* grid, const Portions& portions) {
  return Settling(graph, grid, site, node_of, portions).settle(effort);
}

Mapping shared_out(const Graph& graph, const Site& site, const Mapping& known, const Effort& effort, const Grid* grid,
                   const Portions& portions) {
  const std::vector<Domain> node_of = domains_of(site, 0, known);
  Settling settling(graph, grid, site, node_of, portions);
  settling.keep_full(known);
  return settling.settle(effort);
}

Mapping settled_on(const Graph& graph, const Site& site, const Mapping& known, const Effort& effort,
                   const Portions& portions) {
  const std::vector<Domain> node_of = domains_of(site, 0, known);
  Settling settling(graph, nullptr, site, node_of, portions);
  settling.begin_from(known);
  return settling.settle(effort);
}

}  // namespace comity::place
