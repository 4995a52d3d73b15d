// SPDX-License-Identifier: BSD-3-Clause
// Blocking messages as their nonblocking forms and a wait that gives the core away, for libraries that do not call back from
// their own waits (library_messages is for the others). Whoever hands a message over, asks for one, or has received one
// rings the other side, which may sleep until then.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <tuple>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/library/error_handlers.hpp"
#include "interpose/handles.hpp"
#include "interpose/requests/type_size.hpp"
#include "interpose/status.hpp"

namespace comity::coop {
namespace {

MPI_Errhandler handler_of(MPI_Comm communicator) {
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (real::MPI_Comm_get_errhandler(communicator, &handler) != MPI_SUCCESS) return MPI_ERRORS_ARE_FATAL;
  const MPI_Errhandler found = handler;
  if (handler != MPI_ERRORS_ARE_FATAL) real::MPI_Errhandler_free(&handler);
  return found;
}

// MPICH hands an error of a completion to the handler of MPI_COMM_WORLD, whichever communicator the message was on. Where
// that of the communicator is another one, or any but the one that ends the job, what is too large for its buffer is left to the blocking call.
bool errors_have_another_handler(MPI_Comm communicator) {
  if (!handlers_were_set() || communicator == interpose::handles().no_communicator) return false;
  const MPI_Errhandler own = handler_of(communicator);
  return own != MPI_ERRORS_ARE_FATAL || handler_of(interpose::handles().world) != own;
}

// Not one with places of its own, which may be anywhere from address 0 on.
bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  const int code = real::MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED;
}

// What the library refuses it refuses before anything has come, or gone.
template <class Count>
bool is_refused(const void* buffer, Count count, MPI_Datatype type) {
  if (count < 0 || type == interpose::handles().no_type) return true;
  return buffer == nullptr && count > 0 && is_named(type);
}

// What the library says of a receive before it looks for a message, and tells its handlers, once: the same from nobody is over at once.
class Judged {
 public:
  // receive(status): that call.
  template <class Call>
  explicit Judged(const Call& receive) {
    status_.MPI_SOURCE = kUntold;
    code_ = receive(&status_);
  }
  [[nodiscard]] bool is_refused() const { return code_ != MPI_SUCCESS || status_.MPI_SOURCE == kUntold; }
  [[nodiscard]] int code() const { return code_; }

 private:
  MPI_Status status_{};
  int code_ = MPI_SUCCESS;
};

template <auto kReal>
int set_handler(MPI_Comm communicator, MPI_Errhandler handler) {
  note_handlers_were_set();
  return kReal(communicator, handler);
}

template <auto kBlocking, auto kStart>
struct Send;
template <class Count, int (*kBlocking)(const void*, Count, MPI_Datatype, int, int, MPI_Comm), auto kStart>
struct Send<kBlocking, kStart> {
  static int call(const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
    Cooperation* const here = at_work();
    if (here == nullptr) return kBlocking(buffer, count, type, to, tag, communicator);
    MPI_Request request = no_request();
    const int code = kStart(buffer, count, type, to, tag, communicator, &request);
    if (!has_started(code, request)) return code;
    tell(*here, communicator, to);
    const CopiesOfCall copies(count, type);
    return finish(*here, request, MPI_STATUS_IGNORE);
  }
};

template <auto kBlocking, auto kStart>
struct Receive;
template <class Count, int (*kBlocking)(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*), auto kStart>
struct Receive<kBlocking, kStart> {
  static int call(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                  MPI_Status* status) {
    Cooperation* const here = at_work();
    // Nobody is not waited for, and MPICH's request would not say that it was nobody.
    if (here == nullptr || from == MPI_PROC_NULL || is_refused(buffer, count, type))
      return kBlocking(buffer, count, type, from, tag, communicator, status);
    if (errors_have_another_handler(communicator)) {
      const Judged judged([&](MPI_Status* nobodys) {
        return kBlocking(buffer, count, type, MPI_PROC_NULL, tag, communicator, nobodys);
      });
      if (judged.is_refused()) return judged.code();
      MPI_Status found{};
      found.MPI_SOURCE = kUntold;
      const int code =
          wait_for(*here, [&](int* over) { return real::MPI_Iprobe(from, tag, communicator, over, &found); });
      if (code != MPI_SUCCESS || found.MPI_SOURCE == kUntold) return code;
      if (interpose::received_bytes(found) > static_cast<std::uint64_t>(count) * interpose::size_of(type)) {
        return kBlocking(buffer, count, type, found.MPI_SOURCE, found.MPI_TAG, communicator, status);
      }
    }
    MPI_Request request = no_request();
    int code = kStart(buffer, count, type, from, tag, communicator, &request);
    if (!has_started(code, request)) return code;
    tell(*here, communicator, from, News::receipt);
    const CopiesOfCall copies(count, type);
    MPI_Status own;
    MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
    code = finish(*here, request, told, Hears::messages);
    here->peers.ring(here->peer(communicator, told->MPI_SOURCE), News::receipt);
    return code;
  }
};

template <auto kBlocking, auto kSend, auto kBlockingReceive, auto kReceive>
struct Exchange;
template <class Count,
          int (*kBlocking)(const void*, Count, MPI_Datatype, int, int, void*, Count, MPI_Datatype, int, int, MPI_Comm,
                           MPI_Status*),
          auto kSend, auto kBlockingReceive, auto kReceive>
struct Exchange<kBlocking, kSend, kBlockingReceive, kReceive> {
  static int call(const void* out, Count out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                  Count in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm communicator,
                  MPI_Status* status) {
    Cooperation* const here = at_work();
    if (here == nullptr || is_refused(out, out_count, out_type) || is_refused(in, in_count, in_type)) {
      return kBlocking(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, communicator,
                       status);
    }
    MPI_Request receive = no_request();
    MPI_Request send = no_request();
    if (from == MPI_PROC_NULL || errors_have_another_handler(communicator)) {
      const Judged judged([&](MPI_Status* nobodys) {
        return kBlocking(out, out_count, out_type, MPI_PROC_NULL, out_tag, in, in_count, in_type, MPI_PROC_NULL, in_tag,
                         communicator, nobodys);
      });
      if (judged.is_refused()) return judged.code();
      const int code = kSend(out, out_count, out_type, to, out_tag, communicator, &send);
      if (!has_started(code, send)) return code;
      tell(*here, communicator, to);
      const int received =
          Receive<kBlockingReceive, kReceive>::call(in, in_count, in_type, from, in_tag, communicator, status);
      const int sent = finish(*here, send, MPI_STATUS_IGNORE);
      return received == MPI_SUCCESS ? sent : received;
    }
    int code = kReceive(in, in_count, in_type, from, in_tag, communicator, &receive);
    if (!has_started(code, receive)) return code;
    code = kSend(out, out_count, out_type, to, out_tag, communicator, &send);
    if (!has_started(code, send)) return give_up(receive, code);
    tell(*here, communicator, to);
    tell(*here, communicator, from, News::receipt);
    const CopiesOfCall copies_out(out_count, out_type);
    const CopiesOfCall copies_in(in_count, in_type);
    MPI_Status own;
    MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
    code = finish(*here, receive, told);
    const int sent = finish(*here, send, MPI_STATUS_IGNORE);
    here->peers.ring(here->peer(communicator, told->MPI_SOURCE), News::receipt);
    return code == MPI_SUCCESS ? sent : code;
  }

