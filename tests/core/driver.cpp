// Runs the engine on random problems, alone and with three threads and a watcher, for the sanitizers of the
// compiler: no Python, no other library. The same problem must have the same answer, whoever watches; a
// search that is stopped must come back with a tree. Ends with 1 and says why if something differs. `make
// sanitize` builds and runs it.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine.hpp"
#include "front/mixed/solve.hpp"
#include "front/task.hpp"
#include "leaves/native/rows.hpp"
#include "other_engines.hpp"
#include "random_rows.hpp"
#include "shell.hpp"
#include "sizes.hpp"

namespace {

using driver::fail;
using driver::Rows;
using driver::same;
using driver::Watcher;
using streed::Options;
using streed::Problem;
using streed::Progress;
using streed::Result;
using streed::Status;

// The same value and tree at every level of instructions that this machine has.
void levels(const std::string& what, const Problem& problem, Options options, const Result& best) {
    for (const std::string& level : streed::simd_levels()) {
        options.simd = level;
        const Result result = streed::solve(problem, options);
        if (result.objective != best.objective) fail(what, "another optimum with " + level);
        if (!same(result.tree, best.tree)) fail(what, "another tree with " + level);
        const streed::Statistics &own = result.statistics, &other = best.statistics;
        if (own.nodes != other.nodes || own.depth_two_solves != other.depth_two_solves ||
            own.tables_counted != other.tables_counted)
            fail(what, "other work with " + level);
    }
}

// Once alone, once with three threads and a watcher, then stopped by the watcher and by the clock.
void scalar(const std::string& what, const Problem& problem, int depth) {
    Options options;
    options.max_depth = depth;
    const Result alone = streed::solve(problem, options);
    if (problem.function == nullptr) levels(what, problem, options, alone);
    options.n_threads = 3;
    Watcher watcher{what};
    options.poll = std::ref(watcher);
    const Result threads = streed::solve(problem, options);
    if (alone.status != Status::optimal || threads.status != Status::optimal) fail(what, "not optimal");
    if (alone.objective != threads.objective) fail(what, "another optimum with threads");
    if (problem.function == nullptr && !problem.maximum && !same(alone.tree, threads.tree))
        fail(what, "another tree with threads");
    Watcher beside{what};
    options.poll = std::ref(beside);
    options.neighbourhood_steps = 5;
    const Result improved = streed::solve(problem, options);
    if (alone.objective != improved.objective) fail(what, "another optimum after neighbourhoods");
    if (problem.function == nullptr && !problem.maximum && !same(alone.tree, improved.tree))
        fail(what, "another tree after neighbourhoods");
    options.neighbourhood_steps = 0;
    Watcher hasty{what, 2};
    options.poll = std::ref(hasty);
    const Result stopped = streed::solve(problem, options);
    if (stopped.tree.empty() || stopped.objective < alone.objective - 1e-9 * (1 + alone.magnitude))
        fail(what, "better than the optimum");
    options.poll = {};
    options.time_limit = alone.seconds / 3;
    const Result late = streed::solve(problem, options);
    if (late.tree.empty() || late.lower_bound > alone.objective + 1e-9 * (1 + alone.magnitude))
        fail(what, "a bound above the optimum");
    std::printf("%-24s depth %d: %g in %.2f s, %.2f s with threads, watched %d times\n", what.c_str(), depth,
                alone.objective, alone.seconds, threads.seconds, watcher.calls);
}

// Losses that the kernels know: squared errors, the deviance of counts, and the entropy of two classes.
void native(const streed::NativeLoss& loss, const Rows& rows, int depth) {
    std::vector<double> statistics;
    for (std::size_t r = 0; r < rows.n; ++r) {
        const double count = static_cast<double>(static_cast<int>(rows.statistics[3 * r + 1])),
                     exposure = 1.5;
        const double own = count > 0 ? count * std::log(count / exposure) : 0;
        const double value = rows.statistics[3 * r + 1];
        const std::vector<double> numbers = loss.name == "squares" ? std::vector{1.0, value, value * value}
                                            : loss.name == "log_ratio"
                                                ? std::vector{count, exposure, own}
                                                : std::vector{value > 0 ? 1.0 : 0.0, value > 0 ? 0.0 : 1.0,
                                                              0.0};
        statistics.insert(statistics.end(), numbers.begin(), numbers.end());
    }
    streed::LeafFunction leaf;
    leaf.statistics = statistics.data();
    leaf.n_statistics = 3;
    leaf.native = loss.loss;
    leaf.costs = [form = loss.loss](const double* sums, std::size_t leaves, double* out) {
        for (std::size_t c = 0; c < leaves; ++c) {
            const double own[3] = {sums[c], sums[leaves + c], sums[2 * leaves + c]};
            out[c] = streed::native_leaf_cost(form, own, 3, 0);
        }
    };
    Problem problem;
    problem.features = rows.features.data();
    problem.n_rows = rows.n;
    problem.n_features = rows.f;
    problem.function = &leaf;
    scalar(loss.name, problem, std::min(depth, 4));
}

// Squared errors over thresholds of a few columns, whose children are estimated first: the same value, tree
// and work at every level, and the same value and tree without estimates, and with threads.
void estimates(std::size_t n, std::size_t columns, int depth, unsigned seed) {
    constexpr std::size_t kCuts = 9;
    Rows rows(n, columns * kCuts, 1, seed);
    for (std::size_t r = 0; r < n; ++r) {
        double value = static_cast<double>(rows.random() % 1000) / 300;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = rows.random() % (kCuts + 1);
            value += static_cast<double>((c + 1) * (at > 4 ? at : 2));
            for (std::size_t k = 0; k < kCuts; ++k)
                rows.features[r * rows.f + c * kCuts + k] = c % 2 == 0 ? at <= k : at > k;
        }
        rows.statistics[3 * r + 1] = value;
        rows.statistics[3 * r + 2] = value * value;
    }
    for (const streed::NativeLoss& loss : streed::native_losses()) {
        if (loss.name != "squares") continue;
        streed::LeafFunction leaf;
        leaf.statistics = rows.statistics.data();
        leaf.n_statistics = 3;
        leaf.native = loss.loss;
        leaf.costs = [form = loss.loss](const double* sums, std::size_t leaves, double* out) {
            for (std::size_t c = 0; c < leaves; ++c) {
                const double own[3] = {sums[c], sums[leaves + c], sums[2 * leaves + c]};
                out[c] = streed::native_leaf_cost(form, own, 3, 0);
            }
        };
        Problem problem;
        problem.features = rows.features.data();
        problem.n_rows = rows.n;
        problem.n_features = rows.f;
        problem.function = &leaf;
        Options options;
        options.max_depth = depth;
        const Result with = streed::solve(problem, options);
        levels("estimates", problem, options, with);
        options.n_threads = 3;
        const Result threads = streed::solve(problem, options);
        options.n_threads = 1;
        options.switches.screen = false;
        const Result without = streed::solve(problem, options);
        for (const Result& other : {threads, without})
            if (with.objective != other.objective || !same(with.tree, other.tree))
                fail("estimates", "another tree without them or with threads");
    }
}

