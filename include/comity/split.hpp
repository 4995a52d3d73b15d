// SPDX-License-Identifier: BSD-3-Clause
// C++ over split.h and the numberings of machine.h: pieces for ranks and threads, threads that are bound for a scope, and sets
// as lists of objects.
#pragma once

#include <comity/split.h>

#include <comity/comity.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace comity {

enum class Assignment : int {
  packed = COMITY_ASSIGN_PACKED,
  spread = COMITY_ASSIGN_SPREAD,
  close = COMITY_ASSIGN_CLOSE
};
enum class Numbering : int { logical = COMITY_NUMBERING_LOGICAL, physical = COMITY_NUMBERING_PHYSICAL };

// What is split, and into what: Pieces(Resource::core, 4), or Pieces(Resource::numa) for one each.
struct Pieces {
  Resource type;
  int count = 0;                         // 0: one for each object
  const comity_cpuset* whole = nullptr;  // of shares(): null is the binding
};

namespace detail {

[[nodiscard]] inline std::vector<comity_cpuset> shares(const Context& context, const Pieces& pieces, Assignment how,
                                                       int members, const comity_cpuset* places) {
  std::vector<comity_cpuset> found(members < 0 ? 0 : static_cast<std::size_t>(members));
  comity_cpuset none{};
  check(comity_context_assign(context.handle(), static_cast<comity_type>(pieces.type), pieces.count,
                              static_cast<comity_assignment>(how), members, pieces.whole, places,
                              found.empty() ? &none : found.data()));
  return found;
}

}  // namespace detail

// The piece of each of so many members, packed or spread.
[[nodiscard]] inline std::vector<comity_cpuset> shares(const Context& context, const Pieces& pieces, Assignment how,
                                                       int members) {
  return detail::shares(context, pieces, how, members, nullptr);
}

// The piece that is close to where each member is.
[[nodiscard]] inline std::vector<comity_cpuset> shares(const Context& context, const Pieces& pieces,
                                                       const std::vector<comity_cpuset>& places) {
  return detail::shares(context, pieces, Assignment::close, static_cast<int>(places.size()), places.data());
}

// Collective: my piece of what the ranks of a group, or all on the node, are bound to is my binding until a pop; who shares it.
[[nodiscard]] inline Group split(Context& context, Resource type, int pieces, Assignment how,
                                 const Group* among = nullptr) {
  comity_group* group = nullptr;
  check(comity_context_split(context.handle(), static_cast<comity_type>(type), pieces,
                             static_cast<comity_assignment>(how), among == nullptr ? nullptr : among->handle(),
                             &group));
  return Group(group);
}

// The thread that makes it is bound alone until the end of the C++ scope; it is ended by the same thread, the innermost first.
class ThreadScope {
 public:
  ThreadScope(Context& context, const comity_cpuset& set) : context_(context.handle()) {
    check(comity_context_bind_thread(context_, &set, &scope_));
  }
  ~ThreadScope() { (void)comity_context_release_thread(context_, &scope_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  comity_context* context_;
  comity_thread_scope scope_{};
};

// "0-3,8": the objects that a set touches, or the binding.
[[nodiscard]] inline std::string cpuset_string(const Context& context, Resource type, Numbering numbering,
                                               const comity_cpuset* set = nullptr) {
  std::string text(std::size_t{COMITY_CPUSET_CAPACITY} * 5, '\0');  // "2047," an object
  std::size_t length_bytes = 0;
  check(comity_context_cpuset_string(context.handle(), static_cast<comity_type>(type),
                                     static_cast<comity_numbering>(numbering), set, text.data(), text.size(),
                                     &length_bytes));
  text.resize(length_bytes);
  return text;
}

[[nodiscard]] inline comity_cpuset cpuset_parse(const Context& context, Resource type, Numbering numbering,
                                                const std::string& text) {
  comity_cpuset set{};
  check(comity_context_cpuset_parse(context.handle(), static_cast<comity_type>(type),
                                    static_cast<comity_numbering>(numbering), text.c_str(), &set));
  return set;
}

}  // namespace comity
