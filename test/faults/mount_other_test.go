//go:build !linux

package faults_test

import "testing"

// mountDisk skips the test: only on Linux it knows how to make a small disk.
func mountDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("a small disk can be mounted only on Linux")
	return ""
}
