// Package faults tests the whole server under load while its engine is slow, fails,
// hangs, flaps, panics or returns nonsense. Whatever the engine does, every caller must
// get a response in time, nothing may leak, and the server must recover by itself.
package faults
