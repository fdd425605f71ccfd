#pragma once
#include <pulse/pulseaudio.h>
#include <pulse/ext-stream-restore.h>
// Swift's module of the C library has no eventfd(2), by which other threads wake the loop.
#include <sys/eventfd.h>
