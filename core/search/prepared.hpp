// A problem made ready for the search of its root, whatever is searched for.
#pragma once

#include "kernels/dispatch.hpp"
#include "leaves/leaf_models.hpp"
#include "search/level.hpp"

namespace streed {

class PreparedSearch {
public:
    PreparedSearch(const Problem& problem, const Options& options)
        : problem_(problem),
          options_(options),
          kernels_(select_kernels(options.simd)),
          reduced_(reduce(problem, preprocessing(problem, options))),
          search_(problem, reduced_, options, kernels_, started_) {}

protected:
    const run::Clock::time_point started_ = run::Clock::now();  // the time limit covers the preprocessing
    const Problem& problem_;
    const Options& options_;
    const Kernels& kernels_;
    ReducedProblem reduced_;
    Search search_;
    Level root_;
};

}  // namespace streed
