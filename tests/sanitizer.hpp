// SPDX-License-Identifier: BSD-3-Clause
// Whether a sanitizer looks at every access of this build: what is done a million times elsewhere is done less often then.
#pragma once

namespace comity::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC, of which not every version has __has_feature
#define COMITY_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COMITY_HAS_SANITIZER 1
#endif
#endif
#ifdef COMITY_HAS_SANITIZER
inline constexpr bool kHasSanitizer = true;
#else
inline constexpr bool kHasSanitizer = false;
#endif

}  // namespace comity::testing
