#pragma once
#include "craton/report/pages/page.h"
#include "craton/report/pages/sections.h"

// Reports to hand on: of a fitted model and rows that it is shown.

namespace craton {

// requires rows that the model takes; their labels or numbers, if they have any, are the truth.
Page report_model(const Fitted& fitted, Source& x, const ReportFiles& files, const Exec& exec);

}  // namespace craton
