// SPDX-License-Identifier: BSD-3-Clause
// What fibers and threads wait with, as C objects in their callers' memory.
#include <comity/sched_sync.h>

#include <mutex>
#include <string>

#include "capi/sched/guard.hpp"
#include "capi/sched/place.hpp"
#include "sched/waiting/channel.hpp"
#include "sched/waiting/event.hpp"
#include "sched/waiting/full_empty.hpp"
#include "sched/waiting/mutex.hpp"
#include "sched/waiting/semaphore.hpp"

using namespace comity;
using capi::sched::Begun;
using capi::sched::guard;
using capi::sched::guard_wait;
using capi::sched::in_zeros;
using capi::sched::required;

namespace {

struct FutureNumber {
  sched::Event there;
  std::uint64_t value;
};

using Semaphore = Begun<sched::Semaphore, 0x3a'61'5e'90'c7'12'04'b1>;
using Barrier = Begun<sched::Barrier, 0x77'0d'b2'48'1f'e5'9c'33>;
using Channel = Begun<sched::ByteChannel, 0x19'c4'8a'5b'70'd3'2e'67>;
using Word = sched::FullEmpty<std::uint64_t>;

sched::Mutex& mutex_at(comity_sched_mutex* mutex) { return in_zeros<sched::Mutex>(mutex, "mutex"); }

sched::Mutex& held_mutex(comity_sched_mutex* mutex, const char* what) {
  sched::Mutex& held = mutex_at(mutex);
  if (!held.is_mine()) {
    throw Error(Status::order, std::string(what) + ": the caller has not locked that mutex; who did must call this");
  }
  return held;
}

template <typename Number>
void require_least(Number number, Number least, const char* what) {
  if (number >= least) return;
  throw Error(Status::range,
              std::string(what) + " of " + std::to_string(number) + "; give " + std::to_string(least) + " or more");
}

}  // namespace

comity_status comity_sched_mutex_lock(comity_sched_mutex* mutex) {
  return guard_wait(__builtin_return_address(0), [&] {
    sched::Mutex& wanted = mutex_at(mutex);
    if (wanted.is_mine()) {
      throw Error(Status::order, "lock a mutex: the caller has it already and would wait for itself; unlock it first");
    }
    wanted.lock();
  });
}

comity_status comity_sched_mutex_try_lock(comity_sched_mutex* mutex, int32_t* locked) {
  return guard([&] {
    sched::Mutex& wanted = mutex_at(mutex);
    std::int32_t& out = required(locked, "locked");  // before it is locked
    out = wanted.try_lock() ? 1 : 0;
  });
}

comity_status comity_sched_mutex_unlock(comity_sched_mutex* mutex) {
  return guard([&] { held_mutex(mutex, "unlock a mutex").unlock(); });
}

comity_status comity_sched_condition_wait(comity_sched_condition* condition, comity_sched_mutex* mutex) {
  return guard_wait(__builtin_return_address(0), [&] {
    auto& waited = in_zeros<sched::Condition>(condition, "condition");
    std::unique_lock held(held_mutex(mutex, "wait for a condition"), std::adopt_lock);
    waited.wait(held);
    (void)held.release();
  });
}

comity_status comity_sched_condition_wait_as(comity_sched_condition* condition, comity_sched_mutex* mutex,
                                             const comity_sched_wait_name* name) {
  const bool says_where = name != nullptr && name->where != nullptr;
  return guard_wait(says_where ? name->where : __builtin_return_address(0), [&] {
    auto& waited = in_zeros<sched::Condition>(condition, "condition");
    const comity_sched_wait_name& wanted = required(name, "name");
    const sched::NamedWait as{&required(wanted.words, "name->words"), wanted.object};
    std::unique_lock held(held_mutex(mutex, "wait for a condition"), std::adopt_lock);
    waited.wait(held, as);
    (void)held.release();
  });
}

comity_status comity_sched_condition_notify(comity_sched_condition* condition, int32_t all) {
  return guard([&] {
    auto& told = in_zeros<sched::Condition>(condition, "condition");
    if (all != 0) {
      told.notify_all();
    } else {
      told.notify_one();
    }
  });
}

