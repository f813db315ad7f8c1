// Questions about parts of one problem, for searches that are led from Python.
#include "subproblems.hpp"

#include <memory>
#include <utility>

#include "options.hpp"
#include "search/subproblems.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

using Path = std::vector<std::pair<int, bool>>;

const char* reason_name(streed::Reason reason) {
    switch (reason) {
        case streed::Reason::leaf:
            return "leaf";
        case streed::Reason::bound:
            return "bound";
        case streed::Reason::kernel:
            return "kernel";
        case streed::Reason::price:
            return "price";
        case streed::Reason::cache:
            return "cache";
        default:
            return "branched";
    }
}

// Tells a function of Python what was closed. An exception ends the question and is raised after it.
class Told {
public:
    Told(streed::Subproblems& parts, const nb::object& callback) : parts_(parts), callback_(callback) {
        if (!callback.is_none()) parts.listen([this](const streed::ClosedPart& part) { tell(part); });
    }
    ~Told() { parts_.listen(nullptr); }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    void check() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void tell(const streed::ClosedPart& part) {
        const nb::gil_scoped_acquire gil;
        if (failure_) return;
        try {
            Path path;
            for (const streed::Test& test : part.path) path.emplace_back(test.feature, test.with);
            callback_(path, part.depth, part.nodes, part.bound, part.exact, reason_name(part.reason));
        } catch (...) {
            failure_ = std::current_exception();
            parts_.stop();
        }
    }

    streed::Subproblems& parts_;
    nb::object callback_;
    std::exception_ptr failure_;
};

// Keeps the arrays alive as long as they may be asked about.
class Subproblems {
public:
    Subproblems(Input<std::uint8_t, 2> features, Input<std::int32_t, 1> labels, Input<double, 1> weights,
                int n_labels, const nb::kwargs& kwargs)
        : features_(features), labels_(labels), weights_(weights) {
        const SearchOptions given = read_options(kwargs, kOneValue);
        if (!given.poll.is_none()) refuse("poll is an argument of each question");
        if (given.prices || given.combination != "sum")
            refuse("parts of a problem have no prices of tests, and leaves are combined by sum");
        if (labels.shape(0) != features.shape(0) || weights.shape(0) != features.shape(0))
            refuse("features, labels and weights must have the same number of rows, got " +
                   text(features.shape(0)) + ", " + text(labels.shape(0)) + " and " + text(weights.shape(0)));
        problem_ = make_problem(features, n_labels);
        problem_.labels = labels.data();
        problem_.weights = weights.data();
        check_labels(problem_);
        options_ = given.engine();
        options_.switches.drop_features = false;
        parts_ = std::make_unique<streed::Subproblems>(problem_, options_);
    }

    nb::dict solve(const Path& path, int depth, int nodes, double limit, const nb::object& poll,
                   const nb::object& closed) {
        check_limits(depth, nodes);
        std::vector<streed::Test> tests;
        for (const auto& [feature, with] : path) tests.push_back({checked(feature), with});
        const Told told(*parts_, closed);
        const streed::Answer answer = run_polled(options_, poll,
                                                 [&] { return parts_->solve(tests, depth, nodes, limit); });
        told.check();
        nb::dict out;
        out["value"] = answer.value;
        out["exact"] = answer.exact;
        out["status"] = status_name(answer.status);
        return out;
    }

    nb::dict solve_roots(const std::vector<int>& features, int depth, int nodes, const nb::object& poll,
                         const nb::object& closed) {
        check_limits(depth, nodes);
        for (const int feature : features) checked(feature);
        const Told told(*parts_, closed);
        const streed::RootBounds answer = run_polled(
            options_, poll, [&] { return parts_->solve_roots(features, depth, nodes); });
        told.check();
        std::vector<double> bounds;
        for (const double bound : answer.bounds) bounds.push_back(parts_->in_units(bound));
        nb::dict out;
        out["bounds"] = as_array(std::move(bounds));
        out["status"] = status_name(answer.status);
        return out;
    }

    double upper() const { return parts_->in_units(parts_->ceiling()); }
    void lower(double value) {
        if (std::isnan(value)) refuse("the value of a tree must be a number, got nan");
        parts_->lower(parts_->in_ticks(value));
    }

private:
    int checked(int feature) const {
        if (feature < 0 || static_cast<std::size_t>(feature) >= problem_.n_features)
            refuse("features must be from 0 to " + text(static_cast<long>(problem_.n_features) - 1) +
                   ", got " + text(feature));
        return feature;
    }
    static void check_limits(int depth, int nodes) {
        if (depth < 0 || depth > 20) refuse("depth must be from 0 to 20, got " + text(depth));
        if (nodes < 0) refuse("nodes must not be negative, got " + text(nodes));
    }

    Input<std::uint8_t, 2> features_;
    Input<std::int32_t, 1> labels_;
    Input<double, 1> weights_;
    streed::Problem problem_;
    streed::Options options_;
    std::unique_ptr<streed::Subproblems> parts_;
};

}  // namespace

void register_subproblems(nb::module_& module) {
    nb::class_<Subproblems>(module, "Subproblems")
        .def(nb::init<Input<std::uint8_t, 2>, Input<std::int32_t, 1>, Input<double, 1>, int,
                      const nb::kwargs&>(),
             "features"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "n_labels"_a,
             "options"_a)
        .def("solve", &Subproblems::solve, "path"_a, "depth"_a, "nodes"_a, "limit"_a, "poll"_a = nb::none(),
             "closed"_a = nb::none())
        .def("solve_roots", &Subproblems::solve_roots, "features"_a, "depth"_a, "nodes"_a,
             "poll"_a = nb::none(), "closed"_a = nb::none())
        .def("lower", &Subproblems::lower, "value"_a)
        .def_prop_ro("upper", &Subproblems::upper);
}
