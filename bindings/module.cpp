// The native module: translates between NumPy and the engine, decides nothing.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int Dimensions>
using Input = nb::ndarray<const T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

struct SwitchName {
    const char* name;
    bool streed::Switches::* member;
};
constexpr SwitchName kSwitches[] = {
    {"cache", &streed::Switches::cache},
    {"similarity", &streed::Switches::similarity},
    {"merge_rows", &streed::Switches::merge_rows},
    {"drop_features", &streed::Switches::drop_features},
    {"depth_two", &streed::Switches::depth_two},
    {"lookahead_order", &streed::Switches::lookahead_order},
    {"subtraction", &streed::Switches::subtraction},
    {"narrow_lanes", &streed::Switches::narrow_lanes},
    {"deepening", &streed::Switches::deepening},
};

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void set_switches(const nb::dict& values, streed::Switches& switches) {
    for (const auto& [key, value] : values) {
        const std::string name = nb::cast<std::string>(nb::str(key));
        bool known = false;
        for (const SwitchName& entry : kSwitches) {
            if (name != entry.name) continue;
            if (!nb::isinstance<nb::bool_>(value)) throw nb::type_error(("switch '" + name + "' must be True or False").c_str());
            switches.*(entry.member) = nb::cast<bool>(value);
            known = true;
        }
        if (!known) refuse("unknown switch '" + name + "'");
    }
}

void check(const streed::Problem& problem, const streed::Options& options) {
    const auto text = [](auto value) { return std::to_string(value); };
    if (problem.n_rows == 0) refuse("features must have at least one row, got none");
    if (problem.n_rows >= (1ull << 31) || problem.n_features >= (1ull << 24)) refuse("features: more than 2^31 rows or 2^24 columns");
    if (problem.n_labels < 1 || problem.n_labels > (1 << 24)) refuse("n_labels must be from 1 to 2^24, got " + text(problem.n_labels));
    if (options.max_depth < 0 || options.max_depth > 20) refuse("max_depth must be from 0 to 20, got " + text(options.max_depth));
    if (options.max_nodes < 0) refuse("max_nodes must not be negative, got " + text(options.max_nodes));
    if (options.min_samples_leaf < 1) refuse("min_samples_leaf must be at least 1, got " + text(options.min_samples_leaf));
    if (!std::isfinite(options.branch_cost) || options.branch_cost < 0) refuse("branch_cost must be finite and not negative, got " + text(options.branch_cost));
    if (!(options.time_limit > 0)) refuse("time_limit must be positive, got " + text(options.time_limit));
    if (options.n_threads < 1 || options.n_threads > 1024) refuse("n_threads must be from 1 to 1024, got " + text(options.n_threads));
    for (std::size_t k = 0; k < problem.n_rows * problem.n_features; ++k)
        if (problem.features[k] > 1) refuse("features must be 0 or 1, got " + text(problem.features[k]) + " in row " + text(k / problem.n_features) + ", column " + text(k % problem.n_features));
    double total = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        total += problem.weights[r];
        if (problem.labels[r] < 0 || problem.labels[r] >= problem.n_labels) refuse("labels must be from 0 to " + text(problem.n_labels - 1) + ", got " + text(problem.labels[r]) + " in row " + text(r));
        if (!std::isfinite(problem.weights[r]) || problem.weights[r] <= 0) refuse("weights must be finite and positive, got " + text(problem.weights[r]) + " in row " + text(r));
    }
    if (!(total >= 1e-250 && total <= 1e250)) refuse("the sum of the weights must be between 1e-250 and 1e250");
}

nb::object int_array(const streed::Tree& tree, std::int32_t streed::TreeNode::* member) {
    auto* values = new std::vector<std::int32_t>();
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    for (const streed::TreeNode& node : tree) values->push_back(node.*member);
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(values->data(), {values->size()}, owner));
}

const char* status_name(streed::Status status) {
    switch (status) {
        case streed::Status::optimal: return "optimal";
        case streed::Status::time_limit: return "time_limit";
        default: return "interrupted";
    }
}

