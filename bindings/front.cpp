// Fronts and constrained trees: translates between NumPy and the engine, decides nothing.
#include "front.hpp"

#include "front/points/sizes.hpp"
#include "front/mixed/solve.hpp"
#include "front/task.hpp"
#include "options.hpp"
#include "python_leaf.hpp"

#include <algorithm>
#include <tuple>

using namespace nb::literals;
using namespace binding;

namespace {

using Vectors = std::vector<std::vector<double>>;

nb::object matrix(const Vectors& rows, std::size_t columns) {
    auto* values = new std::vector<double>();
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    for (const std::vector<double>& row : rows) values->insert(values->end(), row.begin(), row.end());
    return nb::cast(
        nb::ndarray<nb::numpy, double, nb::ndim<2>>(values->data(), {rows.size(), columns}, owner));
}

nb::object vector(const std::vector<double>& from) {
    auto* values = new std::vector<double>(from);
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(values->data(), {values->size()}, owner));
}

void put_tree(nb::dict& out, const streed::Tree& tree) {
    out["feature"] = int_array(tree, &streed::TreeNode::feature);
    out["left"] = int_array(tree, &streed::TreeNode::left);
    out["right"] = int_array(tree, &streed::TreeNode::right);
    out["label"] = int_array(tree, &streed::TreeNode::label);
}

// The trees of a front, each a dictionary when it is asked for: of thousands of them often only one is.
struct TreeList {
    std::vector<streed::Tree> trees;

    nb::dict at(std::ptrdiff_t index) const {
        const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(trees.size());
        if (index < -n || index >= n) throw nb::index_error("there are fewer trees");
        nb::dict out;
        put_tree(out, trees[static_cast<std::size_t>(index < 0 ? index + n : index)]);
        return out;
    }

    // Some of them one after the other: the four arrays of all nodes, and the number of nodes of each tree.
    nb::tuple flat(const Input<std::int64_t, 1>& chosen) const {
        streed::Tree all;
        std::vector<std::int64_t> sizes;
        for (std::size_t k = 0; k < chosen.shape(0); ++k) {
            const std::int64_t index = chosen.data()[k];
            if (index < 0 || index >= static_cast<std::int64_t>(trees.size()))
                throw nb::index_error("there are fewer trees");
            const streed::Tree& tree = trees[static_cast<std::size_t>(index)];
            all.insert(all.end(), tree.begin(), tree.end());
            sizes.push_back(static_cast<std::int64_t>(tree.size()));
        }
        return nb::make_tuple(int_array(all, &streed::TreeNode::feature),
                              int_array(all, &streed::TreeNode::left),
                              int_array(all, &streed::TreeNode::right),
                              int_array(all, &streed::TreeNode::label), as_array(std::move(sizes)));
    }
};

nb::dict counters(const streed::Counters& from) {
    nb::dict out;
    for (const auto& [name, value] : from) out[name.c_str()] = value;
    return out;
}

std::vector<double> read(const char* name, const Input<double, 1>& from, std::size_t size, bool finite) {
    if (from.shape(0) != size)
        refuse(std::string(name) + " must have " + text(size) + " entries, got " + text(from.shape(0)));
    std::vector<double> out(from.data(), from.data() + size);
    for (const double value : out) {
        if (std::isnan(value)) refuse(std::string(name) + " must not be NaN");
        if (finite && !std::isfinite(value)) refuse(std::string(name) + " must be finite");
    }
    return out;
}

