// SPDX-License-Identifier: BSD-3-Clause
// Pushes and pops, which change where this process runs.
#include <cstdint>
#include <new>
#include <vector>

#include "compat/quo/codes.hpp"
#include "compat/quo/context.hpp"

namespace {

using namespace comity::quo;

// The lowest object that my binding touches, or the code of a failure that is told.
int find_touched(const char* call, QUO_context q, comity_type kind, std::int32_t& index) {
  std::int32_t count = 0;
  comity_status status = comity_context_count(q->context, kind, &count);
  if (status != COMITY_OK) return answer(call, status);
  std::vector<std::int32_t> touched;
  do {  // again where the cgroup has come to allow more meanwhile
    touched.resize(static_cast<std::size_t>(count));
    status = comity_context_touched(q->context, kind, touched.data(), count, &count);
  } while (status == COMITY_ERR_RANGE);
  if (status != COMITY_OK) return answer(call, status);
  if (count == 0) return decline(call, QUO_ERR_NOT_FOUND, "the binding of this process touches no object of that type");
  index = touched.front();
  return QUO_SUCCESS;
}

int find_object(const char* call, QUO_context q, QUO_bind_push_policy_t policy, comity_type kind, std::int32_t& index) {
  if (policy == QUO_BIND_PUSH_OBJ) return find_touched(call, q, kind, index);
  comity_cpuset object{};
  std::int32_t pus = 0;
  comity_status status = comity_context_cpuset(q->context, kind, index, &object);
  if (status == COMITY_OK) status = comity_cpuset_count(&object, &pus);
  if (status != COMITY_OK) return answer_index(call, status);
  if (pus == 0) return decline(call, QUO_ERR_NOT_SUPPORTED, "that object has no CPUs to bind to");
  return QUO_SUCCESS;
}

int push(const char* call, QUO_context q, QUO_bind_push_policy_t policy, QUO_obj_type_t type, std::int32_t index) {
  if (policy != QUO_BIND_PUSH_PROVIDED && policy != QUO_BIND_PUSH_OBJ) {
    return fail(call, QUO_ERR_INVLD_ARG, "no such policy; give QUO_BIND_PUSH_PROVIDED or QUO_BIND_PUSH_OBJ");
  }
  comity_type kind{};
  if (!find_type(call, type, kind)) return QUO_ERR_INVLD_ARG;
  const int found = find_object(call, q, policy, kind, index);
  if (found != QUO_SUCCESS) return found;
  std::int32_t depth = 0;
  const comity_status status = comity_context_depth(q->context, &depth);
  if (status != COMITY_OK) return answer(call, status);
  if (depth >= kMostPushes) return decline(call, QUO_ERR_OOR, "127 pushes of this context are open; pop some first");
  return answer_binding(call, comity_context_push(q->context, kind, index));
}

// Then a pop that fails stands across the push of another context, which libquo would have allowed: that is told.
bool has_pushed(QUO_context q) {
  std::int32_t depth = 0;
  return comity_context_depth(q->context, &depth) == COMITY_OK && depth > 0;
}

}  // namespace

int QUO_bind_push(QUO_context q, QUO_bind_push_policy_t policy, QUO_obj_type_t type, int obj_index) {
  constexpr const char* kCall = "QUO_bind_push";
  if (q == nullptr) return decline(kCall, QUO_ERR_INVLD_ARG, "the context is null");
  try {
    return push(kCall, q, policy, type, obj_index);
  } catch (const std::bad_alloc&) {
    return fail(kCall, QUO_ERR_OOR, "out of memory; nothing has changed");
  }
}

int QUO_bind_pop(QUO_context q) {
  constexpr const char* kCall = "QUO_bind_pop";
  if (q == nullptr) return decline(kCall, QUO_ERR_INVLD_ARG, "the context is null");
  const comity_status status = comity_context_pop(q->context);
  if (status == COMITY_ERR_ORDER && has_pushed(q)) return fail(kCall, QUO_ERR_POP, comity_last_error());
  const int code = answer_binding(kCall, status);
  comity_cpuset mine{};  // looked at, so that the peers see where all threads are
  if (code == QUO_SUCCESS) (void)comity_context_binding(q->context, &mine);
  return code;
}
