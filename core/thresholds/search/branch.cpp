// Three levels and more over thresholds: intervals of root thresholds, with bounds at both ends.
#include <algorithm>
#include <array>

#include "run/team.hpp"
#include "thresholds/search/remote.hpp"
#include "thresholds/search/search.hpp"

namespace streed::thresholds {
namespace {

// Thresholds of the root in a batch: as many as a fourth of those before it, so that the first ones, which
// find better trees, are tried one by one.
constexpr std::size_t kMostAtOnce = 16, kBatchesAhead = 4;

}  // namespace

// Three levels and more. The same intervals as with two levels, but a threshold is tried by solving both its
// sides. A side is searched as far as it helps to prune the interval, not only this threshold: the lower side
// with limit - upper(high), the upper side with limit - lower(low). A side that fails then removes its half
// of the interval; searched with what this threshold alone would need, depth three took 8 to 70 times as
// long. The node with one level less comes first: it bounds the sides at the ends of all columns, gives the
// first tree, and an order to try columns in.
struct Worker::Branching {
    struct Share {
        int nodes[2];
    };
    using Task = RootTask;

    Worker& worker;
    Search& search;
    Node& node;
    const int depth, nodes, level;
    Cost limit;
    std::vector<Probe>* probes;

    std::vector<Share> shares;
    Frontier frontier;
    std::vector<Probe> first;
    std::size_t next_first = 0;
    Outcome best;
    bool found = false;
    Cost relaxed = kInfinite;

    Branching(Worker& the_worker, Node& the_node, int the_depth, int the_nodes, Cost the_limit, int the_level,
              std::vector<Probe>* the_probes)
        : worker(the_worker),
          search(the_worker.search_),
          node(the_node),
          depth(the_depth),
          nodes(the_nodes),
          level(the_level),
          limit(the_limit),
          probes(the_probes) {}

    Cost room() const { return limit - search.branch_cost; }

    Cost between(const Interval& interval) const {
        return search.cost(node.weight_up_to(interval.column, interval.high) -
                           node.weight_up_to(interval.column, interval.low));
    }

    void accept(Cost value, const std::shared_ptr<const Plan>& plan) {
        if (value >= limit || search.grid.bounds()) return;
        limit = value;
        found = true;
        best = {value, value, true, plan};
        if (level == 0) search.incumbent.offer(value, plan);
    }

    void divide_budget() {
        const int most = full_tree(depth - 1);
        if (nodes == full_tree(depth)) {
            shares.push_back({{most, most}});
            return;
        }
        for (int lower = std::min(nodes - 1, most); lower >= std::max(0, nodes - 1 - most); --lower)
            shares.push_back({{lower, nodes - 1 - lower}});
    }

    // One level less on all rows, for every budget that a side may get.
    void look_ahead() {
        std::vector<Probe> tried;
        std::vector<Cost> ends(static_cast<std::size_t>(std::min(nodes, full_tree(depth - 1)) + 1), -1);
        const auto end_of = [&](int budget) {
            Cost& known = ends[static_cast<std::size_t>(budget)];
            if (known < 0) {
                const Outcome outcome = worker.solve(node, depth - 1, budget, kInfinite, level,
                                                     tried.empty() ? &tried : nullptr);
                accept(outcome.value, outcome.plan);
                known = outcome.relaxed;
            }
            return known;
        };
        for (std::size_t s = 0; s < shares.size(); ++s) {
            const Cost lower = end_of(shares[s].nodes[0]), upper = end_of(shares[s].nodes[1]);
            for (int j = 0; j < node.n_columns(); ++j) {
                if (node.constant(j)) continue;
                push({j, 0, node.size(), static_cast<std::int32_t>(s), 0, upper, lower, 0, 0});
            }
        }
        if (search.options.switches.lookahead_order) best_of_columns(tried);
    }

    void best_of_columns(const std::vector<Probe>& tried) {
        std::vector<Probe> of(static_cast<std::size_t>(node.n_columns()), {kInfinite, -1, 0});
        for (const Probe& probe : tried)
            if (probe.value < of[static_cast<std::size_t>(probe.column)].value)
                of[static_cast<std::size_t>(probe.column)] = probe;
        for (const Probe& probe : of)
            if (probe.column >= 0) first.push_back(probe);
        std::stable_sort(first.begin(), first.end(),
                         [](const Probe& a, const Probe& b) { return a.value < b.value; });
    }

    void push(Interval interval) {
        if (interval.high - interval.low < 2) return;
        interval.set_bound(between(interval));
        if (interval.bound >= room()) return;
        if (interval.high - interval.low > search.undivided(node.size(), depth))
            frontier.push(interval);
        else if (search.grid.bounds())
            limit = interval.bound + search.branch_cost;
    }

