#include "craton/model/row_work.h"

#include "craton/text/count.h"

namespace craton {

RowWork::RowWork(Index doubles)
    : doubles_(usize(doubles + kBoundary)), texts_(std::make_unique<TextWork>()) {}
RowWork::RowWork(RowWork&&) noexcept = default;
RowWork& RowWork::operator=(RowWork&&) noexcept = default;
RowWork::~RowWork() = default;

}  // namespace craton
