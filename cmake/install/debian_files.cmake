# SPDX-License-Identifier: BSD-3-Clause
# What Debian wants in a package and nobody wants in /usr/local: CPack runs this between installing and packing.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  set(doc ${share}/doc/${package})
  file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
  file(REMOVE ${doc}/LICENSE)  # Debian's name for it is copyright
  file(WRITE ${doc}/copyright "${license}")
  file(WRITE ${doc}/changelog.Debian "comity (${version}) unstable; urgency=medium

  * Packaged from the sources; CHANGELOG.md there says what changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${doc}/changelog.Debian)
  file(GLOB pages ${share}/man/man*/*.[0-9])
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
endforeach()
