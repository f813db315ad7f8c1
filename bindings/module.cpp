// The native module: translates between NumPy and the engine, decides nothing.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "front.hpp"
#include "many.hpp"
#include "one_value.hpp"
#include "options.hpp"
#include "priced.hpp"
#include "result.hpp"
#include "search/depths.hpp"
#include "shared_root.hpp"
#include "sizes/sizes.hpp"
#include "subproblems.hpp"
#include "thresholds.hpp"
#include "tree.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

nb::dict sizes_dict(const streed::SizesResult& result) {
    nb::list trees, bounds;
    for (const streed::SizedTree& each : result.trees)
        trees.append(tree_dict(each.tree, each.objective, each.magnitude));
    for (const double bound : result.lower_bound) bounds.append(bound);
    nb::dict out;
    out["trees"] = trees;
    out["lower_bounds"] = bounds;
    set_end(out, result, kOneValueStatistics);
    return out;
}

// What a binding does with a checked problem: search one tree, or one for every number of branching nodes.
using Run = nb::dict (*)(const streed::Problem&, streed::Options&, const nb::object&);

nb::dict run_sizes(const streed::Problem& problem, streed::Options& options, const nb::object& callback) {
    if (options.max_nodes > streed::kMostSizes || problem.maximum)
        refuse("sizes are searched up to " + text(streed::kMostSizes) + " nodes, for sums of costs; got " +
               text(options.max_nodes) + " nodes" + (problem.maximum ? " and a maximum" : ""));
    return sizes_dict(run_polled(options, callback, [&] { return streed::solve_sizes(problem, options); }));
}

nb::dict run_one(const streed::Problem& problem, streed::Options& options, const nb::object& callback) {
    streed::DepthProofs proofs;
    nb::dict out = result_dict(
        run_polled(options, callback, [&] { return streed::solve(problem, options, proofs); }),
        kOneValueStatistics);
    nb::list depths;
    for (const streed::DepthProof& each : proofs)
        depths.append(nb::make_tuple(each.depth, each.bound, each.attained));
    out["depths"] = depths;
    return out;
}

template <Run run>
nb::dict solve(GivenProblem given) {
    return given->guarded([&] { return run(given->problem, given->options, given->poll); });
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const SwitchName& entry : kSwitches) names.emplace_back(entry.name);
    return names;
}

}  // namespace

NB_MODULE(_core, module) {
    nb::exception<streed::TaskFailure>(module, "TaskFailure", PyExc_RuntimeError);
    register_one_value<solve<run_one>>(module);
    nb::module_ sizes = module.def_submodule("sizes",
                                             "The best tree of every size; functions as in the module.");
    sizes.attr("TaskFailure") = module.attr("TaskFailure");
    register_one_value<solve<run_sizes>>(sizes);
    register_front(module);
    register_many(module);
    register_priced(module);
    register_shared_root(module);
    register_subproblems(module);
    register_thresholds(module);
    register_tree(module);
    module.def("simd_levels", &streed::simd_levels);
    module.def("options", &options_table);
    module.def("switch_names", &switch_names);
}
