// SPDX-License-Identifier: BSD-3-Clause
#include <comity/version.h>

const char* comity_version(void) { return COMITY_VERSION_STRING; }
