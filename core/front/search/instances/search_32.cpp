// The front search for 32 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<32>;
