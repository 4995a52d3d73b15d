/* SPDX-License-Identifier: BSD-3-Clause */
/* What fibers, tasks and plain threads wait with; who waits leaves its hart to others. Conventions: see sched.h. */
#ifndef COMITY_SCHED_SYNC_H
#define COMITY_SCHED_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- mutex and condition -------------------------------------------------------------------------------------------- */

/** A lock, handed on in the order of asking. Zeros: free. Since: 0.1. */
typedef struct comity_sched_mutex {
  uint64_t place[6]; /**< of the library */
} comity_sched_mutex;

/** Lock a mutex.
 *  @param mutex [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: the caller has it already.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: the caller unlocks. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_mutex_lock(comity_sched_mutex* mutex);

/** Lock a mutex if that takes no wait.
 *  @param mutex [object, in, out].   @param locked [0 or 1, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: the caller unlocks. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_mutex_try_lock(comity_sched_mutex* mutex, int32_t* locked);

/** Unlock a mutex.
 *  @param mutex [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: the caller does not have it.
 *  Call from: who locked it. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_mutex_unlock(comity_sched_mutex* mutex);

/** Where one waits for what others do under a mutex. Zeros: nobody waits. Since: 0.1. */
typedef struct comity_sched_condition {
  uint64_t place[4]; /**< of the library */
} comity_sched_condition;

/** Wait for a notification; the mutex is free meanwhile. Others may be faster to it: look again at what was waited for.
 *  @param condition [object, in, out].   @param mutex [object, in, out] that the caller has.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: the caller does not have the mutex.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_condition_wait(comity_sched_condition* condition, comity_sched_mutex* mutex);

/** What a wait is called where a deadlock is told, "waits for a value of the queue 0x55d0, at solver+0x2a31": for objects that
 *  stand on a condition. Since: 0.1. */
typedef struct comity_sched_wait_name {
  const char* words;  /**< "a value of the queue"; there until the wait ends */
  const void* object; /**< whose address follows them */
  const void* where;  /**< an address in the code; null: that of the call */
} comity_sched_wait_name;

/** As comity_sched_condition_wait, under a name.
 *  @param condition [object, in, out].   @param mutex [object, in, out] that the caller has.
 *  @param name [struct, in] there until the wait ends.
 *  @return as comity_sched_condition_wait; COMITY_ERR_ARGUMENT: no name, or one without words.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_condition_wait_as(comity_sched_condition* condition, comity_sched_mutex* mutex,
                                                           const comity_sched_wait_name* name);

/** Wake who waits longest, or all.
 *  @param condition [object, in, out].   @param all [0 or 1] 1: all of them.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_condition_notify(comity_sched_condition* condition, int32_t all);

/* --- semaphore and barrier ------------------------------------------------------------------------------------------ */

/** A number that is taken from while it is above 0. Since: 0.1. */
typedef struct comity_sched_semaphore {
  uint64_t place[6]; /**< of the library */
} comity_sched_semaphore;

/** Begin a semaphore.
 *  @param semaphore [object, out] whatever it was.   @param count [number] 0 or more.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: below 0.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_semaphore_begin(comity_sched_semaphore* semaphore, int64_t count);

/** Take one, in the order of asking, once there is one.
 *  @param semaphore [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_semaphore_acquire(comity_sched_semaphore* semaphore);

/** Put one back.
 *  @param semaphore [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_semaphore_release(comity_sched_semaphore* semaphore);

/** Where a number of members meet, again and again. Since: 0.1. */
typedef struct comity_sched_barrier {
  uint64_t place[48]; /**< of the library */
} comity_sched_barrier;

/** Begin a barrier.
 *  @param barrier [object, out] whatever it was.   @param members [count] 1 or more.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: below 1.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_barrier_begin(comity_sched_barrier* barrier, int32_t members);

/** Wait until all members have come; then it is there for the next round.
 *  @param barrier [object, in, out].   @param last [0 or 1, out] 1 for one of them; may be null.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: yes. Collective: over the members. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_barrier_wait(comity_sched_barrier* barrier, int32_t* last);

/* --- future, word, channel ------------------------------------------------------------------------------------------ */

/** A value that comes once. Zeros: it has not come. Since: 0.1. */
typedef struct comity_sched_future {
  uint64_t place[4]; /**< of the library */
} comity_sched_future;

/** Give the value. The future may be gone when a waiter has it.
 *  @param future [object, in, out].   @param value [value] a number, or a pointer as one.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: it has one.
 *  Call from: any thread, one at a time. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_future_set(comity_sched_future* future, uint64_t value);

/** Wait for the value.
 *  @param future [object, in, out].   @param value [value, out] may be null.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread, as often as wanted. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_future_get(comity_sched_future* future, uint64_t* value);

/** Whether the value has come.
 *  @param future [object, in].   @param there [0 or 1, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_future_test(const comity_sched_future* future, int32_t* there);

/** A word that is full or empty. Zeros: empty. Since: 0.1. */
typedef struct comity_sched_word {
  uint64_t place[16]; /**< of the library */
} comity_sched_word;

/** Wait until it is full, and read it.
 *  @param word [object, in, out].   @param value [value, out].   @param empty [0 or 1] 1: it is empty afterwards.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: 001_... (Qthreads). */
COMITY_EXPORT comity_status comity_sched_word_read(comity_sched_word* word, uint64_t* value, int32_t empty);

/** Write it, and it is full.
 *  @param word [object, in, out].   @param value [value].   @param when_empty [0 or 1] 1: wait until it is empty first.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: where when_empty is 1. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 001_... (Qthreads). */
COMITY_EXPORT comity_status comity_sched_word_write(comity_sched_word* word, uint64_t value, int32_t when_empty);

/** Values that go from some to others in order, a bounded number under way. Since: 0.1. */
typedef struct comity_sched_channel {
  uint64_t place[28]; /**< of the library */
} comity_sched_channel;

/** Begin a channel.
 *  @param channel [object, out] whatever it was.   @param memory [bytes, out] value_bytes x capacity, used until the end.
 *  @param value_bytes [bytes] of a value, 1 or more.   @param capacity [values] 1 or more.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: a number below 1.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: the caller keeps the memory. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_channel_begin(comity_sched_channel* channel, void* memory, size_t value_bytes,
                                                       size_t capacity);

/** Send a value, once there is room.
 *  @param channel [object, in, out].   @param value [bytes, in] copied.   @param open [0 or 1, out] 0: the channel is closed,
 *  and the value was not sent.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_channel_send(comity_sched_channel* channel, const void* value, int32_t* open);

/** Receive a value, once there is one.
 *  @param channel [object, in, out].   @param value [bytes, out].   @param open [0 or 1, out] 0: the channel is closed and
 *  empty, and nothing was received.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_channel_receive(comity_sched_channel* channel, void* value, int32_t* open);

/** Close a channel: nothing more is sent, and who waits goes on.
 *  @param channel [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_channel_close(comity_sched_channel* channel);

#ifdef __cplusplus
}
#endif
#endif
