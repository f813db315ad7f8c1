// The clock of a search: when it calls `poll`, and which limit ends it.
#include "run/control.hpp"

namespace streed::run {
namespace {

constexpr double kPollEvery = 0.1;  // seconds

}  // namespace

bool Control::look(bool calling_thread) {
    if (stopped()) return true;
    const double now = elapsed();
    if (now > options.time_limit) {
        stop(Status::time_limit);
    } else if (options.needs_cache && memory.overflowed()) {
        stop(Status::memory_limit);
    } else if (calling_thread && options.poll && now >= next_poll_) {
        next_poll_ = now + kPollEvery;
        Progress shown = progress ? progress() : Progress{};
        shown.elapsed = now;
        shown.memory = static_cast<double>(memory.used());
        if (options.poll(shown)) stop(Status::interrupted);
    }
    return stopped();
}

}  // namespace streed::run
