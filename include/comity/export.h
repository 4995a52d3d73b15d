/* SPDX-License-Identifier: BSD-3-Clause */
/* The export mark: everything else in the libraries is hidden. */
#ifndef COMITY_EXPORT_H
#define COMITY_EXPORT_H

#if defined(__GNUC__)
#define COMITY_EXPORT __attribute__((visibility("default")))
#else
#define COMITY_EXPORT
#endif

#endif
