// Roots that several searches share: `_core.shared.solve(...)` and its like take a problem as those of the
// module do, and return an object that solves pieces of it.
#include "shared_root.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "one_value.hpp"
#include "search/shared_root.hpp"
#include "thresholds.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

class SharedRoot {
    template <class Call>
    auto run(const nb::object& poll, Call&& call) {
        return given_->guarded([&] { return run_polled(given_->options, poll, call); });
    }

public:
    explicit SharedRoot(GivenProblem given)
        : given_(std::move(given)), most_threads_(given_->options.n_threads) {
        if (!given_->poll.is_none()) refuse("poll is an argument of each piece");
        const streed::Problem* problem = &given_->problem;
        given_->guarded([&] {
            const nb::gil_scoped_release release;
            if (problem->maximum && problem->function == nullptr) {
                sums_ = std::make_unique<streed::LeafSums>(*problem);
                problem = &sums_->problem();
            }
            root_ = std::make_unique<streed::SharedRoot>(*problem, given_->options);
        });
    }

    std::vector<int> order(const nb::object& poll) {
        return run(poll, [&] { return root_->order(); });
    }

    // With as many threads as the problem was made for, or fewer.
    nb::dict solve_roots(const std::vector<int>& features, const nb::object& poll, int n_threads) {
        streed::Options& options = given_->options;
        options.n_threads = std::clamp(n_threads, 1, most_threads_);
        const streed::RootBounds answer = run(
            poll, [&] { return root_->solve_roots(features, options.max_depth, options.max_nodes); });
        nb::dict out;
        out["bounds"] = as_array(answer.bounds);
        out["status"] = status_name(answer.status);
        out["ceiling"] = root_->ceiling();
        out["statistics"] = statistics_dict(answer.statistics, kOneValueStatistics);
        out["tree"] = nb::none();
        if (answer.tree.empty()) return out;
        nb::dict tree = tree_dict(answer.tree, 0, 0);
        tree["value"] = root_->cost(answer.tree);
        out["tree"] = tree;
        return out;
    }

    nb::dict rebuild(double value, const std::vector<int>& open, const nb::object& poll) {
        const streed::Options& options = given_->options;
        return result_dict(
            run(poll, [&] { return root_->rebuild(value, open, options.max_depth, options.max_nodes); }),
            kOneValueStatistics);
    }

    using Nodes = Input<std::int32_t, 1>;

    double cost(const Nodes& feature, const Nodes& left, const Nodes& right) {
        const streed::Tree tree = checked(feature, left, right);
        return given_->guarded([&] { return root_->cost(tree); });
    }
    nb::dict finish(const Nodes& feature, const Nodes& left, const Nodes& right) {
        const streed::Tree tree = checked(feature, left, right);
        return given_->guarded([&] { return result_dict(root_->finish(tree), kOneValueStatistics); });
    }

    void lower(double ticks) {
        if (std::isnan(ticks)) refuse("the value of a tree must be a number, got nan");
        root_->lower(ticks);
    }
    double ceiling() const { return root_->ceiling(); }
    void stop() { root_->stop(); }
    double in_units(double ticks) const { return root_->in_units(ticks); }

private:
    streed::Tree checked(const Nodes& feature, const Nodes& left, const Nodes& right) const {
        streed::Tree tree(feature.shape(0));
        const auto n = static_cast<std::int32_t>(tree.size());
        if (n == 0 || left.shape(0) != tree.size() || right.shape(0) != tree.size())
            refuse("feature, left and right must have one entry per node");
        const auto below = [&](std::int32_t child, std::int32_t node) { return child > node && child < n; };
        for (std::int32_t k = 0; k < n; ++k) {
            tree[static_cast<std::size_t>(k)] = {feature.data()[k], left.data()[k], right.data()[k], -1};
            if (feature.data()[k] < 0) continue;
            if (static_cast<std::size_t>(feature.data()[k]) >= given_->problem.n_features)
                refuse("features must be below " + text(given_->problem.n_features) + ", got " +
                       text(feature.data()[k]));
            if (!below(left.data()[k], k) || !below(right.data()[k], k))
                refuse("parents must come before their children");
        }
        return tree;
    }

    GivenProblem given_;
    int most_threads_;
    std::unique_ptr<streed::LeafSums> sums_;
    std::unique_ptr<streed::SharedRoot> root_;
};

SharedRoot* share(GivenProblem given) { return new SharedRoot(std::move(given)); }

}  // namespace

void register_shared_root(nb::module_& module) {
    nb::module_ shared = module.def_submodule(
        "shared", "Roots that several searches share; functions take a problem as those of the module.");
    shared.attr("TaskFailure") = module.attr("TaskFailure");
    nb::class_<SharedRoot>(shared, "SharedRoot")
        .def("order", &SharedRoot::order, "poll"_a = nb::none())
        .def("solve_roots", &SharedRoot::solve_roots, "features"_a, "poll"_a = nb::none(),
             "n_threads"_a = 1024)
        .def("rebuild", &SharedRoot::rebuild, "value"_a, "open"_a, "poll"_a = nb::none())
        .def("cost", &SharedRoot::cost, "feature"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert())
        .def("finish", &SharedRoot::finish, "feature"_a.noconvert(), "left"_a.noconvert(),
             "right"_a.noconvert())
        .def("lower", &SharedRoot::lower, "ticks"_a)
        .def("stop", &SharedRoot::stop)
        .def("in_units", &SharedRoot::in_units, "ticks"_a)
        .def_prop_ro("ceiling", &SharedRoot::ceiling);
    register_one_value<share>(shared);
    register_threshold_evaluator(shared);
}
