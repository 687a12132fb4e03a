//go:build !unix

package durable

// LockDirectory does nothing, because the system has no advisory locks.
func LockDirectory(string) (unlock func(), err error) { return func() {}, nil }

// CanReplace reports true, because only an attempt can tell.
func CanReplace(string) bool { return true }