void all_scalars(std::size_t n, std::size_t f, int depth, unsigned seed) {
    for (const int labels : {2, 3}) {
        Rows rows(n, f, labels, seed);
        const std::string name = std::to_string(labels) + " labels";
        scalar(name, rows.problem(true), depth);
        scalar(name + ", weights", rows.problem(false), depth);
        Problem costs = rows.problem(true);
        costs.costs = rows.cost.data();
        scalar(name + ", costs", costs, depth);
        streed::Prices prices{rows.attribute.data(), rows.group.data(), rows.full.data(),
                              rows.discounted.data()};
        Problem priced = rows.problem(true);
        priced.prices = &prices;
        scalar(name + ", prices", priced, depth);
        Problem largest = costs;
        largest.maximum = true;
        scalar(name + ", largest leaf", largest, std::min(depth, 3));
    }
    Rows rows(n, f, 1, seed);
    streed::LeafFunction spread;
    spread.statistics = rows.statistics.data();
    spread.n_statistics = 3;
    std::atomic<long> calls{0};
    spread.costs = [&calls](const double* sums, std::size_t leaves, double* out) {
        ++calls;
        for (std::size_t c = 0; c < leaves; ++c)
            out[c] = sums[2 * leaves + c] - sums[leaves + c] * sums[leaves + c] / std::max(1.0, sums[c]);
    };
    Problem problem = rows.problem(true);
    problem.function = &spread;
    scalar("leaf function", problem, std::min(depth, 3));
    for (const streed::NativeLoss& loss : streed::native_losses()) native(loss, rows, depth);
    streed::LeafFunction failing = spread;
    failing.costs = [&](const double* sums, std::size_t leaves, double* out) {
        spread.costs(sums, leaves, out);
        if (calls > 40 && calls % 7 == 0) throw streed::TaskFailure("made to fail");
    };
    problem.function = &failing;
    Options options;
    options.max_depth = std::min(depth, 3);
    options.n_threads = 3;
    try {
        calls = 0;
        streed::solve(problem, options);
    } catch (const streed::TaskFailure&) {
    }
}