// Trees that a search may begin with: those that another one has returned, or dictionaries.
std::vector<streed::Tree> read_trees(const nb::object& from, std::size_t n_features) {
    if (from.is_none()) return {};
    if (nb::isinstance<TreeList>(from)) {
        const TreeList& list = nb::cast<const TreeList&>(from);
        for (const streed::Tree& tree : list.trees)
            for (const streed::TreeNode& node : tree)
                if (node.feature >= static_cast<std::int32_t>(n_features))
                    refuse("known trees test feature " + text(node.feature) + ", there are " +
                           text(n_features));
        return list.trees;
    }
    std::vector<streed::Tree> trees;
    for (const nb::handle one : from) {
        const auto part = [&](const char* name) { return nb::cast<Input<std::int32_t, 1>>(one[name]); };
        const auto feature = part("feature"), left = part("left"), right = part("right"),
                   label = part("label");
        const std::size_t n = feature.shape(0);
        if (n == 0 || left.shape(0) != n || right.shape(0) != n || label.shape(0) != n)
            refuse("feature, left, right and label of a known tree must have one entry per node");
        streed::Tree tree(n);
        for (std::size_t k = 0; k < n; ++k) {
            tree[k] = {feature.data()[k], left.data()[k], right.data()[k], label.data()[k]};
            if (tree[k].feature == -1) continue;
            if (tree[k].feature < 0 || static_cast<std::size_t>(tree[k].feature) >= n_features)
                refuse("features of known trees must be from 0 to " +
                       text(static_cast<std::int64_t>(n_features) - 1) + ", or -1 at a leaf, got " +
                       text(tree[k].feature));
            for (const std::int32_t child : {tree[k].left, tree[k].right})
                if (child <= static_cast<std::int32_t>(k) || static_cast<std::size_t>(child) >= n)
                    refuse("children of known trees must come after their parents, got " + text(child) +
                           " at node " + text(k));
        }
        trees.push_back(std::move(tree));
    }
    return trees;
}

