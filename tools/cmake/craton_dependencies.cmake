# What has to be installed to build what was asked for. All that is missing is named at once, each with the Debian
# package that has it (tools/setup installs them); tests/install/missing_test.sh holds the two lists together.

# craton_require(name package PACKAGE cmake_package), or LIBRARY file, or HEADER path [folder that it may lie in]: sets
# CRATON_<name>_LIBRARY or CRATON_<name>_INCLUDE.
function(craton_require name package kind what)
  if(kind STREQUAL PACKAGE)
    find_package(${what} QUIET)
    set(found ${${what}_FOUND})
  elseif(kind STREQUAL LIBRARY)
    find_library(CRATON_${name}_LIBRARY ${what})
    set(found ${CRATON_${name}_LIBRARY})
  else()
    find_path(CRATON_${name}_INCLUDE ${what} PATH_SUFFIXES ${ARGN})
    set(found ${CRATON_${name}_INCLUDE})
  endif()
  if(NOT found)
    set_property(GLOBAL APPEND PROPERTY craton_missing "${name} was not found: apt-get install ${package}")
  endif()
endfunction()

craton_require(fmt libfmt-dev PACKAGE fmt)
craton_require(zlib zlib1g-dev PACKAGE ZLIB)
if(CRATON_THREADS STREQUAL tbb)
  craton_require(tbb libtbb-dev PACKAGE TBB)
endif()
craton_require(libhwy libhwy-dev LIBRARY hwy)
craton_require(libzstd libzstd-dev LIBRARY zstd)  # Debian has no CMake package of it
craton_require(libutf8proc libutf8proc-dev LIBRARY utf8proc)
craton_require(libstemmer libstemmer-dev LIBRARY stemmer)
craton_require(eigen libeigen3-dev HEADER Eigen/Core eigen3)
craton_require(boost libboost-math-dev HEADER boost/math/special_functions/gamma.hpp)
craton_require(random123 librandom123-dev HEADER Random123/philox.h)
craton_require(fast_float libfast-float-dev HEADER fast_float/fast_float.h)
craton_require(json nlohmann-json3-dev HEADER nlohmann/json.hpp)
craton_require(xxhash libxxhash-dev HEADER xxhash.h)
if(CRATON_BUILD_CLI)
  craton_require(cli11 libcli11-dev HEADER CLI/CLI.hpp)
endif()
if(CRATON_BUILD_TESTS)
  craton_require(doctest doctest-dev HEADER doctest/doctest.h)
endif()
find_package(Threads REQUIRED)  # a part of the C library
if(CRATON_BUILD_PYTHON)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
  if(NOT Python_FOUND)
    set_property(GLOBAL APPEND PROPERTY craton_missing
                                        "Python's headers were not found: apt-get install python3-dev")
  endif()
endif()

get_property(missing GLOBAL PROPERTY craton_missing)
if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "\n  ${missing}\n  (tools/setup installs all that craton needs; other systems than Debian "
                      "have packages of like names)")
endif()
