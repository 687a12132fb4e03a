//go:build !linux && !darwin

package logstore

import "os"

// keepPrivate does nothing, because these systems decide by other means who can read files.
func keepPrivate(string) error { return nil }

// lockDirectory does nothing, because these systems have no such lock.
func lockDirectory(string) (*os.File, error) { return nil, nil }
