// SPDX-License-Identifier: BSD-3-Clause
#include "context/division.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "context/distribution.hpp"
#include "context/object_sets.hpp"
#include "context/shares.hpp"

namespace comity::context {
namespace {

[[noreturn]] void throw_range(const CpuSet& whole, const std::string& why) {
  throw Error(Status::range, "split CPUs " + whole.to_list() + ": " + why);
}

// What the set has of each object of the type that it touches.
std::vector<CpuSet> parts_on_objects(const machine::Machine& machine, const CpuSet& whole, machine::ObjectType type) {
  std::vector<CpuSet> sets = object_sets(machine, type);
  for (CpuSet& set : sets) set &= whole;
  std::vector<CpuSet> parts;
  for (const int place : places_among(sets)) parts.push_back(sets[static_cast<std::size_t>(place)]);
  return parts;
}

// How many members each piece still takes.
class Room {
 public:
  Room(std::size_t pieces, std::size_t members)
      : taken_(pieces, 0), each_(members / pieces), with_one_more_(members % pieces) {}

  bool take(std::size_t piece) {
    if (taken_[piece] > each_ || (taken_[piece] == each_ && with_one_more_ == 0)) return false;
    if (taken_[piece] == each_) --with_one_more_;
    ++taken_[piece];
    return true;
  }

 private:
  std::vector<std::size_t> taken_;
  std::size_t each_;
  std::size_t with_one_more_;  // pieces that may take one beyond that
};

struct Wish {
  std::size_t inside;  // [PUs] of the member's place in the piece
  std::size_t width;   // [PUs] of the member's place, at least 1
  std::size_t away;    // [pieces] from the one that has most of the place
  std::size_t member;
  std::size_t piece;
};

// The greater part of its place first; then near before far, and the lower numbers.
bool comes_before(const Wish& a, const Wish& b) {
  const std::size_t part_of_a = a.inside * b.width;
  const std::size_t part_of_b = b.inside * a.width;
  if (part_of_a != part_of_b) return part_of_a > part_of_b;
  return std::tuple(a.away, a.member, a.piece) < std::tuple(b.away, b.member, b.piece);
}

void add_wishes(std::vector<Wish>& wishes, std::span<const CpuSet> pieces, std::size_t member, const CpuSet& place) {
  const std::size_t first = wishes.size();
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    wishes.push_back({(place & pieces[piece]).count(), std::max<std::size_t>(place.count(), 1), 0, member, piece});
  }
  const auto mine = std::span(wishes).subspan(first);
  const auto home = std::ranges::max_element(mine, {}, &Wish::inside)->piece;  // the first of equal ones
  for (Wish& wish : mine) wish.away = wish.piece > home ? wish.piece - home : home - wish.piece;
}

// What stable matching comes to where both sides go by the same number: the greatest wish is met first.
std::vector<int> assign_close(std::span<const CpuSet> pieces, std::span<const CpuSet> places) {
  std::vector<Wish> wishes;
  wishes.reserve(pieces.size() * places.size());
  for (std::size_t member = 0; member < places.size(); ++member) add_wishes(wishes, pieces, member, places[member]);
  std::ranges::sort(wishes, comes_before);
  Room room(pieces.size(), places.size());
  std::vector<int> chosen(places.size(), kNobody);
  for (const Wish& wish : wishes) {
    int& mine = chosen[wish.member];
    if (mine == kNobody && room.take(wish.piece)) mine = static_cast<int>(wish.piece);
  }
  return chosen;
}

std::size_t in_order(Assign how, std::size_t pieces, std::size_t members, std::size_t member) {
  const bool in_steps = (how == Assign::packed) == (members > pieces);  // packed: blocks of members; spread: of pieces
  return in_steps ? member * pieces / members : member % pieces;
}

}  // namespace

std::vector<CpuSet> pieces_of(const machine::Machine& machine, const CpuSet& whole, machine::ObjectType type,
                              int pieces) {
  const std::vector<CpuSet> parts = parts_on_objects(machine, whole, type);
  const std::string name(machine::type_name(type));
  if (parts.empty()) throw_range(whole, "no " + name + " that this job may use has any of them");
  if (pieces < 0) throw_range(whole, std::to_string(pieces) + " pieces; give at least 1, or 0 for one each " + name);
  const std::size_t count = pieces == 0 ? parts.size() : static_cast<std::size_t>(pieces);
  if (count > parts.size()) {
    throw_range(whole, std::to_string(pieces) + " pieces of type " + name + ", and they have parts of " +
                           std::to_string(parts.size()) + "; ask for fewer pieces, or of smaller objects");
  }
  std::vector<CpuSet> found;
  found.reserve(count);
  for (std::size_t piece = 0; piece < count; ++piece) found.push_back(equal_share(parts, count, piece));
  return found;
}

std::vector<int> assign(Assign how, std::span<const CpuSet> pieces, std::size_t members,
                        std::span<const CpuSet> places) {
  if (how == Assign::close) return assign_close(pieces, places);
  std::vector<int> chosen;
  chosen.reserve(members);
  for (std::size_t member = 0; member < members; ++member) {
    chosen.push_back(static_cast<int>(in_order(how, pieces.size(), members, member)));
  }
  return chosen;
}

}  // namespace comity::context