comity_status comity_sched_semaphore_begin(comity_sched_semaphore* semaphore, int64_t count) {
  return guard([&] {
    require_least<std::int64_t>(count, 0, "begin a semaphore");
    Semaphore::begin(semaphore, "semaphore", static_cast<std::size_t>(count));
  });
}

comity_status comity_sched_semaphore_acquire(comity_sched_semaphore* semaphore) {
  return guard_wait(__builtin_return_address(0), [&] { Semaphore::at(semaphore, "semaphore").acquire(); });
}

comity_status comity_sched_semaphore_release(comity_sched_semaphore* semaphore) {
  return guard([&] { Semaphore::at(semaphore, "semaphore").release(); });
}

comity_status comity_sched_barrier_begin(comity_sched_barrier* barrier, int32_t members) {
  return guard([&] {
    require_least(members, 1, "begin a barrier");
    Barrier::begin(barrier, "barrier", static_cast<std::size_t>(members));
  });
}

comity_status comity_sched_barrier_wait(comity_sched_barrier* barrier, int32_t* last) {
  return guard_wait(__builtin_return_address(0), [&] {
    const bool is_last = Barrier::at(barrier, "barrier").wait();
    if (last != nullptr) *last = is_last ? 1 : 0;
  });
}

comity_status comity_sched_future_set(comity_sched_future* future, uint64_t value) {
  return guard([&] {
    auto& given = in_zeros<FutureNumber>(future, "future");
    if (given.there.has_happened()) throw Error(Status::order, "give a future its value: it has one already");
    given.value = value;
    given.there.happen();
  });
}

comity_status comity_sched_future_get(comity_sched_future* future, uint64_t* value) {
  return guard_wait(__builtin_return_address(0), [&] {
    auto& wanted = in_zeros<FutureNumber>(future, "future");
    wanted.there.wait();
    if (value != nullptr) *value = wanted.value;
  });
}

comity_status comity_sched_future_test(const comity_sched_future* future, int32_t* there) {
  return guard([&] {
    const auto& asked = in_zeros<FutureNumber>(future, "future");
    required(there, "there") = asked.there.has_happened() ? 1 : 0;
  });
}

comity_status comity_sched_word_read(comity_sched_word* word, uint64_t* value, int32_t empty) {
  return guard_wait(__builtin_return_address(0), [&] {
    auto& wanted = in_zeros<Word>(word, "word");
    std::uint64_t& out = required(value, "value");
    out = empty != 0 ? wanted.take() : wanted.read();
  });
}

comity_status comity_sched_word_write(comity_sched_word* word, uint64_t value, int32_t when_empty) {
  return guard_wait(__builtin_return_address(0), [&] {
    auto& written = in_zeros<Word>(word, "word");
    if (when_empty != 0) {
      written.put(value);
    } else {
      written.write(value);
    }
  });
}

comity_status comity_sched_channel_begin(comity_sched_channel* channel, void* memory, size_t value_bytes,
                                         size_t capacity) {
  return guard([&] {
    (void)required(static_cast<char*>(memory), "memory");
    require_least<std::size_t>(value_bytes, 1, "begin a channel: bytes of a value");
    require_least<std::size_t>(capacity, 1, "begin a channel: a capacity");
    Channel::begin(channel, "channel", static_cast<std::byte*>(memory), value_bytes, capacity);
  });
}

comity_status comity_sched_channel_send(comity_sched_channel* channel, const void* value, int32_t* open) {
  return guard_wait(__builtin_return_address(0), [&] {
    sched::ByteChannel& to = Channel::at(channel, "channel");
    std::int32_t& out = required(open, "open");
    out = to.send(&required(static_cast<const char*>(value), "value")) ? 1 : 0;
  });
}

comity_status comity_sched_channel_receive(comity_sched_channel* channel, void* value, int32_t* open) {
  return guard_wait(__builtin_return_address(0), [&] {
    sched::ByteChannel& from = Channel::at(channel, "channel");
    std::int32_t& out = required(open, "open");
    out = from.receive(&required(static_cast<char*>(value), "value")) ? 1 : 0;
  });
}

comity_status comity_sched_channel_close(comity_sched_channel* channel) {
  return guard([&] { Channel::at(channel, "channel").close(); });
}