 private:
  static int give_up(MPI_Request& receive, int code) {
    real::MPI_Cancel(&receive);
    real::MPI_Request_free(&receive);
    return code;
  }
};

// MPICH packs nothing from MPI_BOTTOM: so from a place of ours, from whose address such a type goes back to 0.
class FromBottom {
 public:
  FromBottom(int count, MPI_Datatype type) {
    MPI_Aint there = 0;
    if (real::MPI_Get_address(&place_, &there) != MPI_SUCCESS) return;
    there = -there;
    is_made_ = real::MPI_Type_create_hindexed(1, &count, &there, type, &type_) == MPI_SUCCESS &&
               real::MPI_Type_commit(&type_) == MPI_SUCCESS;
  }
  ~FromBottom() {
    if (type_ != interpose::handles().no_type) real::MPI_Type_free(&type_);
  }
  FromBottom(const FromBottom&) = delete;
  FromBottom& operator=(const FromBottom&) = delete;

  // pack(buffer, count, type): that call.
  template <class Pack>
  [[nodiscard]] bool is_packed(const Pack& pack) const {
    return is_made_ && pack(&place_, 1, type_) == MPI_SUCCESS;
  }

 private:
  char place_ = 0;
  MPI_Datatype type_ = interpose::handles().no_type;
  bool is_made_ = false;
};

// Whether it is what the library's own call would send. Not from nowhere at all, which that refuses.
template <class Count, class Pack>
bool is_packed(const void* buffer, Count count, MPI_Datatype type, const Pack& pack) {
  if (buffer != MPI_BOTTOM || count == 0) return pack(buffer, count, type) == MPI_SUCCESS;
  if (is_named(type) || count > std::numeric_limits<int>::max()) return false;
  return FromBottom(static_cast<int>(count), type).is_packed(pack);
}

// What goes out is packed first: a message that was sent packed may be received as any type.
template <auto kReal, auto kPackSize, auto kPack, class Apart>
struct ExchangeInPlace;
template <class Count, int (*kReal)(void*, Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*),
          auto kPackSize, auto kPack, class Apart>
struct ExchangeInPlace<kReal, kPackSize, kPack, Apart> {
  static int call(void* buffer, Count count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                  MPI_Comm communicator, MPI_Status* status) {
    const auto as_it_is = [&] { return kReal(buffer, count, type, to, out_tag, from, in_tag, communicator, status); };
    Count bytes = 0;
    // What the library refuses it shall tell once.
    if (count < 0 || type == interpose::handles().no_type) return as_it_is();
    if (at_work() == nullptr || kPackSize(count, type, communicator, &bytes) != MPI_SUCCESS) return as_it_is();
    const std::unique_ptr<std::byte[]> packed(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes) + 1]);
    Count used = 0;
    const auto pack = [&](const void* first, Count many, MPI_Datatype as) {
      return kPack(first, many, as, packed.get(), bytes, &used, communicator);
    };
    if (!packed || !is_packed(buffer, count, type, pack)) return as_it_is();
    const int code = Apart::call(packed.get(), used, interpose::handles().packed, to, out_tag, buffer, count, type,
                                 from, in_tag, communicator, status);
    if (code == MPI_SUCCESS && status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;  // as in the library's own
    return code;
  }
};

