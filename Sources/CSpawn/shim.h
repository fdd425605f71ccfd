#pragma once
/* Of <spawn.h> (glibc 2.34 and newer), which shows it to _GNU_SOURCE alone; Swift's Glibc module does not define that. The
   header itself is left to that module: `actions` is a posix_spawn_file_actions_t. */
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