// Fronts, limits and mixed parts share the clock, the watcher and the scalar searches, which have threads.
void vectors(std::size_t n, std::size_t f, int depth, unsigned seed) {
    Rows rows(n, f, 2, seed);
    std::vector<double> costs(n * 2 * 2);
    for (std::size_t r = 0; r < n; ++r)
        for (int c = 0; c < 2; ++c) {
            costs[(r * 2 + static_cast<std::size_t>(c)) * 2] = c != rows.label[r];
            costs[(r * 2 + static_cast<std::size_t>(c)) * 2 + 1] = c == 1 ? (r % 3 == 0 ? 1.0 : -1.0) : 0.0;
        }
    const std::vector<double> nothing(2);
    const streed::VectorProblem problem{
        rows.features.data(), costs.data(), nothing.data(), nullptr, nullptr, n, f, 2, 2};
    Options options;
    options.max_depth = depth;
    const double infinity = std::numeric_limits<double>::infinity();
    const streed::Region all{{infinity, infinity}, {0, 0}, infinity};
    const auto front = streed::solve_front(problem, all, options);
    const auto limited = streed::solve_constrained(problem, {-5}, {5}, {}, options);
    options.n_threads = 3;
    Watcher watcher{"fronts"};
    options.poll = [&watcher](const Progress&) { return ++watcher.calls < 0; };
    if (streed::solve_front(problem, all, options).values != front.values)
        fail("front", "another front with threads");
    const auto again = streed::solve_constrained(problem, {-5}, {5}, {infinity, limited.known, {}}, options);
    if (again.values[0] != limited.values[0])
        fail("limits", "another optimum from known trees, with threads");
    const auto less = streed::solve_constrained(problem, {-5}, {5},
                                                {limited.values[0], {}, limited.multipliers}, options);
    if (less.lower_bound < limited.values[0]) fail("limits", "the cutoff is not proven");
    streed::MixedProblem mixed{rows.features.data(), n, f, 2, {}};
    for (const bool maximum : {false, true}) {
        streed::MixedPart part;
        part.statistics = rows.cost.data();
        part.n_statistics = 2;
        part.maximum = maximum;
        mixed.parts.push_back(part);
    }
    options.max_depth = std::min(depth, 2);
    const auto parts = streed::solve_mixed(mixed, options);
    std::printf("front of %zu, limits %g, mixed front of %zu\n", front.values.size(),
                limited.values.empty() ? -1 : limited.values[0], parts.trees.size());
}

void run(int size) {
    driver::shell();
    driver::plans_of_other_rows();
    for (const std::size_t f :
         {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{70}})  // no feature, one word, two
        for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{65}}) {
            all_scalars(n, f, f > 60 ? 2 : 3, static_cast<unsigned>(n + f));
            vectors(n, f, 2, static_cast<unsigned>(n + f));
            driver::sizes(n, std::min<std::size_t>(f, 16), 3, static_cast<unsigned>(n + f));
            driver::priced_nodes(n, std::min<std::size_t>(f, 16), 0.03, static_cast<unsigned>(n + f));
            driver::thresholds(n, std::min<std::size_t>(f, 6), 3, static_cast<unsigned>(n + f));
        }
    all_scalars(static_cast<std::size_t>(400 * size), 24, 4, 1);
    estimates(static_cast<std::size_t>(300 * size), 6, 4, 9);
    estimates(static_cast<std::size_t>(150 * size), 3, 3, 10);
    all_scalars(static_cast<std::size_t>(150 * size), 14, 5, 2);
    vectors(static_cast<std::size_t>(200 * size), 14, 4, 3);
    driver::sizes(static_cast<std::size_t>(200 * size), 14, 4, 7);
    driver::sizes(static_cast<std::size_t>(100 * size), 10, 5, 8);
    driver::priced_nodes(static_cast<std::size_t>(150 * size), 16, 0.012, 4);
    driver::thresholds(static_cast<std::size_t>(120 * size), 5, 3, 5);
    driver::thresholds(static_cast<std::size_t>(90 * size), 3, 4, 6);
    driver::division_of_many_rows(40000);
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
    try {
        run(argc > 1 ? std::atoi(argv[1]) : 1);
    } catch (const std::exception& difference) {
        std::printf("%s\n", difference.what());
        return 1;
    }
    std::printf("all the same\n");
    return 0;
}
