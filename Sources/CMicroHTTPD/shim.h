#pragma once
#include <microhttpd.h>

// What libmicrohttpd tells its owner. The context of every call is the one given to cmhd_start.
struct cmhd_callbacks {
  MHD_AccessHandlerCallback request;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  MHD_LogCallback log;
  void *context;
};

// Leaves `%2F` and its like as they came: splitting a path is safe only before it is decoded.
static inline size_t cmhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  size_t length = 0;
  (void)context;
  (void)connection;
  while (text[length] != 0) length++;
  return length;
}

// MHD_start_daemon is variadic. The log comes first, so that messages of the start go to it too. No time-out is set:
// the deadlines of a connection are its owner's.
static inline struct MHD_Daemon *cmhd_start(int socket, unsigned int connections, unsigned int per_address,
                                            size_t memory, struct cmhd_callbacks callbacks) {
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
      callbacks.request, callbacks.context,
      MHD_OPTION_EXTERNAL_LOGGER, callbacks.log, callbacks.context,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, cmhd_keep_escapes, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
      MHD_OPTION_END);
}

// MHD_get_connection_info is variadic.
static inline int cmhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *answer =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return answer ? (int)answer->connect_fd : -1;
}

// MHD_get_connection_info is variadic.
static inline const struct sockaddr *cmhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *answer =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return answer ? answer->client_addr : NULL;
}
