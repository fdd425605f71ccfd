#pragma once
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and a wrong type is found by nobody:
// one function per type.

typedef size_t (*ccurl_piece)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_on_piece(CURL *easy, CURLoption function, CURLoption argument, ccurl_piece piece,
                                      void *context) {
  CURLcode failed = curl_easy_setopt(easy, function, piece);
  return failed ? failed : curl_easy_setopt(easy, argument, context);
}

static inline CURLcode ccurl_set_context(CURL *easy, void *context) {
  return curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)context);
}

static inline void *ccurl_context(CURL *easy) {
  char *context = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
  return context;
}

static inline long ccurl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// The absolute address that a redirection points to, or NULL; it lives as long as the handle is not used again.
static inline const char *ccurl_redirect(CURL *easy) {
  char *address = NULL;
  curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &address);
  return address;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// Reads the next finished transfer (CURLMsg holds a union that is awkward in Swift); NULL when there is none.
static inline CURL *ccurl_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

// Prepares each socket: not inherited by other programs (libcurl 7.88 leaves that out), and given up when the peer has not
// acknowledged anything for `context` milliseconds, so that a dead connection of the pool does not eat a whole deadline.
static inline int ccurl_prepare_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
  unsigned int silence = (unsigned int)(uintptr_t)context;
  int family = 0;
  socklen_t size = sizeof family;
  (void)purpose;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family != AF_UNIX)
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
  return CURL_SOCKOPT_OK;
}

static inline CURLcode ccurl_prepare_sockets(CURL *easy, unsigned int silence_milliseconds) {
  CURLcode failed = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, ccurl_prepare_socket);
  if (failed) return failed;
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)silence_milliseconds);
}
