// SPDX-License-Identifier: BSD-3-Clause
// C++ over the C interface: RAII, exceptions, no state of its own. Every rule of the C headers holds; member names are the
// C names without their prefix.
#pragma once

#include <comity/comity.h>

#include <chrono>
#include <cmath>
#include <comity/failure.hpp>
#include <comity/quiesce.hpp>
#include <comity/region.hpp>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comity {

enum class Resource : int {
  machine = COMITY_MACHINE,
  package = COMITY_PACKAGE,
  numa = COMITY_NUMA,
  l3 = COMITY_L3,
  l2 = COMITY_L2,
  l1 = COMITY_L1,
  core = COMITY_CORE,
  pu = COMITY_PU,
};

enum class Rule : int { fill = COMITY_RULE_FILL, algorithm_1 = COMITY_RULE_ALGORITHM_1, quo_1_4 = COMITY_RULE_QUO_1_4 };
enum class Smt : int { all = COMITY_SMT_ALL, one = COMITY_SMT_ONE };
enum class BindingOf : int { main_thread = COMITY_BINDING_OF_MAIN_THREAD, threads = COMITY_BINDING_OF_THREADS };
enum class Teams : int { place = COMITY_TEAMS_PLACE, keep = COMITY_TEAMS_KEEP, leave = COMITY_TEAMS_LEAVE };
enum class View : int { published = COMITY_VIEW_PUBLISHED, live = COMITY_VIEW_LIVE };  // live: a system call a rank
enum class ToldBy : int { table = COMITY_TOLD_BY_TABLE, kernel = COMITY_TOLD_BY_KERNEL, rank = COMITY_TOLD_BY_RANK };
enum class Form : int { list = COMITY_FORM_LIST, hex = COMITY_FORM_HEX };

enum class MemoryKind : int {
  dram = COMITY_MEMORY_DRAM,
  hbm = COMITY_MEMORY_HBM,
  expander = COMITY_MEMORY_EXPANDER,
  gpu = COMITY_MEMORY_GPU,
  nvm = COMITY_MEMORY_NVM
};
enum class DeviceKind : int { gpu = COMITY_GPU, nic = COMITY_NIC };

struct Memory {
  std::uint64_t size_bytes;  // 0 where not told
  MemoryKind kind;
};

// The object of a type that a set of PUs belongs to.
struct Closest {
  int index;
  bool covers;  // all of the set lies inside; else it shares most PUs with the set
};

// What a rank is bound to, and whose word that is.
struct PeerBinding {
  comity_cpuset set;
  ToldBy told_by;
};

struct Distribution {
  bool selected;       // I work in the phase
  int object;          // [index] the object I work on; -1 where not selected
  int leader;          // [node rank] who works for me; -1 if nobody is selected
  int share;           // [index] my place among the ranks of my leader; the leader is 0
  int share_count;     // [ranks] how many ranks my leader works for
  int selected_count;  // [ranks] how many ranks of the node are selected
};

