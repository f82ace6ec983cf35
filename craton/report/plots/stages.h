#pragma once
#include "craton/report/plots/fit_plot.h"

namespace craton {

// The fit after each of so many updates, from one and the same start, and the objective on the way,
// side by side, as SVG. Nothing follows the stage where it converged. requires updates that ascend;
// InputError (kNotAble) for a model that is not fitted in steps.
std::string plot_stages(const ModelInfo& info, std::span<const NamedOption> options, Source& x,
                        std::span<const Index> updates, const PlotColumns& columns,
                        const Exec& exec);

}  // namespace craton
