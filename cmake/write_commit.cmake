# Writes OUT, a header that says which commit the kernels of SOURCE are from: FENESTRA_COMMIT, with a
# '+' where the working tree differs, "unknown" without git. Run by every build, since a commit needs
# no new configuration; the file is touched only when it changes.
execute_process(COMMAND git log -1 --format=%h -- kernels :!kernels/dispatch/windows
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git status --porcelain -- kernels :!kernels/dispatch/windows
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changed ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
elseif(changed)
  string(APPEND commit +)
endif()
set(text "#pragma once\n#define FENESTRA_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