// A binding pushed for the life of this object.
class [[nodiscard]] BindingGuard {
 public:
  explicit BindingGuard(comity_context* context) : context_(context) {}
  BindingGuard(BindingGuard&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  BindingGuard& operator=(BindingGuard&&) = delete;
  BindingGuard(const BindingGuard&) = delete;
  BindingGuard& operator=(const BindingGuard&) = delete;
  ~BindingGuard() {
    if (context_ != nullptr) (void)comity_context_pop(context_);
  }

 private:
  comity_context* context_;
};

class Context {
 public:
  // One process without MPI.
  [[nodiscard]] static Context local() {
    comity_context* context = nullptr;
    check(comity_context_create_local(&context));
    return Context(context);
  }
  explicit Context(const comity_bootstrap& bootstrap) { check(comity_context_create_with(&bootstrap, &context_)); }
  explicit Context(comity_context* owned) : context_(owned) {}
  Context(Context&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Context& operator=(Context&& other) noexcept {
    std::swap(context_, other.context_);
    return *this;
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { (void)comity_context_free(&context_); }

  [[nodiscard]] comity_context* handle() const { return context_; }
  // Gives the handle up: whoever gets it frees it.
  [[nodiscard]] comity_context* release() { return std::exchange(context_, nullptr); }

  // the node
  [[nodiscard]] int count(Resource type) const { return ask(comity_context_count, c(type)); }
  [[nodiscard]] int count_within(Resource inner, Resource outer, int index) const {
    return ask(comity_context_count_within, c(inner), c(outer), index);
  }
  [[nodiscard]] comity_cpuset cpuset(Resource type, int index) const {
    comity_cpuset set{};
    check(comity_context_cpuset(context_, c(type), index, &set));
    return set;
  }
  [[nodiscard]] std::uint64_t node_id() const {
    std::uint64_t id = 0;
    check(comity_context_node_id(context_, &id));
    return id;
  }
  // Empty where no object of the type shares a PU with the set.
  [[nodiscard]] std::optional<Closest> closest(Resource type, const comity_cpuset& set) const {
    std::int32_t index = 0, covers = 0;
    const comity_status status = comity_context_closest(context_, c(type), &set, &index, &covers);
    if (status == COMITY_ERR_NOT_FOUND) return std::nullopt;
    check(status);
    return Closest{index, covers != 0};
  }
  [[nodiscard]] std::uint64_t cache_bytes(Resource type, int index) const {
    std::uint64_t size_bytes = 0;
    check(comity_context_cache_bytes(context_, c(type), index, &size_bytes));
    return size_bytes;
  }
  [[nodiscard]] Memory memory(int numa) const {
    std::uint64_t size_bytes = 0;
    comity_memory_kind kind = COMITY_MEMORY_DRAM;
    check(comity_context_memory(context_, numa, &size_bytes, &kind));
    return {size_bytes, static_cast<MemoryKind>(kind)};
  }
  [[nodiscard]] int core_kind_count() const { return ask(comity_context_core_kind_count); }
  [[nodiscard]] comity_core_kind core_kind(int index) const {
    comity_core_kind kind{};
    check(comity_context_core_kind(context_, index, &kind));
    return kind;
  }
  [[nodiscard]] int device_count(DeviceKind kind) const { return ask(comity_context_device_count, c(kind)); }
  [[nodiscard]] comity_device device(DeviceKind kind, int index) const {
    comity_device device{};
    check(comity_context_device(context_, c(kind), index, &device));
    return device;
  }
  [[nodiscard]] std::vector<std::int32_t> devices_near(DeviceKind kind, Resource type, int index) const {
    std::vector<std::int32_t> devices(static_cast<std::size_t>(device_count(kind)));
    std::int32_t count = 0;
    check(comity_context_devices_near(context_, c(kind), c(type), index, devices.data(),
                                      static_cast<std::int32_t>(devices.size()), &count));
    devices.resize(static_cast<std::size_t>(count));
    return devices;
  }
  void set_smt(Smt smt) { check(comity_context_set_smt(context_, static_cast<comity_smt>(smt))); }
  [[nodiscard]] Smt smt() const {
    comity_smt smt = COMITY_SMT_ALL;
    check(comity_context_smt(context_, &smt));
    return static_cast<Smt>(smt);
  }
  [[nodiscard]] int node_count() const { return ask(comity_context_node_count); }
  [[nodiscard]] int rank() const { return ask(comity_context_rank); }
  [[nodiscard]] int size() const { return ask(comity_context_size); }

  // my binding
  void set_binding_of(BindingOf whose) {
    check(comity_context_set_binding_of(context_, static_cast<comity_binding_of>(whose)));
  }
  [[nodiscard]] bool is_bound() const { return ask(comity_context_is_bound) != 0; }
  struct Width {
    int cores;
    int pus;
  };
  [[nodiscard]] Width width() const {
    std::int32_t cores = 0, pus = 0;
    check(comity_context_width(context_, &cores, &pus));
    return {cores, pus};
  }
  [[nodiscard]] comity_cpuset binding() const {
    comity_cpuset set{};
    check(comity_context_binding(context_, &set));
    return set;
  }
  [[nodiscard]] std::string binding_string(Form form = Form::list) const {
    const comity_cpuset set = binding();
    std::string text(std::size_t{COMITY_CPUSET_CAPACITY} * 5, '\0');  // "2047," a PU
    std::size_t length_bytes = 0;
    check(comity_cpuset_string(&set, static_cast<comity_cpuset_form>(form), text.data(), text.size(), &length_bytes));
    text.resize(length_bytes);
    return text;
  }
  [[nodiscard]] bool encloses(Resource type, int index) const {
    return ask(comity_context_encloses, c(type), index) != 0;
  }
  [[nodiscard]] bool intersects(Resource type, int index) const {
    return ask(comity_context_intersects, c(type), index) != 0;
  }
  [[nodiscard]] std::vector<std::int32_t> touched(Resource type) const {
    std::vector<std::int32_t> objects;
    std::int32_t touched = count(type);
    comity_status status = COMITY_OK;
    do {  // again where the cgroup has come to allow more meanwhile
      objects.resize(static_cast<std::size_t>(touched));
      status = comity_context_touched(context_, c(type), objects.data(), touched, &touched);
    } while (status == COMITY_ERR_RANGE);
    check(status);
    objects.resize(static_cast<std::size_t>(touched));
    return objects;
  }
  [[nodiscard]] std::vector<std::int32_t> peers_in(Resource type, int index, View view = View::published) const {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(size()));
    std::int32_t count = 0;
    check(comity_context_peers_in(context_, c(type), index, static_cast<comity_view>(view), ranks.data(),
                                  static_cast<std::int32_t>(ranks.size()), &count));
    ranks.resize(static_cast<std::size_t>(count));
    return ranks;
  }
  // Empty where a live look finds that the rank has ended.
  [[nodiscard]] std::optional<PeerBinding> peer_binding(int rank, View view = View::published) const {
    comity_cpuset set{};
    comity_told_by told_by = COMITY_TOLD_BY_TABLE;
    const comity_status status =
        comity_context_peer_binding(context_, rank, static_cast<comity_view>(view), &set, &told_by);
    if (status == COMITY_ERR_PEER_LOST) return std::nullopt;
    check(status);
    return PeerBinding{set, static_cast<ToldBy>(told_by)};
  }

  // the binding stack
  void set_teams(Teams teams) { check(comity_context_set_teams(context_, static_cast<comity_teams>(teams))); }
  void push(Resource type, int index) { check(comity_context_push(context_, c(type), index)); }
  void push_cpuset(const comity_cpuset& set) { check(comity_context_push_cpuset(context_, &set)); }
  void push_nearest(Resource type) { check(comity_context_push_nearest(context_, c(type))); }
  void pop() { check(comity_context_pop(context_)); }
  void keep_binding() { check(comity_context_keep_binding(context_)); }
  void spread(Resource type) { check(comity_context_spread(context_, c(type))); }
  [[nodiscard]] int depth() const { return ask(comity_context_depth); }
  BindingGuard bound(Resource type, int index) {
    push(type, index);
    return BindingGuard(context_);
  }
  BindingGuard bound_nearest(Resource type) {
    push_nearest(type);
    return BindingGuard(context_);
  }

  // distribution, quiescence
  [[nodiscard]] Distribution distribute(Resource type, int max_per, Rule rule = Rule::fill) const {
    comity_distribution d{};
    check(comity_context_distribute(context_, c(type), max_per, static_cast<comity_rule>(rule), &d));
    return {d.selected != 0, d.object, d.leader, d.share, d.share_count, d.selected_count};
  }
  [[nodiscard]] std::optional<Group> split(int colour) {
    comity_group* group = nullptr;
    check(comity_group_split(context_, colour, &group));
    if (group == nullptr) return std::nullopt;
    return Group(group);
  }
  void quiesce(std::uint32_t flags = 0) { check(comity_context_quiesce(context_, nullptr, flags, COMITY_FOREVER)); }
  void quiesce(const Group& group, std::uint32_t flags = 0) {
    check(comity_context_quiesce(context_, group.handle(), flags, COMITY_FOREVER));
  }
  // A timeout below 0, such as a deadline that has passed, looks once; parts of a nanosecond count as a whole one; from 292 years
  // on, in any unit, there is no limit.
  template <typename Rep, typename Period>
  void quiesce_for(std::chrono::duration<Rep, Period> timeout, const Group* group = nullptr) {
    const long double wanted_ns = std::chrono::duration<long double, std::nano>(timeout).count();
    constexpr std::int64_t kLongest_ns = std::numeric_limits<std::int64_t>::max();
    const bool fits = wanted_ns < static_cast<long double>(kLongest_ns);
    std::int64_t timeout_ns = 0;
    if (wanted_ns > 0) timeout_ns = fits ? static_cast<std::int64_t>(std::ceil(wanted_ns)) : kLongest_ns;
    check(comity_context_quiesce(context_, group == nullptr ? nullptr : group->handle(), 0, timeout_ns));
  }
  // What quiesce() with COMITY_QUIESCE_PROGRESS calls again and again, in the place of MPI's own; none: null.
  void set_progress(comity_progress progress, void* data = nullptr) {
    check(comity_context_set_progress(context_, progress, data));
  }
  void refresh() { check(comity_context_refresh(context_)); }

  // Run `body` on the selected ranks, each bound to its object with an OpenMP team as wide as it; the others rest.
  // True where the body ran. An exception of the body leaves after the pop and the quiescence.
  template <typename Body>
  bool phase(Resource type, int per, Body&& body, int width = 0) {
    std::int32_t selected = 0;
    const comity_status entered = comity_context_enter(context_, c(type), per, width, &selected);
    const bool refused = entered == COMITY_ERR_NOT_FOUND || entered == COMITY_ERR_RANGE ||
                         entered == COMITY_ERR_HANDLE || entered == COMITY_ERR_ARGUMENT;
    if (refused) check(entered);
    std::exception_ptr thrown;
    try {
      check(entered);  // failed here, but open for the others, who wait for this rank at the end
      if (selected != 0) std::forward<Body>(body)();
    } catch (...) {
      thrown = std::current_exception();
    }
    const comity_status left = comity_context_leave(context_);
    if (thrown) std::rethrow_exception(thrown);
    check(left);
    return selected != 0;
  }

 private:
  [[nodiscard]] static comity_type c(Resource type) { return static_cast<comity_type>(type); }
  [[nodiscard]] static comity_device_kind c(DeviceKind kind) { return static_cast<comity_device_kind>(kind); }

  template <typename Function, typename... Arguments>
  [[nodiscard]] int ask(Function function, Arguments... arguments) const {
    std::int32_t value = 0;
    check(function(context_, arguments..., &value));
    return value;
  }

  comity_context* context_ = nullptr;
};

// A context that another library owns: used here as a Context (*lent, lent->push(...)), and not freed. The owner must not
// free it meanwhile.
class LentContext {
 public:
  explicit LentContext(comity_context* lent) : context_(lent) {}
  ~LentContext() { (void)context_.release(); }
  LentContext(const LentContext&) = delete;
  LentContext& operator=(const LentContext&) = delete;

  [[nodiscard]] Context& operator*() { return context_; }
  [[nodiscard]] Context* operator->() { return &context_; }

 private:
  Context context_;
};

}  // namespace comity
