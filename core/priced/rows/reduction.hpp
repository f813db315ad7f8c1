// Features and rows that a node can do without, removed until nothing changes.
#pragma once

#include <memory>
#include <vector>

#include "priced/priced.hpp"
#include "priced/rows/rows.hpp"

namespace streed::priced {

class Reducer {
public:
    Reducer(const Root& root, const Kernels& kernels, const Techniques& techniques)
        : root_(root), kernels_(kernels), techniques_(techniques) {}

    // Returns the cost in units that the merged rows have in every tree. `filtered`: the features have passed
    // the support filter; `dropped`: features that part some rows have been left out since rows were last
    // compared.
    double reduce(std::unique_ptr<Rows>& rows, bool filtered, bool dropped);

    std::size_t cancelled() const { return cancelled_; }  // rows, so far
    // Of the rows that the last reduction took away: what they cost more than their prices, in ticks. Rows
    // that no feature separates go together, and none of them makes up for others that cost more.
    double unpaid() const { return unpaid_; }

private:
    // Support (support.cpp): the lanes of features both of whose sides can pay for a leaf; returns whether
    // one that parts the rows is missing.
    bool supported(const Rows& rows, std::vector<std::int32_t>& keep);
    // Equal and opposite features once (duplicates.cpp).
    void distinct(const Rows& rows, std::vector<std::int32_t>& keep);
    // Rows that no feature separates (cancellation.cpp), as one row or none; returns the cost that goes with
    // them, or -1 if there are no such rows. `mask` then has the rows that remain.
    double merge(Rows& rows, std::vector<std::uint64_t>& mask);
    void hash_rows(const Rows& rows);
    bool repeated(const Rows& rows);
    // The first row of the group of each row that has the same features.
    void group(const Rows& rows);
    double cancel_counted(const Rows& rows, std::vector<std::uint64_t>& mask);
    void add_debts(const Rows& rows);
    double merge_valued(Rows& rows, std::vector<std::uint64_t>& mask);

    const Root& root_;
    const Kernels& kernels_;
    const Techniques& techniques_;
    std::size_t cancelled_ = 0;
    double unpaid_ = 0;
    std::unique_ptr<Rows> spare_ = std::make_unique<Rows>();
    std::vector<std::int32_t> keep_, counts_[2];
    std::vector<std::uint64_t> mask_, wanted_, valid_, hashes_, row_hashes_, seen_bits_;
    std::vector<std::int32_t> seen_;
    std::vector<std::uint32_t> slots_, first_, stamps_;
    std::uint32_t stamp_ = 0;
    std::vector<std::int32_t> left_;
    std::vector<char> kept_rows_;
    std::vector<double> debts_;  // of the groups that lose rows
};

}  // namespace streed::priced
