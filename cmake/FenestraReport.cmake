# The page that `fenestra report` fills: its template, style and script in export/report/, and the
# library that draws the charts, all compiled in, so that a report needs no file and no network.
# Without the library the build is the same but for that command, which then says so.
find_file(FENESTRA_CHART_JS chart.min.js
          PATHS /usr/share/javascript/chart.js
          DOC "Chart.js 3.9, the build for browsers: Debian's libjs-chart.js"
          NO_CMAKE_FIND_ROOT_PATH)
find_file(FENESTRA_CHART_LICENSE copyright
          PATHS /usr/share/doc/libjs-chart.js
          DOC "License text of the library in FENESTRA_CHART_JS"
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(FENESTRA_CHART_JS FENESTRA_CHART_LICENSE)

# The hash by which a content security policy admits an inline script or style: the SHA-256 of the
# text in base 64. CMake knows only the hexadecimal form.
function(fenestra_policy_hash text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  string(APPEND hex 00)  # 33 bytes are 11 groups; the last digit of the last becomes the padding
  set(base64 "")
  foreach(group RANGE 10)
    math(EXPR start "6 * ${group}")
    string(SUBSTRING ${hex} ${start} 6 bytes)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${bytes} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${result} "'sha256-${base64}='" PARENT_SCOPE)
endfunction()

# fenestra_report_page(SOURCE_FOLDER OUTPUT): writes the header that holds the page.
function(fenestra_report_page source output)
  set(scripts data.js table.js axes.js overlay.js charts.js timeline.js sections.js page.js controls.js)
  set(files report.html report.css ${scripts})
  list(TRANSFORM files PREPEND ${source}/)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${FENESTRA_CHART_JS})
  file(READ ${source}/report.html REPORT_HTML)
  file(READ ${source}/report.css REPORT_CSS)
  set(REPORT_JS "(() => {\n'use strict';\n")
  foreach(script IN LISTS scripts)
    file(READ ${source}/${script} text)
    string(APPEND REPORT_JS "${text}")
  endforeach()
  string(APPEND REPORT_JS "})();\n")
  set(CHART_JS "")
  set(CHART_NAME "")
  set(CHART_LICENSE "")
  if(FENESTRA_CHART_JS)
    file(READ ${FENESTRA_CHART_JS} CHART_JS)
    if(CHART_JS MATCHES "^/\\*!\n \\* (Chart\\.js v3\\.[0-9.]+)\n")
      set(CHART_NAME ${CMAKE_MATCH_1})
    else()
      message(FATAL_ERROR "fenestra: ${FENESTRA_CHART_JS} is no browser build of Chart.js 3: point "
              "FENESTRA_CHART_JS to chart.min.js of Debian's libjs-chart.js")
    endif()
    if(FENESTRA_CHART_LICENSE)
      file(READ ${FENESTRA_CHART_LICENSE} CHART_LICENSE)
    endif()
    message(STATUS "fenestra: reports with ${CHART_NAME}")
  else()
    message(WARNING "fenestra: no `fenestra report` in this build: no chart.min.js. "
            "scripts/install_deps installs it (Debian: libjs-chart.js); FENESTRA_CHART_JS points to "
            "one elsewhere")
  endif()
  fenestra_policy_hash("${REPORT_CSS}" style)
  fenestra_policy_hash("${CHART_JS}" library)
  fenestra_policy_hash("${REPORT_JS}" script)
  set(REPORT_POLICY
      "default-src 'none'; style-src ${style}; script-src ${library} ${script}; img-src data:; \
base-uri 'none'; form-action 'none'")
  configure_file(${source}/report_page.h.in ${output} @ONLY)
endfunction()