    bool next(Task& task) {
        int low, high;
        for (; next_first < first.size() * shares.size(); ++next_first) {
            const Probe& probe = first[next_first / shares.size()];
            if (!frontier.take(probe.column, probe.position, static_cast<int>(next_first % shares.size()),
                               task.interval))
                continue;
            if (!candidates(node, task.interval, room(), search.table.ticks, low, high)) continue;
            if (probe.position < low || probe.position > high) {
                frontier.push(task.interval);
                continue;
            }
            task.position = probe.position;
            task.room = room();
            task.for_tree = true;
            ++next_first;
            return true;
        }
        while (!frontier.empty()) {
            if (frontier.best().bound >= room()) {
                frontier.clear();
                return false;
            }
            task.interval = frontier.pop();
            const int j = task.interval.column;
            if (!candidates(node, task.interval, room(), search.table.ticks, low, high)) continue;
            const int middle = low + (high - low + 1) / 2;
            const int behind = std::min(high, node.threshold_from(j, middle)),
                      before = std::max(low, node.threshold_up_to(j, middle));
            task.position = middle - before < behind - middle ? before : behind;
            task.room = room();
            task.for_tree = false;
            return true;
        }
        return false;
    }

    // At the root, while a tree that costs nothing is sought, the first threshold of each column is tried for
    // that tree alone: where one side fails, the bound of the other one is not worth a solve. Wine at depth 3
    // takes 45 solves instead of 68 until it finds one. Done for all thresholds, the lost bounds cost more
    // than that: wilt at depth 4 took 2.3 times as many solves.
    bool only_for_tree(const Task& task) const {
        return level == 0 && task.for_tree && task.room <= search.table.ticks;
    }

    // The side with more rows first: it is the likelier one to fail, but both are wanted in nearly any case.
    void evaluate(Worker& by, const Task& task, std::array<Outcome, 2>& out) const {
        const Interval& interval = task.interval;
        Node* sides[2] = {&by.child(level, 0), &by.child(level, 1)};
        by.look_at_clock(node);
        by.divide(node, interval.column, node.rank_at(interval.column, task.position), *sides[0], *sides[1]);
        const Cost limits[2] = {task.room - interval.upper_high, task.room - interval.lower_low};
        const Cost after = search.cost(node.weight_up_to(interval.column, interval.high) -
                                       node.weight_up_to(interval.column, task.position));
        const Cost before = search.cost(node.weight_up_to(interval.column, task.position) -
                                        node.weight_up_to(interval.column, interval.low));
        const Cost known[2] = {std::max(interval.lower_low, interval.lower_high - after),
                               std::max(interval.upper_high, interval.upper_low - before)};
        for (int turn = 0; turn < 2; ++turn) {
            const std::size_t side = (sides[0]->size() >= sides[1]->size()) == (turn == 0) ? 0 : 1;
            const bool wanted = turn == 0 || !only_for_tree(task) || out[1 - side].relaxed < limits[1 - side];
            if (!wanted || sides[side]->size() < search.least_rows)
                out[side] = {kInfinite, 0, false, nullptr};
            else
                out[side] = by.solve(*sides[side], depth - 1,
                                     shares[static_cast<std::size_t>(interval.share)].nodes[side],
                                     limits[side], level + 1);
            out[side].relaxed = std::max(out[side].relaxed, known[side]);
        }
    }

    void merge(const Task& task, const std::array<Outcome, 2>& out) {
        const Interval& interval = task.interval;
        relaxed = std::min(relaxed, search.branch_cost + out[0].relaxed + out[1].relaxed);
        if (search.grid.bounds()) limit = std::min(limit, relaxed);
        if (out[0].exact && out[1].exact) {
            const Cost value = search.branch_cost + out[0].value + out[1].value;
            if (probes != nullptr) probes->push_back({value, interval.column, task.position});
            if (value < limit) {
                const std::shared_ptr<Plan> plan = worker.make_plan(node, interval.column, task.position);
                for (std::size_t side = 0; side < 2; ++side) plan->side[side] = out[side].plan;
                accept(value, plan);
            }
        }
        Interval lower = interval, upper = interval;
        lower.high = upper.low = task.position;
        lower.lower_high = upper.lower_low = out[0].relaxed;
        lower.upper_high = upper.upper_low = out[1].relaxed;
        push(lower);
        push(upper);
    }

    void one_thread() {
        for (Task task; next(task);) {
            std::array<Outcome, 2> out;
            evaluate(worker, task, out);
            merge(task, out);
            if (limit <= search.branch_cost) break;
        }
    }

    // The bound of the whole tree: the least one of the intervals that are left and of those in work.
    void report(Cost in_work) {
        const Cost least = std::min(in_work, frontier.empty() ? in_work : frontier.best().bound);
        search.raise_bound(std::min(limit, least + search.branch_cost));
        double open = 0;
        for (const Interval& interval : frontier.all()) open += interval.high - interval.low;
        search.root_done = 1 - open / std::max(1.0, static_cast<double>(node.size()) *
                                                        static_cast<double>(node.n_columns()) *
                                                        static_cast<double>(shares.size()));
    }

