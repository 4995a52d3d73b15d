#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fortran_test.sh PROGRAM: a rank of the Fortran program. With LIBQUO=PATH it judges that library and the libquo-usequo beside
# it, which take the place of those that it was linked with; 77 where there is none beside it.
[ -n "$LIBQUO" ] || exec "$1"
module=$(dirname "$LIBQUO")/libquo-usequo.so.8
[ -e "$module" ] || { echo "NOT TESTED: there is no Fortran module of $LIBQUO, which would be $module"; exit 77; }
exec env LD_PRELOAD="$LIBQUO:$module${LD_PRELOAD:+:$LD_PRELOAD}" "$1"
