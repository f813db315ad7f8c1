// Results of the engine as dictionaries of plain data.
#pragma once

#include "arguments.hpp"

namespace binding {

struct StatisticName {
    const char* name;
    std::size_t streed::Statistics::* member;
};

template <std::size_t N>
nb::dict statistics_dict(const streed::Statistics& statistics, const StatisticName (&names)[N]) {
    nb::dict out;
    for (const StatisticName& each : names) out[each.name] = statistics.*(each.member);
    return out;
}

inline nb::dict tree_dict(const streed::Tree& tree, double objective, double magnitude) {
    nb::dict out;
    out["feature"] = int_array(tree, &streed::TreeNode::feature);
    out["left"] = int_array(tree, &streed::TreeNode::left);
    out["right"] = int_array(tree, &streed::TreeNode::right);
    out["label"] = int_array(tree, &streed::TreeNode::label);
    out["objective"] = objective;
    out["magnitude"] = magnitude;
    return out;
}

// How a search ended, and the work that it did.
template <class Result, std::size_t N>
void set_end(nb::dict& out, const Result& result, const StatisticName (&names)[N]) {
    out["optimal"] = result.status == streed::Status::optimal;
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = statistics_dict(result.statistics, names);
}

// A search for one tree.
template <class Result, std::size_t N>
nb::dict result_dict(const Result& result, const StatisticName (&names)[N]) {
    nb::dict out = tree_dict(result.tree, result.objective, result.magnitude);
    out["lower_bound"] = result.lower_bound;
    set_end(out, result, names);
    return out;
}

}  // namespace binding
