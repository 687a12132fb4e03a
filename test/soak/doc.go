// Package soak tests the real server under twice the load that it can serve. Responses
// must be in time, memory flat, the log without errors, and the shutdown orderly. It also
// kills loads and truncates the log of the store: every load must be stored completely or
// not at all. Tests of hours run only if SOAK_SECONDS is set, and each takes that long.
package soak
