// What all functions of the native module share: checks of arguments, progress, arrays for the caller.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
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
    {"child_records", &streed::Switches::child_records},
    {"price_bounds", &streed::Switches::price_bounds},
    {"group_bounds", &streed::Switches::group_bounds},
    {"packed_sums", &streed::Switches::packed_sums},
    {"screen", &streed::Switches::screen},
    {"fused_children", &streed::Switches::fused_children},
    {"similarity", &streed::Switches::similarity},
    {"merge_rows", &streed::Switches::merge_rows},
    {"drop_features", &streed::Switches::drop_features},
    {"depth_two", &streed::Switches::depth_two},
    {"lookahead_order", &streed::Switches::lookahead_order},
    {"subtraction", &streed::Switches::subtraction},
    {"narrow_lanes", &streed::Switches::narrow_lanes},
    {"sparse_rows", &streed::Switches::sparse_rows},
    {"deepening", &streed::Switches::deepening},
    {"neighbourhoods", &streed::Switches::neighbourhoods},
    {"stages", &streed::Switches::stages},
    {"bound_sets", &streed::Switches::bound_sets},
    {"label_bounds", &streed::Switches::label_bounds},
    {"whole_units", &streed::Switches::whole_units},
    {"cells", &streed::Switches::cells},
};

[[noreturn]] inline void refuse(const std::string& message) { throw std::invalid_argument(message); }

inline void set_switches(const nb::dict& values, streed::Switches& switches) {
    for (const auto& [key, value] : values) {
        const std::string name = nb::cast<std::string>(nb::str(key));
        bool known = false;
        for (const SwitchName& entry : kSwitches) {
            if (name != entry.name) continue;
            if (!nb::isinstance<nb::bool_>(value))
                throw nb::type_error(("switch '" + name + "' must be True or False").c_str());
            switches.*(entry.member) = nb::cast<bool>(value);
            known = true;
        }
        if (!known) refuse("unknown switch '" + name + "'");
    }
}

template <class T>
std::string text(T value) {
    return std::to_string(value);
}

// A number as Python writes it; whole ones without a point.
inline std::string number(double value) {
    if (std::abs(value) < 0x1p53 && value == std::floor(value)) return text(static_cast<std::int64_t>(value));
    return nb::str(nb::float_(value)).c_str();
}

inline void check_features(const streed::Problem& problem) {
    if (problem.n_rows == 0) refuse("features must have at least one row, got none");
    if (problem.n_rows >= (1ull << 31) || problem.n_features >= (1ull << 24))
        refuse("features: more than 2^31 rows or 2^24 columns");
    if (problem.n_labels < 1 || problem.n_labels > (1 << 24))
        refuse("n_labels must be from 1 to 2^24, got " + text(problem.n_labels));
    const std::size_t n = problem.n_rows * problem.n_features;
    std::uint64_t bits = 0;  // eight features at once; only what is wrong is looked for one by one
    std::size_t whole = 0;
    for (std::uint64_t eight; whole + 8 <= n; whole += 8) {
        std::memcpy(&eight, problem.features + whole, 8);
        bits |= eight;
    }
    for (; whole < n; ++whole) bits |= problem.features[whole];
    for (std::size_t k = 0; (bits & 0xfefefefefefefefeu) != 0 && k < n; ++k)
        if (problem.features[k] > 1)
            refuse("features must be 0 or 1, got " + text(problem.features[k]) + " in row " +
                   text(k / problem.n_features) + ", column " + text(k % problem.n_features));
}

// Numbers as an array of the caller's, without a copy.
template <class T>
nb::object as_array(std::vector<T> numbers, std::initializer_list<std::size_t> shape) {
    auto* values = new std::vector<T>(std::move(numbers));
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(values->data(), shape, owner));
}

template <class T>
nb::object as_array(std::vector<T> numbers) {
    const std::size_t n = numbers.size();
    return as_array<T>(std::move(numbers), {n});
}

inline nb::object int_array(const streed::Tree& tree, std::int32_t streed::TreeNode::* member) {
    std::vector<std::int32_t> values;
    values.reserve(tree.size());
    for (const streed::TreeNode& node : tree) values.push_back(node.*member);
    return as_array(std::move(values));
}

