// The front search for 3 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<3>;
