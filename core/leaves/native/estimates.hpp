// Estimates of what trees of two levels gain, for squared errors. Part of kernels/body.hpp.
//
// Sums are whole numbers of a coarse grid, packed as in packed_table.hpp but into 32 bits; benefits are
// floats. A vector has twice the lanes, and one quotient serves two cells. How far an estimate can be from
// the value is known (search/screen/): most children are ruled out by estimates, and of the others few roots
// are solved exactly.
//
// Quotients join the cells that change places when the features of a pair do, so that the estimate of a pair
// is the same number from both sides, and no instruction set has other estimates.

typedef Vec<float> Floats;

inline Floats larger_of(Floats a, Floats b) {
#if STREED_VECTOR_BYTES == 64
    return _mm512_max_ps(a, b);
#elif STREED_VECTOR_BYTES == 32
    return _mm256_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

inline float largest_of(Floats values) {
#if STREED_VECTOR_BYTES == 64
    return _mm512_reduce_max_ps(values);
#else
    float largest = values[0];
    for (int k = 1; k < kLanes<float>; ++k) largest = larger(largest, values[k]);
    return largest;
#endif
}

// Both parts of packed numbers of 32 bits.
struct CoarseParts {
    int shift;
    std::int32_t half, low;

    explicit CoarseParts(int at) : shift(at), half(1 << (at - 1)), low((1 << at) - 1) {}
    void operator()(Vec<std::int32_t> packed, Floats& n, Floats& sum) const {
        packed += half;
        n = __builtin_convertvector(
            reinterpret_cast<Vec<std::int32_t>>(reinterpret_cast<Vec<std::uint32_t>>(packed) >> shift),
            Floats);
        sum = __builtin_convertvector((packed & low) - half, Floats);
    }
};

// Squares by counts of two cells, which gain nothing where they are empty.
inline void two_benefits(Floats n, Floats sum, Floats other_n, Floats other_sum, Floats& benefit,
                         Floats& other) {
    const Floats one = Floats{} + 1.0f;
    n = larger_of(n, one);
    other_n = larger_of(other_n, one);
    const Floats quotient = one / (n * other_n);
    benefit = sum * sum * (quotient * other_n);
    other = other_sum * other_sum * (quotient * n);
}

// roots[lane] = what the best tree with this root gains, branching included as often as it is in a tree of
// three nodes; returns the largest one. A side that is empty is a leaf that gains nothing.
float estimate_roots(const Frame& frame, const EstimateProblem& problem) {
    constexpr int kWidth = kLanes<float>;
    const HalfRowsOf<kWidth> filled(frame);
    const std::size_t pitch = problem.pitch;
    const CoarseParts parts(problem.shift);
    float* const single_n = problem.room;
    float* const single_sum = single_n + pitch;
    float* const right = single_sum + pitch;
    float* const left = right + pitch;
    Floats total_n, total_sum;
    parts(Vec<std::int32_t>{} + problem.total, total_n, total_sum);
    for (int j = 0; j < filled.lanes; j += kWidth) {
        Floats n, sum, with, without;
        parts(*vectors(problem.singles + j), n, sum);
        *vectors(single_n + j) = n;
        *vectors(single_sum + j) = sum;
        two_benefits(n, sum, total_n - n, total_sum - sum, with, without);
        *vectors(right + j) = with + problem.branch;
        *vectors(left + j) = without + problem.branch;
    }
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        const std::size_t row = static_cast<std::size_t>(i) * pitch;
        const Floats n = Floats{} + single_n[i], sum = Floats{} + single_sum[i];
        const Floats rest_n = total_n - n, rest_sum = total_sum - sum;
        Floats best_right{}, best_left{};
        for (int j = filled.begin(i); j < filled.end(i); j += kWidth) {
            Vec<std::int32_t> both = *vectors(problem.table + row + j);
            if (problem.minuend != nullptr) both = *vectors(problem.minuend + row + j) - both;
            Floats cell_n, cell_sum;
            parts(both, cell_n, cell_sum);
            const Floats other_n = *vectors(single_n + j) - cell_n;
            const Floats other_sum = *vectors(single_sum + j) - cell_sum;
            Floats of_both, of_root, of_other, of_none;
            two_benefits(cell_n, cell_sum, rest_n - other_n, rest_sum - other_sum, of_both, of_none);
            two_benefits(n - cell_n, sum - cell_sum, other_n, other_sum, of_root, of_other);
            best_right = larger_of(of_both + of_root, best_right);
            best_left = larger_of(of_other + of_none, best_left);
            *vectors(right + j) = larger_of(of_both + of_other, *vectors(right + j));
            *vectors(left + j) = larger_of(of_root + of_none, *vectors(left + j));
        }
        right[i] = larger(right[i], largest_of(best_right));
        left[i] = larger(left[i], largest_of(best_left));
    }
    float best = 0;
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        problem.roots[i] = right[i] + left[i];
        best = larger(best, problem.roots[i]);
    }
    return best;
}