using SendAndReceive = Exchange<real::MPI_Sendrecv, real::MPI_Isend, real::MPI_Recv, real::MPI_Irecv>;
#if MPI_VERSION >= 4
using LargeSendAndReceive = Exchange<real::MPI_Sendrecv_c, real::MPI_Isend_c, real::MPI_Recv_c, real::MPI_Irecv_c>;
#endif

int probe(int from, int tag, MPI_Comm communicator, MPI_Status* status) {
  Cooperation* const here = at_work();
  if (here == nullptr) return real::MPI_Probe(from, tag, communicator, status);
  return wait_for(
      *here, [&](int* over) { return real::MPI_Iprobe(from, tag, communicator, over, status); }, Hears::messages);
}

int matched_probe(int from, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) {
  Cooperation* const here = at_work();
  if (here == nullptr) return real::MPI_Mprobe(from, tag, communicator, message, status);
  return wait_for(
      *here, [&](int* over) { return real::MPI_Improbe(from, tag, communicator, over, message, status); },
      Hears::messages);
}

template <auto kBlocking, auto kStart>
struct MatchedReceive;
template <class Count, int (*kBlocking)(void*, Count, MPI_Datatype, MPI_Message*, MPI_Status*), auto kStart>
struct MatchedReceive<kBlocking, kStart> {
  static int call(void* buffer, Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    Cooperation* const here = at_work();
    if (here == nullptr) return kBlocking(buffer, count, type, message, status);
    MPI_Request request = no_request();
    const int code = kStart(buffer, count, type, message, &request);
    if (!has_started(code, request)) return code;
    tell_everybody(*here, News::receipt);  // its communicator is not told
    const int end = finish(*here, request, status);
    here->peers.ring_those_owed();
    return end;
  }
};

template <auto kBlocking, auto kStart>
constexpr auto* kSend = &Send<kBlocking, kStart>::call;
template <auto kBlocking, auto kStart>
constexpr auto* kReceive = &Receive<kBlocking, kStart>::call;

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    named("MPI_Send", kSend<real::MPI_Send, real::MPI_Isend>),
        named("MPI_Ssend", kSend<real::MPI_Ssend, real::MPI_Issend>),
        named("MPI_Rsend", kSend<real::MPI_Rsend, real::MPI_Irsend>),
        named("MPI_Recv", kReceive<real::MPI_Recv, real::MPI_Irecv>), named("MPI_Sendrecv", &SendAndReceive::call),
        named("MPI_Sendrecv_replace",
              &ExchangeInPlace<real::MPI_Sendrecv_replace, real::MPI_Pack_size, real::MPI_Pack, SendAndReceive>::call),
        named("MPI_Comm_set_errhandler", set_handler<real::MPI_Comm_set_errhandler>),
        named("MPI_Errhandler_set", set_handler<real::MPI_Errhandler_set>), named("MPI_Probe", probe),
        named("MPI_Mprobe", matched_probe),
        named("MPI_Mrecv", &MatchedReceive<real::MPI_Mrecv, real::MPI_Imrecv>::call),
#if MPI_VERSION >= 4
        named("MPI_Send_c", kSend<real::MPI_Send_c, real::MPI_Isend_c>),
        named("MPI_Ssend_c", kSend<real::MPI_Ssend_c, real::MPI_Issend_c>),
        named("MPI_Rsend_c", kSend<real::MPI_Rsend_c, real::MPI_Irsend_c>),
        named("MPI_Recv_c", kReceive<real::MPI_Recv_c, real::MPI_Irecv_c>),
        named("MPI_Sendrecv_c", &LargeSendAndReceive::call),
        named("MPI_Sendrecv_replace_c", &ExchangeInPlace<real::MPI_Sendrecv_replace_c, real::MPI_Pack_size_c,
                                                         real::MPI_Pack_c, LargeSendAndReceive>::call),
        named("MPI_Mrecv_c", &MatchedReceive<real::MPI_Mrecv_c, real::MPI_Imrecv_c>::call),
#endif
  });
  return all;
}

}  // namespace

Replaced replacement_of_message(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
