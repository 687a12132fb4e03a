// Package faults puts the whole server under load while its engine is slow, fails,
// hangs, flaps, panics or gives nonsense. It holds nothing but tests: whatever the
// engine does, every caller gets an answer in time, nothing is lost or left behind,
// and the server recovers by itself.
package faults
