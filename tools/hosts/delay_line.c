/* SPDX-License-Identifier: BSD-3-Clause */
/* The delay line: one TAP device in the network namespace of each emulated host, and frames that go from one to
 * another no earlier than the delay after they were sent. Not: a rate (tc tbf on the hosts' devices). Invariant:
 * frames leave in the order in which they came, for the delay is the same for all; a frame that finds the line full is
 * dropped, as by a switch.
 *   delay-line DELAY_NS NAMESPACE...     such as /proc/123/ns/net; prints "ready" when all devices are there */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kMostHosts = 64, kFrames = 8192, kFrameBytes = 1600, kNanosecondsASecond = 1000000000 };

struct frame {
  int64_t due_ns;
  int from; /* host */
  ssize_t length_bytes;
  unsigned char bytes[kFrameBytes];
};

static struct frame line[kFrames]; /* a ring: `taken` and `put` only grow */
static uint64_t taken, put;
static struct pollfd devices[kMostHosts];
static int hosts;

static void stop(const char* what, const char* which) {
  fprintf(stderr, "emulated-hosts: delay line: %s %s: %s\n", what, which, strerror(errno));
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * kNanosecondsASecond + now.tv_nsec;
}

/* The last byte of a device's address is its host's number, from 1: so the line knows where a frame goes. */
static void set_address(int device, int number) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  request.ifr_hwaddr.sa_data[0] = 2; /* locally administered */
  request.ifr_hwaddr.sa_data[5] = (char)number;
  if (ioctl(device, SIOCSIFHWADDR, &request) != 0) stop("set the address of the device in", "its host");
}

static int open_device(const char* name_space, int number) {
  struct ifreq request;
  int file = open(name_space, O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, CLONE_NEWNET) != 0) stop("enter", name_space);
  close(file);
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) stop("open", "/dev/net/tun");
  memset(&request, 0, sizeof request);
  snprintf(request.ifr_name, sizeof request.ifr_name, "eth0");
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &request) != 0) stop("make a TAP device in", name_space);
  set_address(device, number);
  return device;
}

static void take_in(int host, int64_t delay_ns) {
  struct frame dropped;
  for (int i = 0; i < 64; ++i) { /* not all: the other hosts' devices wait */
    struct frame* frame = put - taken < kFrames ? &line[put % kFrames] : &dropped;
    frame->length_bytes = read(devices[host].fd, frame->bytes, sizeof frame->bytes);
    if (frame->length_bytes < 14) return;
    frame->due_ns = now_ns() + delay_ns;
    frame->from = host;
    if (frame != &dropped) ++put;
  }
}

static void hand_over(const struct frame* frame) {
  const int everybody = frame->bytes[0] & 1;
  for (int host = 0; host < hosts; ++host) {
    const int meant = everybody ? host != frame->from : frame->bytes[5] == host + 1;
    if (!meant) continue;
    const ssize_t written = write(devices[host].fd, frame->bytes, (size_t)frame->length_bytes);
    (void)written; /* a device that is down or full drops the frame */
  }
}

/* [ns] until the next frame is due; -1 with none in the line. */
static int64_t hand_over_due(void) {
  while (taken < put) {
    const struct frame* next = &line[taken % kFrames];
    const int64_t left_ns = next->due_ns - now_ns();
    if (left_ns > 0) return left_ns;
    hand_over(next);
    ++taken;
  }
  return -1;
}

/* Ranks that spin must not make a frame late: the line runs before everybody where that is allowed. */
static void go_first(void) {
  const struct sched_param first = {.sched_priority = 1};
  (void)sched_setscheduler(0, SCHED_FIFO, &first);
}

int main(int count, char** words) {
  const int64_t delay_ns = count > 1 ? strtoll(words[1], NULL, 10) : 0;
  hosts = count - 2;
  if (delay_ns <= 0 || hosts < 1 || hosts > kMostHosts) {
    fprintf(stderr, "usage: delay-line DELAY_NS NAMESPACE...\n");
    return 2;
  }
  for (int host = 0; host < hosts; ++host) {
    devices[host] = (struct pollfd){.fd = open_device(words[host + 2], host + 1), .events = POLLIN, .revents = 0};
  }
  go_first();
  printf("ready\n");
  fflush(stdout);
  while (1) {
    const int64_t left_ns = hand_over_due();
    const struct timespec left = {left_ns / kNanosecondsASecond, left_ns % kNanosecondsASecond};
    if (ppoll(devices, (nfds_t)hosts, left_ns < 0 ? NULL : &left, NULL) < 0 && errno != EINTR)
      stop("wait for", "frames");
    for (int host = 0; host < hosts; ++host) {
      if (devices[host].revents & POLLIN) take_in(host, delay_ns);
    }
  }
}