    void in_batches(int n_threads);
    bool ask_helper(const std::vector<Task>& batch, std::vector<std::array<Outcome, 2>>& outcomes);

    Outcome run() {
        ++worker.statistics.nodes;
        const Cost leaf = search.cost(node.leaf_cost()), asked = limit;
        accept(leaf, nullptr);
        divide_budget();
        look_ahead();
        if (limit > search.branch_cost) {
            search.is_whole(level, depth, nodes) ? in_batches(search.options.n_threads) : one_thread();
        }
        relaxed = std::min({relaxed, leaf, limit});
        if (search.grid.bounds()) return {relaxed, relaxed, false, nullptr};
        if (!found) return {asked, relaxed, false, nullptr};
        best.relaxed = relaxed;
        return best;
    }
};

// At the root, a batch of thresholds is taken from the frontier, evaluated by all threads, and merged in the
// order in which it was taken. The size of a batch grows with the number of those before it, whatever the
// number of threads, and what a threshold notes in the cache is read by others only after its batch: so the
// search takes the same steps, and finds the same tree, with any number of threads.
void Worker::Branching::in_batches(int n_threads) {
    for (int j = 0; j < node.n_columns();
         ++j)  // what a node finds when it is asked is found before it is shared
        if (!node.constant(j)) node.weight_up_to(j, 0);
    std::vector<Task> batch;
    std::vector<std::array<Outcome, 2>> outcomes(kMostAtOnce);
    std::vector<std::unique_ptr<Cache>> notes;
    while (notes.size() < kMostAtOnce)
        notes.push_back(std::make_unique<Cache>(search.options.memory_limit / (6 * kMostAtOnce)));
    std::vector<std::unique_ptr<Worker>> others;
    for (int t = 1; t < n_threads; ++t) others.push_back(std::make_unique<Worker>(search, false));
    run::Team team(
        n_threads,
        [&](int thread, std::size_t piece) {
            Worker& by = thread == 0 ? worker : *others[static_cast<std::size_t>(thread) - 1];
            const Notes kept(by, search.use_cache ? notes[piece].get() : nullptr);
            evaluate(by, batch[piece], outcomes[piece]);
        },
        [&] { search.checkpoint(worker.calling_); });  // the caller is asked while other threads work
    std::size_t done = 0;
    while (limit > search.branch_cost) {
        batch.clear();
        const std::size_t size = std::clamp<std::size_t>(done / kBatchesAhead, 1, kMostAtOnce);
        for (Task task; batch.size() < size && next(task);) batch.push_back(task);
        if (batch.empty()) break;
        const auto least = [](const Task& a, const Task& b) { return a.interval.bound < b.interval.bound; };
        report(std::min_element(batch.begin(), batch.end(), least)->interval.bound);
        if (!search.has_helper() || !ask_helper(batch, outcomes)) team.run(batch.size());
        for (std::size_t k = 0; k < batch.size(); ++k) {
            search.take_memory(search.cache.absorb(*notes[k]));
            merge(batch[k], outcomes[k]);
        }
        done += batch.size();
    }
}

// The same by other processes; false if these leave it to this one. With three levels nothing is cached, so
// that the search takes the same steps.
bool Worker::Branching::ask_helper(const std::vector<Task>& batch,
                                   std::vector<std::array<Outcome, 2>>& outcomes) {
    const Numbers asked = write_batch(search.grid, batch);
    Numbers told;
    while (!search.effort.helper(asked, told)) search.checkpoint(worker.calling_);
    search.checkpoint(worker.calling_);
    if (told.empty()) return false;
    const std::vector<RootAnswer> answers = read_answers(told, batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) {
        outcomes[k] = answers[k].sides;
        search.count_work(answers[k].work);
    }
    return true;
}

void Worker::evaluate_root(const std::vector<RootTask>& tasks,
                           const std::function<void(const RootAnswer&)>& each) {
    Node& root = search_.table.root;
    prepare(root);
    Branching branching(*this, root, search_.depth, search_.nodes, kInfinite, 0, nullptr);
    branching.divide_budget();
    for (const RootTask& task : tasks) {
        RootAnswer answer;
        const double before = search_.work();
        branching.evaluate(*this, task, answer.sides);
        answer.work = search_.work() - before;
        each(answer);
    }
}

Outcome Worker::branch(Node& node, int depth, int nodes, Cost limit, int level, std::vector<Probe>* probes) {
    return Branching(*this, node, depth, nodes, limit, level, probes).run();
}

}  // namespace streed::thresholds