inline const char* status_name(streed::Status status) {
    switch (status) {
        case streed::Status::optimal:
            return "optimal";
        case streed::Status::time_limit:
            return "time_limit";
        case streed::Status::memory_limit:
            return "memory_limit";
        default:
            return "interrupted";
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

// Labels and weights of the rows of any problem.
template <class Problem>
void check_labels(const Problem& problem) {
    double total = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        total += problem.weights[r];
        if (problem.labels[r] < 0 || problem.labels[r] >= problem.n_labels)
            refuse("labels must be from 0 to " + text(problem.n_labels - 1) + ", got " +
                   text(problem.labels[r]) + " in row " + text(r));
        if (!std::isfinite(problem.weights[r]) || problem.weights[r] <= 0)
            refuse("weights must be finite and positive, got " + text(problem.weights[r]) + " in row " +
                   text(r));
    }
    if (!(total >= 1e-250 && total <= 1e250))
        refuse("the sum of the weights must be between 1e-250 and 1e250");
}

// The sum of the absolute values, in eight parts that do not wait for each other; not finite if any value is
// not.
inline double absolute_sum(const double* values, std::size_t n) {
    double part[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) part[lane] += std::abs(values[k + lane]);
    for (; k < n; ++k) part[0] += std::abs(values[k]);
    return std::accumulate(std::begin(part), std::end(part), 0.0);
}

// Numbers that are added up: finite, and with a sum that leaves room for the search.
inline void check_sums(const char* name, const double* values, std::size_t n_rows, std::size_t width) {
    const double total = absolute_sum(values, n_rows * width);
    for (std::size_t k = 0; !std::isfinite(total) && k < n_rows * width; ++k)
        if (!std::isfinite(values[k]))
            refuse(std::string(name) + " must be finite, got " + text(values[k]) + " in row " +
                   text(k / width) + ", column " + text(k % width));
    if (total != 0 && !(total >= 1e-250 && total <= 1e250))
        refuse(std::string("the sum of the absolute values of ") + name +
               " must be 0 or between 1e-250 and 1e250");
}

// Runs a search without the GIL; `callback` is asked now and then whether it is to end.
template <class Solve>
auto run_polled(streed::Options& options, const nb::object& callback, Solve&& solve) {
    Poll poller(callback);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    auto result = [&] {
        const nb::gil_scoped_release release;
        return solve();
    }();
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    return result;
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

using PriceArrays =
    std::tuple<Input<std::int32_t, 1>, Input<std::int32_t, 1>, Input<double, 1>, Input<double, 1>>;

// Bounds and dropped features rest on prices that belong to the attribute: features that differ would be
// searched wrongly, and silently so.
inline void check_attributes(const streed::Prices& prices, std::size_t n_features) {
    std::unordered_map<std::int32_t, std::size_t> first;
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::size_t e = first.emplace(prices.attribute[f], f).first->second;
        const auto differ = [&](const std::string& what, auto one, auto other) {
            if (one != other)
                refuse("all features of an attribute must have the same " + what + ", got " + text(one) +
                       " for feature " + text(e) + " and " + text(other) + " for feature " + text(f) +
                       ", both of attribute " + text(prices.attribute[f]));
        };
        differ("group", std::max(prices.group[e], -1), std::max(prices.group[f], -1));
        differ("full price", prices.full[e], prices.full[f]);
        differ("discounted price", prices.discounted[e], prices.discounted[f]);
    }
}

inline streed::Prices make_prices(const PriceArrays& arrays, std::size_t n_features) {
    const auto& [attribute, group, full, discounted] = arrays;
    for (const std::size_t size : {attribute.shape(0), group.shape(0), full.shape(0), discounted.shape(0)})
        if (size != n_features)
            refuse("prices must be four arrays with one entry per feature, " + text(n_features) + ", got " +
                   text(size));
    for (const double* values : {full.data(), discounted.data()})
        for (std::size_t f = 0; f < n_features; ++f)
            if (!(values[f] >= 0 && values[f] <= 1e200))
                refuse("prices must be finite and not negative, got " + text(values[f]) + " for feature " +
                       text(f));
    for (std::size_t f = 0; f < n_features; ++f)
        if (attribute.data()[f] < 0)
            refuse("attributes must not be negative, got " + text(attribute.data()[f]) + " for feature " +
                   text(f));
    const streed::Prices prices{attribute.data(), group.data(), full.data(), discounted.data()};
    check_attributes(prices, n_features);
    return prices;
}

}  // namespace binding
