// SPDX-License-Identifier: BSD-3-Clause
// Arguments: those of one call, found by what they mean (Places). Where the function is known as this is compiled its row is a constant
// and what does not concern it leaves no code; any other function's row is looked at while the program runs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "interpose/function.hpp"

namespace comity::interpose {

template <unsigned kFunction>
struct KnownFunction {
  static constexpr bool kHasOwnCode = true;
  static constexpr unsigned number = kFunction;
  static constexpr const Row& row = kRows[kFunction];
};
struct AnyFunction {
  static constexpr bool kHasOwnCode = false;
  unsigned number;
  const Row& row = kRows[number];
};

template <class Function>
class Arguments : public Function {
 public:
  // Of the arguments, in their order. What is written there is what the MPI gets.
  Arguments(Function function, void* const* addresses) : Function(function), at_(addresses) {}

  [[nodiscard]] MPI_Comm communicator() const { return at<MPI_Comm>(Function::row.at.communicator); }
  [[nodiscard]] MPI_Win window() const { return at<MPI_Win>(Function::row.at.window); }
  [[nodiscard]] MPI_Comm made() const { return *at<MPI_Comm*>(Function::row.at.made); }
  [[nodiscard]] MPI_Message message() const { return *at<MPI_Message*>(Function::row.at.message); }
  [[nodiscard]] MPI_Request* request() const { return at<MPI_Request*>(Function::row.at.request); }
  [[nodiscard]] MPI_Request* requests() const { return at<MPI_Request*>(Function::row.at.requests); }
  [[nodiscard]] MPI_Status*& status() const { return at<MPI_Status*>(Function::row.at.status); }
  [[nodiscard]] MPI_Status*& statuses() const { return at<MPI_Status*>(Function::row.at.statuses); }

  [[nodiscard]] int to() const { return at<int>(Function::row.at.to); }
  [[nodiscard]] int from() const { return at<int>(Function::row.at.from); }
  [[nodiscard]] int root() const { return at<int>(Function::row.at.root); }
  [[nodiscard]] int level() const { return Function::row.at.level != kAbsent ? at<int>(Function::row.at.level) : 0; }
  [[nodiscard]] int partitions() const { return at<int>(Function::row.at.partitions); }

  [[nodiscard]] int index() const { return *at<int*>(Function::row.at.index); }
  [[nodiscard]] int found() const { return *at<int*>(Function::row.at.found); }
  [[nodiscard]] const int* indices() const { return at<int*>(Function::row.at.indices); }
  // Whether it has happened; what has no flag has.
  [[nodiscard]] bool flag() const { return Function::row.at.flag == kAbsent || *at<int*>(Function::row.at.flag) != 0; }

  [[nodiscard]] bool is_in_place(std::int8_t buffer) const {
    return buffer != kAbsent && at<const void*>(buffer) == MPI_IN_PLACE;
  }
  // Of a count and a type that are one for all ranks, or one each, those that go with rank `i`.
  [[nodiscard]] std::int64_t count(std::int8_t place, bool each, std::size_t i) const {
    if (Function::row.large) return each ? at<const MPI_Count*>(place)[i] : at<MPI_Count>(place);
    return each ? at<const int*>(place)[i] : at<int>(place);
  }
  [[nodiscard]] MPI_Datatype type(std::int8_t place, std::size_t i) const {
    return Function::row.each.type ? at<const MPI_Datatype*>(place)[i] : at<MPI_Datatype>(place);
  }

  [[nodiscard]] void* const* addresses() const { return at_; }
  template <class T>
  [[nodiscard]] T& at(std::int8_t place) const {
    return *static_cast<T*>(at_[place]);
  }

 private:
  void* const* at_;
};

using AnyArguments = Arguments<AnyFunction>;

}  // namespace comity::interpose
