# SPDX-License-Identifier: BSD-3-Clause
# Writes every manual page that the command knows: cmake -DCOMMAND=build/bin/comity -DFOLDER=build/man -P this file.
execute_process(COMMAND ${COMMAND} --man OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" pages "${pages}")
file(REMOVE_RECURSE ${FOLDER})  # so that the page of a command that is gone goes with it
foreach(page IN LISTS pages)
  string(REGEX MATCH "[0-9]$" section ${page})
  file(MAKE_DIRECTORY ${FOLDER}/man${section})
  execute_process(COMMAND ${COMMAND} --man ${page} OUTPUT_FILE ${FOLDER}/man${section}/${page}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
