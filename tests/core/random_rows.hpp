// Random problems, and a watcher that checks what it is told; for the driver of the sanitizers.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine.hpp"

namespace driver {

[[noreturn]] inline void fail(const std::string& what, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), why.c_str());
    std::exit(1);
}

// Rows with random features, labels that depend on three of them with noise, weights, costs and statistics.
struct Rows {
    Rows(std::size_t rows, std::size_t columns, int labels, unsigned seed)
        : n(rows), f(columns), k(labels), random(seed) {
        features.resize(n * f);
        for (auto& bit : features) bit = random() % 2;
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t code = f < 3 ? 0
                                           : features[r * f] + 2u * features[r * f + 1] +
                                                 4u * features[r * f + 2];
            label.push_back(
                static_cast<std::int32_t>((random() % 4 == 0 ? random() : code) % static_cast<unsigned>(k)));
            ones.push_back(1);
            weight.push_back(0.001 * static_cast<double>(1 + random() % 9999));
            for (int c = 0; c < k; ++c)
                cost.push_back(c == label.back() ? 0 : 0.01 * static_cast<double>(random() % 1000));
            const double value = static_cast<double>(random() % 100) / 7;
            for (const double number : {1.0, value, value * value}) statistics.push_back(number);
        }
        for (std::size_t c = 0; c < f; ++c) {
            attribute.push_back(static_cast<std::int32_t>(c / 2));
            group.push_back(static_cast<std::int32_t>(c / 2 % 3) - 1);
            full.push_back(c % 2 == 1 ? full.back() : 0.01 * static_cast<double>(random() % 50));
            discounted.push_back(full.back() / 2);
        }
    }

    streed::Problem problem(bool counted) {
        streed::Problem out;
        out.features = features.data();
        out.n_rows = n;
        out.n_features = f;
        out.n_labels = k;
        out.labels = label.data();
        out.weights = counted ? ones.data() : weight.data();
        return out;
    }

    std::size_t n, f;
    int k;
    std::mt19937 random;
    std::vector<std::uint8_t> features;
    std::vector<std::int32_t> label, attribute, group;
    std::vector<double> ones, weight, cost, statistics, full, discounted;
};

// What a watcher sees: bounds below values, and time that goes on.
struct Watcher {
    std::string what;
    int stop_after = 1 << 30;
    int calls = 0;
    double last = 0;

    bool operator()(const streed::Progress& progress) {
        ++calls;
        if (progress.elapsed < last) fail(what, "time goes back");
        if (progress.lower_bound > progress.objective + 1e-6 * (1 + std::abs(progress.objective)))
            fail(what, "the bound is above the value");
        last = progress.elapsed;
        return calls >= stop_after;
    }
};

inline bool same(const streed::Tree& a, const streed::Tree& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].feature != b[i].feature || a[i].label != b[i].label || a[i].left != b[i].left ||
            a[i].right != b[i].right)
            return false;
    return true;
}

}  // namespace driver
