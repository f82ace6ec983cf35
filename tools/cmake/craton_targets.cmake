# What every target of this project shares, and how one folder becomes part of the library.

# Language level, warnings and floating-point rules. Fused multiply-add is written out where it is
# meant, so that the compiler's choice never changes a result.
add_library(craton_compile_options INTERFACE)
set(CMAKE_CXX_EXTENSIONS OFF)
target_compile_features(craton_compile_options INTERFACE cxx_std_20)
target_compile_options(
  craton_compile_options
  INTERFACE -ffp-contract=off
            -fvisibility=hidden
            -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            $<$<BOOL:${CRATON_WERROR}>:-Werror>)
target_compile_definitions(craton_compile_options INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)

# craton_batches(target sources...) compiles sources in batches of CRATON_BATCH, none of which spans two
# folders; this takes a quarter of the time of all of them one by one. Not those that Highway compiles once for each
# target, which include themselves, nor those that tell Boost and Eigen what to do. A precompiled header saves nothing
# beside this: GCC takes as long to load one of the standard library as a batch does to read those headers once.
set(CRATON_BATCH 24)
function(craton_batches target)
  if(NOT CRATON_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class of a source may hold what its anonymous namespace has; in a batch that looks like a header's.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} alone LIMIT_COUNT 1 REGEX "define (HWY_TARGET_INCLUDE|BOOST_|eigen_)")
    if(NOT alone)
      get_filename_component(folder ${source} DIRECTORY)
      get_filename_component(folder "${folder}" NAME)
      math(EXPR batch "0${number_${folder}} / ${CRATON_BATCH}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${batch})
      math(EXPR number_${folder} "0${number_${folder}} + 1")
    endif()
  endforeach()
endfunction()

# craton_folder(io) adds io/*.cc, and those of folders in it, to the library and collects *_test.cc for the test binary.
function(craton_folder name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${name}/*_test.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  target_sources(craton PRIVATE ${sources})
  craton_batches(craton ${sources})
  set_property(GLOBAL PROPERTY craton_tests_${name} "${tests}")
  set_property(GLOBAL APPEND PROPERTY craton_folders ${name})
endfunction()

# craton_program(name sources...) makes a program that tests the library. Its own loops are short, compiling them is
# not: half of the time that -O1 takes is saved, and the sanitizers, whose frames grow without it, keep -O1.
function(craton_program name)
  add_executable(${name} ${ARGN})
  craton_batches(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE craton craton_compile_options fmt::fmt)
  target_compile_options(${name} PRIVATE $<IF:$<CONFIG:Release>,-O0,-O1>)
  target_compile_definitions(${name} PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# craton_test(name sources...) makes one doctest binary and tells ctest.
function(craton_test name)
  craton_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE craton_test_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
