# Which generated window headers (all.h and one a board) the dispatcher is built with. Sources name
# them "kernels/dispatch/windows/..."; the build reads copies, so that pointing it at another folder
# rebuilds what includes a header that differs, and nothing else. Targets that include them link
# fenestra_windows before all others: its copies are then found before the headers in the tree.
set(FENESTRA_WINDOWS_DIR ${PROJECT_SOURCE_DIR}/kernels/dispatch/windows CACHE PATH
    "Folder of the generated window headers, as `fenestra export --out` writes it")
if(NOT EXISTS ${FENESTRA_WINDOWS_DIR}/all.h)
  message(FATAL_ERROR "FENESTRA_WINDOWS_DIR: no all.h in '${FENESTRA_WINDOWS_DIR}': name a folder "
                      "that `fenestra export --out` wrote, by its absolute path")
endif()

set(windows_root ${PROJECT_BINARY_DIR}/windows)
set(windows_copies ${windows_root}/kernels/dispatch/windows)
file(GLOB headers RELATIVE ${FENESTRA_WINDOWS_DIR} CONFIGURE_DEPENDS ${FENESTRA_WINDOWS_DIR}/*.h)
file(GLOB copies RELATIVE ${windows_copies} ${windows_copies}/*.h)
foreach(header IN LISTS headers)
  configure_file(${FENESTRA_WINDOWS_DIR}/${header} ${windows_copies}/${header} COPYONLY)
endforeach()
foreach(copy IN LISTS copies)
  if(NOT copy IN_LIST headers)
    file(REMOVE ${windows_copies}/${copy})
  endif()
endforeach()
add_library(fenestra_windows INTERFACE)
target_include_directories(fenestra_windows INTERFACE ${windows_root})
