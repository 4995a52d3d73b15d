// SPDX-License-Identifier: BSD-3-Clause
#include "os/symbol.hpp"

#include <dlfcn.h>

namespace comity::os {

void* find_symbol(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace comity::os
