// Routing, recounting, targets of nodes, labels and units: translates between NumPy and the engine.
#include "tree.hpp"

#include <limits>
#include <optional>
#include <tuple>

#include "data/labels.hpp"
#include "data/units.hpp"
#include "model/node_targets.hpp"
#include "model/recount.hpp"
#include "model/route.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

using Matrix = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<2>, nb::device::cpu>;
using Nodes = Input<std::int32_t, 1>;

std::vector<streed::Fork> make_forks(const Nodes& feature, const Nodes& left, const Nodes& right,
                                     std::size_t n_features, std::ptrdiff_t stride) {
    const std::size_t n = feature.shape(0);
    if (n == 0 || n >= (1ull << 31) || left.shape(0) != n || right.shape(0) != n)
        refuse("feature, left and right must have one entry per node, at least one, got " + text(n) + ", " +
               text(left.shape(0)) + " and " + text(right.shape(0)));
    std::vector<streed::Fork> forks(n);
    for (std::size_t node = 0; node < n; ++node) {
        const std::int32_t tested = feature.data()[node], own = static_cast<std::int32_t>(node);
        forks[node] = {0, {own, own}};
        if (tested == -1) continue;
        if (tested < 0 || static_cast<std::size_t>(tested) >= n_features)
            refuse("features of nodes must be from 0 to " + text(static_cast<std::int64_t>(n_features) - 1) +
                   ", or -1 at a leaf, got " + text(tested) + " at node " + text(node));
        for (const std::int32_t child : {left.data()[node], right.data()[node]})
            if (child <= own || static_cast<std::size_t>(child) >= n)
                refuse("children must come after their parents, before " + text(n) + ", got " + text(child) +
                       " at node " + text(node));
        forks[node] = {tested * stride, {left.data()[node], right.data()[node]}};
    }
    return forks;
}

std::vector<std::int64_t> leaves_of(const Matrix& features, const std::vector<streed::Fork>& forks) {
    std::vector<std::int64_t> leaf(features.shape(0));
    const nb::gil_scoped_release release;
    streed::route({features.data(), features.shape(0), features.stride(0), features.stride(1)}, forks,
                  leaf.data());
    return leaf;
}

nb::object route(const Matrix& features, const Nodes& feature, const Nodes& left, const Nodes& right) {
    return as_array(
        leaves_of(features, make_forks(feature, left, right, features.shape(1), features.stride(1))));
}

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

streed::ColumnType type_of(const nb::dlpack::dtype& type) {
    using streed::ColumnType;
    struct Known {
        nb::dlpack::dtype type;
        ColumnType column;
    };
    static const Known known[] = {
        {nb::dtype<double>(), ColumnType::f64},        {nb::dtype<float>(), ColumnType::f32},
        {nb::dtype<std::int64_t>(), ColumnType::i64},  {nb::dtype<std::int32_t>(), ColumnType::i32},
        {nb::dtype<std::int16_t>(), ColumnType::i16},  {nb::dtype<std::int8_t>(), ColumnType::i8},
        {nb::dtype<std::uint64_t>(), ColumnType::u64}, {nb::dtype<std::uint32_t>(), ColumnType::u32},
        {nb::dtype<std::uint16_t>(), ColumnType::u16}, {nb::dtype<std::uint8_t>(), ColumnType::u8},
        {nb::dtype<bool>(), ColumnType::bits},
    };
    for (const Known& each : known)
        if (each.type == type) return each.column;
    refuse("columns must hold Booleans, integers of at most 64 bits, or floats of 32 or 64 bits");
}

// One column with its cut: a float for floats, a whole number (and a flag whether it lies above all integers
// with a sign) for integers; nothing for Booleans.
streed::ColumnTest read_test(const nb::handle given, std::size_t n_rows) {
    const auto [column, cut, missing] = nb::cast<std::tuple<AnyColumn, nb::object, bool>>(given);
    if (column.shape(0) != n_rows)
        refuse("all columns must have " + text(n_rows) + " rows, got " + text(column.shape(0)));
    streed::ColumnTest test;
    test.type = type_of(column.dtype());
    test.data = static_cast<const char*>(column.data());
    test.stride = column.stride(0) * static_cast<std::ptrdiff_t>(column.itemsize());
    test.missing = missing;
    if (test.type == streed::ColumnType::bits) return test;
    if (test.type == streed::ColumnType::f64 || test.type == streed::ColumnType::f32) {
        test.cut = nb::cast<double>(cut);
    } else if (nb::try_cast(cut, test.whole)) {
        test.whole_unsigned = static_cast<std::uint64_t>(test.whole);
    } else {
        test.whole_unsigned = nb::cast<std::uint64_t>(cut);
        test.whole = std::numeric_limits<std::int64_t>::max();
    }
    return test;
}

