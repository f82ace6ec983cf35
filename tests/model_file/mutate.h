#pragma once
#include "craton/base/random.h"
#include "tests/model_file/raw_file.h"

namespace craton::model_file {

// One of some forty ways to make a model file wrong, or nearly so, with every hash right again;
// sometimes two or three of them at once. Most put a number in the place of another, in what was
// learned, what is remembered of the rows, or an option. The digest is made right too whenever a
// model can be made of the parameters at all, so that nothing but their sense is left to judge.
Bytes mutant(const Contents& sound, Random& random);

}  // namespace craton::model_file
