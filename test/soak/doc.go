// Package soak tests the real server under twice the load that it can serve. Responses must be in time, memory flat, the
// log without errors, and the shutdown orderly. It also kills servers, loads and what reorganises the store: nothing that
// was acknowledged may be lost or doubled. Tests of hours run only if SOAK_SECONDS is set, and each takes that long.
package soak