// Leaves of the rows of a table: `tests` has, for every number in `feature`, a column, its cut, and whether
// missing values satisfy the test.
nb::object route_columns(const nb::list& tests, std::size_t n_rows, const Nodes& feature, const Nodes& left,
                         const Nodes& right) {
    std::vector<streed::ColumnTest> made;
    for (const nb::handle test : tests) made.push_back(read_test(test, n_rows));
    const std::vector<streed::Fork> forks = make_forks(feature, left, right, made.size(), 1);
    std::vector<std::int64_t> leaf(n_rows);
    {
        const nb::gil_scoped_release release;
        streed::route_columns(made, forks, n_rows, leaf.data());
    }
    return as_array(std::move(leaf));
}

void check_codes(const char* name, const Nodes& codes, std::size_t n_rows, std::size_t n) {
    if (codes.shape(0) != n_rows)
        refuse(std::string(name) + " must have one entry per row, " + text(n_rows) + ", got " +
               text(codes.shape(0)));
    for (std::size_t r = 0; r < n_rows; ++r)
        if (codes.data()[r] < 0 || static_cast<std::size_t>(codes.data()[r]) >= n)
            refuse(std::string(name) + " must be from 0 to " + text(static_cast<std::int64_t>(n) - 1) +
                   ", got " + text(codes.data()[r]) + " in row " + text(r));
}

const double* check_weights(const Input<double, 1>& weights, std::size_t n_rows) {
    if (weights.shape(0) != n_rows)
        refuse("weights must have one entry per row, " + text(n_rows) + ", got " + text(weights.shape(0)));
    return weights.data();
}

nb::tuple recount(const Matrix& features, const Nodes& feature, const Nodes& left, const Nodes& right,
                  const Nodes& label, std::size_t n_labels,
                  const std::optional<std::tuple<Nodes, Input<double, 1>>>& errors,
                  const std::optional<Input<double, 2>>& costs,
                  const std::optional<std::tuple<Nodes, std::optional<Input<double, 1>>>>& classes,
                  const std::optional<PriceArrays>& prices, bool maximum, double value_factor,
                  double price_factor) {
    const std::vector<streed::Fork> forks = make_forks(feature, left, right, features.shape(1),
                                                       features.stride(1));
    const std::size_t n_rows = features.shape(0), n_nodes = forks.size();
    if (label.shape(0) != n_nodes)
        refuse("label must have one entry per node, " + text(n_nodes) + ", got " + text(label.shape(0)));
    for (std::size_t node = 0; node < n_nodes; ++node)
        if (feature.data()[node] < 0 &&
            (label.data()[node] < 0 || static_cast<std::size_t>(label.data()[node]) >= n_labels))
            refuse("labels of leaves must be from 0 to " + text(static_cast<std::int64_t>(n_labels) - 1) +
                   ", got " + text(label.data()[node]) + " at node " + text(node));
    streed::RowCosts row_costs;
    row_costs.n_labels = n_labels;
    row_costs.maximum = maximum;
    if (errors) {
        check_codes("labels of rows", std::get<0>(*errors), n_rows, n_labels);
        row_costs.labels = std::get<0>(*errors).data();
        row_costs.weights = check_weights(std::get<1>(*errors), n_rows);
    }
    if (costs) {
        if (costs->shape(0) != n_rows || costs->shape(1) != n_labels)
            refuse("costs must have shape (" + text(n_rows) + ", " + text(n_labels) + "), got (" +
                   text(costs->shape(0)) + ", " + text(costs->shape(1)) + ")");
        row_costs.table = costs->data();
    }
    streed::RowClasses row_classes;
    if (classes) {
        check_codes("classes", std::get<0>(*classes), n_rows, n_labels);
        row_classes.codes = std::get<0>(*classes).data();
        row_classes.n = n_labels;
        if (std::get<1>(*classes)) row_classes.weights = check_weights(*std::get<1>(*classes), n_rows);
    }
    streed::Prices price_arrays;
    if (prices) price_arrays = make_prices(*prices, features.shape(1));
    std::vector<std::int64_t> leaf = leaves_of(features, forks);
    streed::NodeCounts counts;
    {
        const nb::gil_scoped_release release;
        counts = streed::recount(forks, feature.data(), label.data(), leaf.data(), n_rows, row_costs,
                                 row_classes, prices ? &price_arrays : nullptr);
    }
    const double cost = counts.total();
    nb::object values = as_array(counts.per_row(counts.costs, value_factor, !maximum));
    nb::object tests = prices ? as_array(counts.per_row(counts.paid, price_factor, true)) : nb::none();
    return nb::make_tuple(as_array(std::move(leaf)), as_array(std::move(counts.samples)), cost, values,
                          classes ? as_array(std::move(counts.classes), {n_nodes, n_labels}) : nb::none(),
                          tests);
}

