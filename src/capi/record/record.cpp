// SPDX-License-Identifier: BSD-3-Clause
#include <comity/record.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/c_call.hpp"
#include "base/error.hpp"
#include "capi/record/kept.hpp"
#include "capi/record/loaded.hpp"
#include "capi/record/opened.hpp"

namespace comity::capi::record {
namespace {

// What the callers of a process hold. A number in the place of an address, so that a closed record's handle is nobody else's.
struct Held {
  Kept<std::uintptr_t, Opened> records{"that record has been closed, or was never opened; call comity_record_open"};
  Kept<const comity_record_rank*, Loaded> ranks{
      "that rank has been released, or was never loaded; call comity_record_load"};
  std::atomic<std::uintptr_t> numbers{0};
};

// Never destroyed: static objects of a program may release ranks after this library's.
Held& held() {
  static Held* const all = new Held;
  return *all;
}

template <typename Call>
comity_status guard(Call&& call) noexcept {
  try {
    call();
    return COMITY_OK;
  } catch (const std::exception&) {
    return static_cast<comity_status>(status_in_handler(comity_report_failure));
  }
}

template <typename T>
T& required(T* pointer, const char* parameter, const char* what = "where the result goes") {
  if (pointer == nullptr) refuse_null(parameter, what);
  return *pointer;
}

std::uintptr_t number(const comity_record* record) {
  return reinterpret_cast<std::uintptr_t>(&required(record, "record", "a record that is open"));
}

std::uint32_t counted_from_0(std::int32_t rank) {
  if (rank >= 0) return static_cast<std::uint32_t>(rank);
  throw Error(Status::not_found, "load rank " + std::to_string(rank) +
                                     ": ranks are counted from 0; the record's entries are those that it has");
}

reading::Parts parts_of(comity_record_parts parts) {
  switch (parts) {
    case COMITY_RECORD_ALL:
      return reading::Parts::all;
    case COMITY_RECORD_FIXED:
      return reading::Parts::fixed;
  }
  throw Error(Status::argument,
              "load a rank: there are no parts " + std::to_string(parts) + " of it; see comity_record_parts");
}

}  // namespace
}  // namespace comity::capi::record

using namespace comity::capi::record;

comity_status comity_record_open(const char* path, comity_record_how how, comity_record** record) {
  return guard([&] {
    comity_record*& out = required(record, "record");
    auto opened = std::make_shared<const Opened>(&required(path, "path", "a folder or file"), how);
    const std::uintptr_t number = ++held().numbers;
    held().records.put(number, std::move(opened));
    out = reinterpret_cast<comity_record*>(number);
  });
}

comity_status comity_record_close(comity_record** record) {
  return guard([&] {
    comity_record*& closed = required(record, "record", "a record that is open");
    (void)held().records.take_out(number(closed));
    closed = nullptr;
  });
}

comity_status comity_record_describe(const comity_record* record, const comity_record_job** job) {
  return guard([&] {
    const comity_record_job*& out = required(job, "job");
    out = &held().records.at(number(record))->job();
  });
}

comity_status comity_record_load(const comity_record* record, int32_t rank, comity_record_parts parts,
                                 const comity_record_rank** loaded) {
  return guard([&] {
    const comity_record_rank*& out = required(loaded, "loaded");
    const std::shared_ptr<const Opened> opened = held().records.at(number(record));
    auto read = std::make_shared<const Loaded>(opened->reader().rank(counted_from_0(rank), parts_of(parts)));
    const comity_record_rank* const shown = &read->rank();
    held().ranks.put(shown, std::move(read));
    out = shown;
  });
}

comity_status comity_record_release(const comity_record_rank** loaded) {
  return guard([&] {
    const comity_record_rank*& released = required(loaded, "loaded", "a rank that is loaded");
    (void)held().ranks.take_out(&required(released, "loaded", "a rank that is loaded"));
    released = nullptr;
  });
}

comity_status comity_record_time(const comity_record_rank* loaded, int64_t time_ns, int64_t* on_rank_0_ns) {
  return guard([&] {
    std::int64_t& out = required(on_rank_0_ns, "on_rank_0_ns");
    out = held().ranks.at(&required(loaded, "loaded", "a rank that is loaded"))->clock().on_rank_0(time_ns);
  });
}