// What both functions take, checked.
struct Call {
    Call(const Input<std::uint8_t, 2>& features, const Input<double, 3>& costs,
         const Input<double, 1>& branch_costs, const std::optional<PriceArrays>& test_prices,
         const std::optional<Input<double, 1>>& weights, const SearchOptions& given)
        : poller(given.poll) {
        if (costs.shape(0) != features.shape(0))
            refuse("features and costs must have the same number of rows, got " + text(features.shape(0)) +
                   " and " + text(costs.shape(0)));
        if (costs.shape(1) < 1 || costs.shape(1) > 4096)
            refuse("costs must have 1 to 4096 labels, got " + text(costs.shape(1)));
        if (costs.shape(2) < 1 || costs.shape(2) > streed::kMostComponents)
            refuse("costs must have 1 to " + text(streed::kMostComponents) + " components, got " +
                   text(costs.shape(2)));
        branch_cost = read("branch_cost", branch_costs, costs.shape(2), true);
        for (const double value : branch_cost)
            if (value < 0 || value > 1e250) refuse("branch_cost must be from 0 to 1e250, got " + text(value));
        const streed::Problem table = make_problem(features, static_cast<int>(costs.shape(1)));
        problem.features = table.features;
        problem.n_rows = table.n_rows;
        problem.n_features = table.n_features;
        problem.n_labels = table.n_labels;
        problem.n_values = static_cast<int>(costs.shape(2));
        problem.costs = costs.data();
        problem.branch_cost = branch_cost.data();
        if (test_prices.has_value() != weights.has_value())
            refuse("prices need price_weights, and these them");
        if (test_prices) {
            price_weights = read("price_weights", *weights, costs.shape(2), true);
            for (const double value : price_weights)
                if (value < 0 || value > 1e50)
                    refuse("price_weights must be from 0 to 1e50, got " + text(value));
            prices = make_prices(*test_prices, problem.n_features);
            problem.prices = &prices;
            problem.price_weights = price_weights.data();
        }
        options = given.engine();
        const std::size_t size = problem.n_rows * costs.shape(1) * costs.shape(2);
        std::vector<double> most(costs.shape(2));
        for (std::size_t c = 0; c < size; ++c) {
            const double value = std::abs(problem.costs[c]);
            if (!(value <= 1e250))
                refuse("costs must be finite and at most 1e250 in size, got " + text(problem.costs[c]) +
                       " in row " + text(c / (costs.shape(1) * costs.shape(2))));
            most[c % most.size()] = std::max(most[c % most.size()], value);
        }
        for (const double value : most)
            if (value > 0 && value < 1e-250) refuse("costs must not all be below 1e-250 in size");
        options.poll = [this](const streed::Progress& progress) { return poller(progress); };
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    template <class Body>
    auto run(Body&& body) {
        auto result = [&] {
            const nb::gil_scoped_release release;
            return body();
        }();
        if (poller.failure_) std::rethrow_exception(poller.failure_);
        return result;
    }

    streed::VectorProblem problem;
    streed::Options options;
    std::vector<double> branch_cost, price_weights;
    streed::Prices prices;
    Poll poller;
};

nb::dict front(Input<std::uint8_t, 2> features, Input<double, 3> costs, Input<double, 1> branch_cost,
               Input<double, 1> upper, Input<double, 1> weights, double budget,
               std::optional<PriceArrays> prices, std::optional<Input<double, 1>> price_weights,
               const nb::kwargs& kwargs) {
    Call call(features, costs, branch_cost, prices, price_weights, read_options(kwargs, kVector));
    const std::size_t m = costs.shape(2);
    streed::Region region{read("upper", upper, m, false), read("weights", weights, m, true), budget};
    for (const double value : region.upper)
        if (value == -std::numeric_limits<double>::infinity()) refuse("upper must not be -inf");
    for (const double value : region.weights)
        if (value < 0) refuse("weights must not be negative, got " + text(value));
    if (std::isnan(budget) || budget == -std::numeric_limits<double>::infinity())
        refuse("budget must be a number or inf, got " + text(budget));
    streed::FrontResult result = call.run(
        [&] { return streed::solve_front(call.problem, region, call.options); });
    nb::dict out;
    out["values"] = matrix(result.values, m);
    out["trees"] = nb::cast(TreeList{std::move(result.trees)});
    out["complete"] = result.complete;
    out["supports"] = matrix(result.supports, m + 1);
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = counters(result.statistics);
    return out;
}

nb::dict constrained(Input<std::uint8_t, 2> features, Input<double, 3> costs, Input<double, 1> lower,
                     Input<double, 1> upper, Input<double, 1> branch_cost, std::optional<PriceArrays> prices,
                     std::optional<Input<double, 1>> price_weights, double cutoff, const nb::object& known,
                     std::optional<Input<double, 1>> multipliers, const nb::kwargs& kwargs) {
    Call call(features, costs, branch_cost, prices, price_weights, read_options(kwargs, kVector));
    const std::size_t limits = costs.shape(2) - 1;
    const std::vector<double> low = read("lower", lower, limits, false);
    const std::vector<double> high = read("upper", upper, limits, false);
    for (std::size_t j = 0; j < limits; ++j) {
        const double infinity = std::numeric_limits<double>::infinity();
        if (low[j] > high[j] || low[j] == infinity || high[j] == -infinity)
            refuse("lower must not exceed upper, got " + text(low[j]) + " and " + text(high[j]) +
                   " at position " + text(j));
        if (call.problem.prices != nullptr && call.price_weights[j + 1] > 0 && std::isfinite(low[j]))
            refuse("a component that pays for tests can only be limited from above, got the lower limit " +
                   text(low[j]) + " at position " + text(j));
    }
    if (std::isnan(cutoff)) refuse("cutoff must not be NaN");
    streed::ConstrainedStart start{cutoff, read_trees(known, call.problem.n_features), {}};
    if (multipliers) start.multipliers = read("multipliers", *multipliers, limits, true);
    streed::ConstrainedResult result = call.run(
        [&] { return streed::solve_constrained(call.problem, low, high, start, call.options); });
    nb::dict out;
    out["feasible"] = result.feasible ? nb::cast(*result.feasible) : nb::none();
    if (!result.tree.empty()) {
        put_tree(out, result.tree);
        out["values"] = vector(result.values);
        out["objective"] = result.values[0];
    }
    out["multipliers"] = vector(result.multipliers);
    out["known"] = nb::cast(TreeList{std::move(result.known)});
    if (!result.closest.empty()) {
        nb::dict tree;
        put_tree(tree, result.closest_tree);
        out["closest"] = vector(result.closest);
        out["closest_tree"] = tree;
    }
    out["lower_bound"] = result.lower_bound;
    out["optimal"] = result.optimal;
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = counters(result.statistics);
    return out;
}

// A part of a combination of any kind: its statistics, function (None: the statistics are costs under the
// labels), least cost of each row, whether the largest leaf counts, cost of branching, whether it is an
// objective, and its limits.
using PartArrays = std::tuple<Input<double, 2>, nb::object, std::optional<Input<double, 1>>, bool, double,
                              bool, double, double>;

streed::MixedPart make_part(const PartArrays& arrays, const streed::Problem& table,
                            std::unique_ptr<PythonLeaf>& python) {
    const auto& [statistics, function, least, maximum, branch_cost, objective, lower, upper] = arrays;
    streed::MixedPart part;
    part.statistics = statistics.data();
    part.n_statistics = static_cast<int>(statistics.shape(1));
    if (statistics.shape(0) != table.n_rows)
        refuse("features and statistics must have the same number of rows, got " + text(table.n_rows) +
               " and " + text(statistics.shape(0)));
    if (statistics.shape(1) < 1 || statistics.shape(1) > 4096)
        refuse("statistics must have from 1 to 4096 columns, got " + text(statistics.shape(1)));
    for (std::size_t k = 0; k < statistics.size(); ++k)
        if (!(std::abs(part.statistics[k]) <= 1e200))
            refuse("statistics must be finite and at most 1e200 in size, got " + text(part.statistics[k]));
    if (function.is_none()) {
        if (part.n_statistics != table.n_labels)
            refuse("costs must have a column for each of " + text(table.n_labels) + " labels, got " +
                   text(part.n_statistics));
    } else {
        part.costs = leaf_costs(function, statistics.shape(1), static_cast<std::size_t>(table.n_labels),
                                python);
    }
    if (least) {
        if (least->shape(0) != table.n_rows)
            refuse("least must have one entry per row, " + text(table.n_rows) + ", got " +
                   text(least->shape(0)));
        part.least = least->data();
    }
    if (!(branch_cost >= 0 && branch_cost <= 1e200) || (maximum && branch_cost != 0))
        refuse("branch_cost must be finite and not negative, and 0 for a maximum, got " + text(branch_cost));
    if (!(lower <= upper) || (objective && (std::isfinite(lower) || std::isfinite(upper))))
        refuse("limits must be numbers in order, and infinite for objectives");
    part.maximum = maximum;
    part.branch_cost = branch_cost;
    part.objective = objective;
    part.lower = lower;
    part.upper = upper;
    return part;
}

nb::dict mixed(Input<std::uint8_t, 2> features, const std::vector<PartArrays>& parts, int n_labels,
               const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kVector);
    streed::Options options = given.engine();
    const streed::Problem table = make_problem(features, n_labels);
    streed::MixedProblem problem{table.features, table.n_rows, table.n_features, n_labels, {}};
    std::vector<std::unique_ptr<PythonLeaf>> functions(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p)
        problem.parts.push_back(make_part(parts[p], table, functions[p]));
    if (std::none_of(problem.parts.begin(), problem.parts.end(),
                     [](const streed::MixedPart& part) { return part.objective; }))
        refuse("one of the parts must be an objective");
    Poll poller(given.poll);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    streed::MixedResult result;
    try {
        const nb::gil_scoped_release release;
        result = streed::solve_mixed(problem, options);
    } catch (const streed::TaskFailure& failure) {
        for (const auto& function : functions)
            if (function && function->failure_) std::rethrow_exception(function->failure_);
        raise_failure(failure);
    } catch (const streed::Interrupted&) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    nb::dict out;
    out["trees"] = nb::cast(TreeList{std::move(result.trees)});
    out["complete"] = result.complete;
    out["lower_bound"] = result.lower_bound;
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = counters(result.statistics);
    return out;
}

}  // namespace

void register_front(nb::module_& module) {
    nb::class_<TreeList>(module, "TreeList")
        .def("__len__", [](const TreeList& list) { return list.trees.size(); })
        .def("__getitem__", &TreeList::at, "index"_a)
        .def("flat", &TreeList::flat, "chosen"_a.noconvert());
    module.def("most_components", [] { return streed::kMostComponents; });
    module.def("front", &front, "features"_a.noconvert(), "costs"_a.noconvert(), nb::kw_only(),
               "branch_cost"_a.noconvert(), "upper"_a.noconvert(), "weights"_a.noconvert(), "budget"_a,
               "prices"_a = nb::none(), "price_weights"_a = nb::none(), "options"_a);
    module.def("constrained", &constrained, "features"_a.noconvert(), "costs"_a.noconvert(), nb::kw_only(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "branch_cost"_a.noconvert(),
               "prices"_a = nb::none(), "price_weights"_a = nb::none(),
               "cutoff"_a = std::numeric_limits<double>::infinity(), "known"_a = nb::none(),
               "multipliers"_a = nb::none(), "options"_a);
    module.def("mixed", &mixed, "features"_a.noconvert(), "parts"_a, "n_labels"_a, "options"_a);
}