nb::tuple node_targets(const Nodes& feature, const Nodes& left, const Nodes& right, std::size_t n_features,
                       const Input<std::int64_t, 1>& leaf, const Input<double, 2>& targets,
                       const Input<double, 1>& weights, std::size_t bars) {
    const std::vector<streed::Fork> forks = make_forks(feature, left, right, n_features, 1);
    const std::size_t n_rows = targets.shape(0), n_outputs = targets.shape(1), n_nodes = forks.size();
    if (n_rows == 0 || n_outputs == 0 || leaf.shape(0) != n_rows || bars == 0)
        refuse("targets must have a row for each of " + text(leaf.shape(0)) +
               " leaves, at least one, and there must be bars, got shape (" + text(n_rows) + ", " +
               text(n_outputs) + ") and " + text(bars) + " bars");
    for (std::size_t r = 0; r < n_rows; ++r)
        if (leaf.data()[r] < 0 || static_cast<std::size_t>(leaf.data()[r]) >= n_nodes)
            refuse("leaves must be from 0 to " + text(static_cast<std::int64_t>(n_nodes) - 1) + ", got " +
                   text(leaf.data()[r]) + " in row " + text(r));
    const streed::TargetRows rows{targets.data(), n_outputs, check_weights(weights, n_rows), leaf.data(),
                                  n_rows};
    streed::NodeTargets found;
    {
        const nb::gil_scoped_release release;
        found = streed::node_targets(forks, rows, bars);
    }
    const std::size_t n_bars = found.edges.size() - 1;
    return nb::make_tuple(as_array(std::move(found.mean), {n_nodes, n_outputs}),
                          as_array(std::move(found.spread), {n_nodes, n_outputs}),
                          as_array(std::move(found.edges)),
                          as_array(std::move(found.counts), {n_nodes, n_bars}));
}

nb::object encode(const Input<std::int64_t, 1>& labels) {
    std::optional<streed::Encoded> found = streed::encode(labels.data(), labels.shape(0));
    if (!found) return nb::none();
    return nb::make_tuple(as_array(std::move(found->values)), as_array(std::move(found->codes)));
}

}  // namespace

void register_tree(nb::module_& module) {
    module.def("route", &route, "features"_a, "feature"_a, "left"_a, "right"_a);
    module.def("route_columns", &route_columns, "tests"_a, "n_rows"_a, "feature"_a, "left"_a, "right"_a);
    module.def("recount", &recount, "features"_a, "feature"_a, "left"_a, "right"_a, "label"_a, "n_labels"_a,
               "errors"_a.none(), "costs"_a.none(), "classes"_a.none(), "prices"_a.none(), "maximum"_a,
               "value_factor"_a, "price_factor"_a);
    module.def("node_targets", &node_targets, "feature"_a, "left"_a, "right"_a, "n_features"_a, "leaf"_a,
               "targets"_a, "weights"_a, "bars"_a);
    module.def("encode", &encode, "labels"_a.noconvert());
    module.def("largest_unit", &streed::largest_unit, "values"_a, "total"_a);
}
