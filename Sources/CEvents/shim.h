#pragma once
/* Linux's event descriptors: Swift's Glibc module leaves these headers out. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
