// What all functions of the native module share: checks of arguments, progress, arrays for the caller.
#pragma once

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
#include <vector>

#include "engine.hpp"

namespace nb = nanobind;

namespace binding {

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
    {"sparse_rows", &streed::Switches::sparse_rows},
    {"deepening", &streed::Switches::deepening},
    {"bound_sets", &streed::Switches::bound_sets},
    {"label_bounds", &streed::Switches::label_bounds},
    {"whole_units", &streed::Switches::whole_units},
};

[[noreturn]] inline void refuse(const std::string& message) { throw std::invalid_argument(message); }

inline void set_switches(const nb::dict& values, streed::Switches& switches) {
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

template <class T>
std::string text(T value) { return std::to_string(value); }

inline void check_options(const streed::Options& options) {
    if (options.max_depth < 0 || options.max_depth > 20) refuse("max_depth must be from 0 to 20, got " + text(options.max_depth));
    if (options.max_nodes < 0) refuse("max_nodes must not be negative, got " + text(options.max_nodes));
    if (options.min_samples_leaf < 1) refuse("min_samples_leaf must be at least 1, got " + text(options.min_samples_leaf));
    if (!std::isfinite(options.branch_cost) || options.branch_cost < 0) refuse("branch_cost must be finite and not negative, got " + text(options.branch_cost));
    if (!(options.time_limit > 0)) refuse("time_limit must be positive, got " + text(options.time_limit));
    if (options.n_threads < 1 || options.n_threads > 1024) refuse("n_threads must be from 1 to 1024, got " + text(options.n_threads));
}

inline void check_features(const streed::Problem& problem) {
    if (problem.n_rows == 0) refuse("features must have at least one row, got none");
    if (problem.n_rows >= (1ull << 31) || problem.n_features >= (1ull << 24)) refuse("features: more than 2^31 rows or 2^24 columns");
    if (problem.n_labels < 1 || problem.n_labels > (1 << 24)) refuse("n_labels must be from 1 to 2^24, got " + text(problem.n_labels));
    std::uint8_t bits = 0;  // all at once, which the compiler makes vectors of; only what is wrong is looked for one by one
    for (std::size_t k = 0; k < problem.n_rows * problem.n_features; ++k) bits |= problem.features[k];
    for (std::size_t k = 0; bits > 1 && k < problem.n_rows * problem.n_features; ++k)
        if (problem.features[k] > 1) refuse("features must be 0 or 1, got " + text(problem.features[k]) + " in row " + text(k / problem.n_features) + ", column " + text(k % problem.n_features));
}

inline nb::object int_array(const streed::Tree& tree, std::int32_t streed::TreeNode::* member) {
    auto* values = new std::vector<std::int32_t>();
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    for (const streed::TreeNode& node : tree) values->push_back(node.*member);
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(values->data(), {values->size()}, owner));
}

inline const char* status_name(streed::Status status) {
    switch (status) {
        case streed::Status::optimal: return "optimal";
        case streed::Status::time_limit: return "time_limit";
        case streed::Status::memory_limit: return "memory_limit";
        default: return "interrupted";
    }
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

inline streed::Options make_options(int max_depth, int max_nodes, int min_samples_leaf, double branch_cost, double time_limit,
                             std::int64_t memory_limit, int n_threads, const std::optional<nb::dict>& switches, const std::string& simd) {
    streed::Options options;
    options.max_depth = max_depth;
    options.max_nodes = max_nodes;
    options.min_samples_leaf = min_samples_leaf;
    options.branch_cost = branch_cost;
    options.time_limit = time_limit;
    if (memory_limit < 0) refuse("memory_limit must not be negative, got " + text(memory_limit));
    options.memory_limit = static_cast<std::size_t>(memory_limit);
    options.n_threads = n_threads;
    options.simd = simd;
    if (switches) set_switches(*switches, options.switches);
    check_options(options);
    return options;
}

inline streed::Problem make_problem(const Input<std::uint8_t, 2>& features, int n_labels) {
    streed::Problem problem;
    problem.features = features.data();
    problem.n_rows = features.shape(0);
    problem.n_features = features.shape(1);
    problem.n_labels = n_labels;
    check_features(problem);
    return problem;
}

}  // namespace binding
