// SPDX-License-Identifier: BSD-3-Clause
#include "preload/mpi_variables.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::preload {
namespace {

namespace real = interpose::real;

struct Variable {
  int index;
  std::string name;
  std::string description;
  MPI_T_pvar_handle handle = nullptr;
  int bytes = 0;  // of its value
};

constexpr int kNarrow_bytes = sizeof(std::uint32_t);
constexpr int kWide_bytes = sizeof(std::uint64_t);

// 0: no whole number without a sign, or of no length that we know.
int value_bytes_of(MPI_Datatype type) {
  constexpr std::array<std::string_view, 3> kWhole{"MPI_UNSIGNED", "MPI_UNSIGNED_LONG", "MPI_UNSIGNED_LONG_LONG"};
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  int bytes = 0;
  if (type == MPI_Datatype{} || type == interpose::handles().no_type) return 0;
  if (real::MPI_Type_get_name(type, name.data(), &length) != MPI_SUCCESS) return 0;
  if (std::find(kWhole.begin(), kWhole.end(), std::string_view(name.data())) == kWhole.end()) return 0;
  if (real::MPI_Type_size(type, &bytes) != MPI_SUCCESS) return 0;
  return bytes == kNarrow_bytes || bytes == kWide_bytes ? bytes : 0;
}

bool is_a_count(int kind) {
  constexpr std::array kKinds{MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_SIZE, MPI_T_PVAR_CLASS_HIGHWATERMARK,
                              MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_AGGREGATE};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

// None: it is not one of those that are asked for. Its handle is made for no other: plugins have variables that end the process when
// they are asked for where their network is missing.
std::optional<Variable> variable_at(int index, MPI_T_pvar_session session) {
  std::array<char, 256> name{};
  std::array<char, 512> description{};
  auto name_bytes = static_cast<int>(name.size());
  auto description_bytes = static_cast<int>(description.size());
  int verbosity = 0;
  int kind = 0;
  MPI_Datatype type{};
  MPI_T_enum values{};
  int bound_to = 0;
  int is_read_only = 0;
  int is_continuous = 0;
  int is_atomic = 0;
  if (real::MPI_T_pvar_get_info(index, name.data(), &name_bytes, &verbosity, &kind, &type, &values, description.data(),
                                &description_bytes, &bound_to, &is_read_only, &is_continuous,
                                &is_atomic) != MPI_SUCCESS)
    return std::nullopt;
  if (!memory::counts_memory(name.data()) || !is_a_count(kind) || bound_to != MPI_T_BIND_NO_OBJECT ||
      is_continuous == 0)
    return std::nullopt;
  Variable found{index, name.data(), description.data(), nullptr, value_bytes_of(type)};
  int count = 0;
  if (found.bytes == 0 ||
      real::MPI_T_pvar_handle_alloc(session, index, nullptr, &found.handle, &count) != MPI_SUCCESS || count != 1)
    return std::nullopt;
  return found;
}

// A program may use the interface too, which counts who does. Open MPI takes the level of threads that is asked for here for that of the
// program from then on, so it is asked for the program's own.
class Interface {
 public:
  Interface() {
    int level = MPI_THREAD_SINGLE;
    int count = 0;
    (void)real::MPI_Query_thread(&level);
    is_ready_ = real::MPI_T_init_thread(level, &level) == MPI_SUCCESS;
    if (!is_ready_) return;
    if (real::MPI_T_pvar_session_create(&session_) != MPI_SUCCESS) return;
    if (real::MPI_T_pvar_get_num(&count) != MPI_SUCCESS) return;
    for (int i = 0; i < count; ++i) {
      if (std::optional<Variable> one = variable_at(i, session_)) variables_.push_back(std::move(*one));
    }
  }

  ~Interface() {
    if (!is_ready_) return;
    for (Variable& one : variables_) (void)real::MPI_T_pvar_handle_free(session_, &one.handle);
    if (session_ != nullptr) (void)real::MPI_T_pvar_session_free(&session_);
    (void)real::MPI_T_finalize();
  }
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  [[nodiscard]] std::vector<memory::MpiVariable> read() const {
    std::vector<memory::MpiVariable> all;
    for (const Variable& one : variables_) {
      if (const std::optional<std::int64_t> value = value_of(one)) all.push_back({one.name, one.description, *value});
    }
    return all;
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> value_of(const Variable& one) const {
    std::array<std::uint64_t, 2> room{};  // the narrower one stands at its beginning
    if (real::MPI_T_pvar_read(session_, one.handle, room.data()) != MPI_SUCCESS) return std::nullopt;
    if (one.bytes == kWide_bytes) return static_cast<std::int64_t>(room[0]);
    std::uint32_t narrow = 0;
    std::memcpy(&narrow, room.data(), sizeof narrow);
    return std::int64_t{narrow};
  }

  bool is_ready_ = false;
  MPI_T_pvar_session session_ = nullptr;
  std::vector<Variable> variables_;
};

// From the first read to the end of the run. Nothing ends it else: at the end of the process MPI may be gone.
constinit Interface* open_interface = nullptr;

}  // namespace

std::vector<memory::MpiVariable> read_mpi_variables() {
  if (open_interface == nullptr) open_interface = new Interface;
  return open_interface->read();
}

void leave_mpi_variables() {
  delete open_interface;
  open_interface = nullptr;
}

}  // namespace comity::preload
