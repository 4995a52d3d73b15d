// SPDX-License-Identifier: BSD-3-Clause
// What the library asks the kernel about, which a rank may sleep on (watch): the polls and epoll_waits that do not wait, of the thread
// that has the watch. All others are the C library's, behind a look at one variable of the thread.
#pragma once

namespace comity::coop {

// False: another one stands before us, and may keep them to itself.
[[nodiscard]] bool sees_descriptors();

}  // namespace comity::coop