nb::dict to_dict(const streed::Result& result) {
    const streed::Statistics& s = result.statistics;
    nb::dict statistics;
    statistics["depth_two_solves"] = s.depth_two_solves;
    statistics["nodes"] = s.nodes;
    statistics["cache_hits"] = s.cache_hits;
    statistics["cache_entries"] = s.cache_entries;
    statistics["pruned_bound"] = s.pruned_bound;
    statistics["pruned_similarity"] = s.pruned_similarity;
    statistics["peak_memory"] = s.peak_memory;
    statistics["rows_merged"] = s.rows_merged;
    statistics["features_kept"] = s.features_kept;
    statistics["threads"] = s.threads;
    nb::dict out;
    out["feature"] = int_array(result.tree, &streed::TreeNode::feature);
    out["left"] = int_array(result.tree, &streed::TreeNode::left);
    out["right"] = int_array(result.tree, &streed::TreeNode::right);
    out["label"] = int_array(result.tree, &streed::TreeNode::label);
    out["objective"] = result.objective;
    out["lower_bound"] = result.lower_bound;
    out["optimal"] = result.status == streed::Status::optimal;
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = statistics;
    return out;
}

// Runs on the calling thread, about ten times a second. An exception from the callback ends the search and is
// raised again when the engine is back; Ctrl-C ends it with the best tree so far.
class Poll {
public:
    explicit Poll(nb::object callback) : callback_(std::move(callback)) {}

    bool operator()(const streed::Progress& progress) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
                PyErr_Clear();
                return true;
            }
            failure_ = std::make_exception_ptr(nb::python_error());
            return true;
        }
        if (callback_.is_none()) return false;
        try {
            nb::dict values;
            values["elapsed"] = progress.elapsed;
            values["objective"] = progress.objective;
            values["lower_bound"] = progress.lower_bound;
            values["root_done"] = progress.root_done;
            values["memory"] = progress.memory;
            return nb::cast<bool>(nb::bool_(callback_(values)));
        } catch (...) {
            failure_ = std::current_exception();
            return true;
        }
    }

    std::exception_ptr failure_;

private:
    nb::object callback_;
};

nb::dict solve(Input<std::uint8_t, 2> features, Input<std::int32_t, 1> labels, Input<double, 1> weights, int n_labels,
               int max_depth, int max_nodes, int min_samples_leaf, double branch_cost, double time_limit,
               std::int64_t memory_limit, int n_threads, const std::optional<nb::dict>& switches, const std::string& simd,
               nb::object poll) {
    if (labels.shape(0) != features.shape(0) || weights.shape(0) != features.shape(0))
        refuse("features, labels and weights must have the same number of rows, got " + std::to_string(features.shape(0)) + ", " +
               std::to_string(labels.shape(0)) + " and " + std::to_string(weights.shape(0)));
    if (!poll.is_none() && !PyCallable_Check(poll.ptr())) throw nb::type_error("poll must be callable or None");
    streed::Problem problem;
    problem.features = features.data();
    problem.labels = labels.data();
    problem.weights = weights.data();
    problem.n_rows = features.shape(0);
    problem.n_features = features.shape(1);
    problem.n_labels = n_labels;
    streed::Options options;
    options.max_depth = max_depth;
    options.max_nodes = max_nodes;
    options.min_samples_leaf = min_samples_leaf;
    options.branch_cost = branch_cost;
    options.time_limit = time_limit;
    if (memory_limit < 0) refuse("memory_limit must not be negative, got " + std::to_string(memory_limit));
    options.memory_limit = static_cast<std::size_t>(memory_limit);
    options.n_threads = n_threads;
    options.simd = simd;
    if (switches) set_switches(*switches, options.switches);
    check(problem, options);
    Poll poller(poll);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    streed::Result result;
    {
        const nb::gil_scoped_release release;
        result = streed::solve(problem, options);
    }
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    nb::dict out = to_dict(result);
    double total = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) total += problem.weights[r];
    out["magnitude"] = total;
    return out;
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const SwitchName& entry : kSwitches) names.emplace_back(entry.name);
    return names;
}

}  // namespace

NB_MODULE(_core, module) {
    module.def("solve", &solve, "features"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "n_labels"_a, nb::kw_only(),
               "max_depth"_a, "max_nodes"_a, "min_samples_leaf"_a, "branch_cost"_a, "time_limit"_a, "memory_limit"_a,
               "n_threads"_a, "switches"_a = nb::none(), "simd"_a = "auto", "poll"_a = nb::none());
    module.def("simd_levels", &streed::simd_levels);
    module.def("switch_names", &switch_names);
}
