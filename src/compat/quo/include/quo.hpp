// SPDX-License-Identifier: BSD-3-Clause
// QUO in C++ (11 and later) over quo.h: the classes Context, BindGuard and NodeInfo, and the enumerations and exceptions that
// go with them. Every rule of quo.h holds, and members have its names without their prefix. A call that fails throws
// quo::Error; nothing else has a state of its own.
#ifndef QUO_HPP_INCLUDED
#define QUO_HPP_INCLUDED

#include <cstdlib>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <quo.h>

namespace quo {

// A kind of hardware object: QUO_obj_type_t.
enum class ObjectType {
  MACHINE = QUO_OBJ_MACHINE,
  NUMANODE = QUO_OBJ_NUMANODE,
  NODE = NUMANODE,  // its name before libquo 1.3
  PACKAGE = QUO_OBJ_PACKAGE,
  SOCKET = QUO_OBJ_SOCKET,
  CORE = QUO_OBJ_CORE,
  PROCESSING_UNIT = QUO_OBJ_PU
};

// What a push binds to: QUO_bind_push_policy_t.
enum class BindPushPolicy {
  PROVIDED = QUO_BIND_PUSH_PROVIDED,
  OBJECT = QUO_BIND_PUSH_OBJ  // the lowest object that the binding touches; the number is ignored
};

// How a context sees the node: QUO_create_flags_t.
enum class CreateFlags { NO_FLAGS = QUO_CREATE_NO_FLAGS, NO_MT = QUO_CREATE_NO_MT };

// A call failed: code() is its QUO_ERR code, what() names the call; the reason is where quo.h says.
class Error : public std::runtime_error {
 public:
  Error(const char* call, int code)
      : std::runtime_error(std::string(call) + " failed with code " + std::to_string(code)), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {

inline void check(const char* call, int code) {
  if (code != QUO_SUCCESS) throw Error(call, code);
}
inline QUO_obj_type_t c(ObjectType type) { return static_cast<QUO_obj_type_t>(type); }

struct Freer {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

}  // namespace detail

// Version of the library that is loaded: (8, 0).
inline std::pair<int, int> version() {
  std::pair<int, int> both(0, 0);
  detail::check("QUO_version", QUO_version(&both.first, &both.second));
  return both;
}

// A context, freed with the last object that has it. Creating and freeing are collective over the communicator.
class Context {
 public:
  explicit Context(MPI_Comm communicator = MPI_COMM_WORLD, CreateFlags flags = CreateFlags::NO_FLAGS)
      : context_(create(communicator, flags)) {}

  // Counts of the node's objects, and of those inside one object.
  int nobjs_by_type(ObjectType type) const { return count("QUO_nobjs_by_type", QUO_nobjs_by_type, detail::c(type)); }
  int nobjs_in_type_by_type(ObjectType in_type, int index, ObjectType type) const {
    int found = 0;
    detail::check("QUO_nobjs_in_type_by_type",
                  QUO_nobjs_in_type_by_type(get(), detail::c(in_type), index, detail::c(type), &found));
    return found;
  }
  int nnumanodes() const { return count("QUO_nnumanodes", QUO_nnumanodes); }
  int nsockets() const { return count("QUO_nsockets", QUO_nsockets); }
  int ncores() const { return count("QUO_ncores", QUO_ncores); }
  int npus() const { return count("QUO_npus", QUO_npus); }

  // The ranks of the communicator: nodes that they are on, those on mine, my number among those.
  int nnodes() const { return count("QUO_nnodes", QUO_nnodes); }
  int nqids() const { return count("QUO_nqids", QUO_nqids); }
  int id() const { return count("QUO_id", QUO_id); }

  // Where I may run, and who may run in an object.
  bool bound() const { return count("QUO_bound", QUO_bound) != 0; }
  std::string stringify_cbind() const {
    char* text = nullptr;
    detail::check("QUO_stringify_cbind", QUO_stringify_cbind(get(), &text));
    const std::unique_ptr<char, detail::Freer> owned(text);
    return std::string(text);
  }
  bool cpuset_in_type(ObjectType type, int index) const {
    int found = 0;
    detail::check("QUO_cpuset_in_type", QUO_cpuset_in_type(get(), detail::c(type), index, &found));
    return found != 0;
  }
  std::vector<int> qids_in_type(ObjectType type, int index) const {
    int length = 0;
    int* list = nullptr;
    detail::check("QUO_qids_in_type", QUO_qids_in_type(get(), detail::c(type), index, &length, &list));
    const std::unique_ptr<int, detail::Freer> owned(list);
    return std::vector<int>(list, list + length);
  }

  // The binding; BindGuard pops by itself.
  void bind_push(BindPushPolicy policy, ObjectType type, int index = 0) const {
    const auto how = static_cast<QUO_bind_push_policy_t>(policy);
    detail::check("QUO_bind_push", QUO_bind_push(get(), how, detail::c(type), index));
  }
  void bind_pop() const { detail::check("QUO_bind_pop", QUO_bind_pop(get())); }

  // Collective over the node.
  void barrier() const { detail::check("QUO_barrier", QUO_barrier(get())); }
  bool auto_distrib(ObjectType distrib_over_this, int max_qids_per_res_type) const {
    int selected = 0;
    detail::check("QUO_auto_distrib",
                  QUO_auto_distrib(get(), detail::c(distrib_over_this), max_qids_per_res_type, &selected));
    return selected != 0;
  }
  // The caller frees it.
  MPI_Comm mpi_comm_by_type(ObjectType type = ObjectType::MACHINE) const {
    MPI_Comm made = MPI_COMM_NULL;
    detail::check("QUO_get_mpi_comm_by_type", QUO_get_mpi_comm_by_type(get(), detail::c(type), &made));
    return made;
  }

  // For calls of quo.h; it stays this object's.
  QUO_context get() const noexcept { return context_.get(); }

 private:
  struct Release {
    void operator()(QUO_context context) const noexcept { (void)QUO_free(context); }
  };

  static QUO_context create(MPI_Comm communicator, CreateFlags flags) {
    QUO_context made = nullptr;
    detail::check("QUO_create_with_flags",
                  QUO_create_with_flags(&made, communicator, static_cast<QUO_create_flags_t>(flags)));
    return made;
  }
  template <typename Call, typename... Arguments>
  int count(const char* name, Call call, Arguments... arguments) const {
    int found = 0;
    detail::check(name, call(get(), arguments..., &found));
    return found;
  }

  std::unique_ptr<QUO_t, Release> context_;
};

// Binds until the end of its scope. The context must outlive it.
class BindGuard {
 public:
  BindGuard(const Context& context, BindPushPolicy policy, ObjectType type, int index = 0) : context_(context) {
    context.bind_push(policy, type, index);
  }
  BindGuard(const BindGuard&) = delete;
  BindGuard& operator=(const BindGuard&) = delete;
  ~BindGuard() { (void)QUO_bind_pop(context_.get()); }

 private:
  const Context& context_;
};

// The objects that the caller's binding touches, ascending. The context must outlive it.
class NodeInfo {
 public:
  explicit NodeInfo(const Context& context) : context_(context) {}

  std::vector<int> machines() const { return objects_by_type(ObjectType::MACHINE); }
  std::vector<int> numa_nodes() const { return objects_by_type(ObjectType::NUMANODE); }
  std::vector<int> sockets() const { return objects_by_type(ObjectType::SOCKET); }
  std::vector<int> cores() const { return objects_by_type(ObjectType::CORE); }
  std::vector<int> processing_units() const { return objects_by_type(ObjectType::PROCESSING_UNIT); }
  std::vector<int> objects_by_type(ObjectType type) const {
    std::vector<int> touched;
    const int count = context_.nobjs_by_type(type);
    for (int index = 0; index < count; ++index) {
      if (context_.cpuset_in_type(type, index)) touched.push_back(index);
    }
    return touched;
  }

 private:
  const Context& context_;
};

inline std::ostream& operator<<(std::ostream& out, ObjectType type) {
  switch (type) {
    case ObjectType::MACHINE:
      return out << "machine";
    case ObjectType::NUMANODE:
      return out << "NUMA node";
    case ObjectType::PACKAGE:
    case ObjectType::SOCKET:
      return out << "socket";
    case ObjectType::CORE:
      return out << "core";
    case ObjectType::PROCESSING_UNIT:
      return out << "processing unit";
  }
  return out << "?";
}

inline std::ostream& operator<<(std::ostream& out, BindPushPolicy policy) {
  return out << (policy == BindPushPolicy::PROVIDED ? "provided" : "object");
}

}  // namespace quo

#endif
