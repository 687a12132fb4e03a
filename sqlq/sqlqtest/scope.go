package sqlqtest

import (
	"os"
	"testing"

	"pgregory.net/rapid"
)

// scope is the testing.TB of one random data set. What is registered with it is
// cleaned up when the data set is done with, and not at the end of the test,
// when hundreds of engines would be open; and a failure fails the data set, so
// that rapid can make it smaller.
type scope struct {
	testing.TB
	dataSet *rapid.T
}

// Cleanup runs the function when the data set is done with.
func (s scope) Cleanup(function func()) { s.dataSet.Cleanup(function) }

// TempDir returns a folder that is gone when the data set is done with.
func (s scope) TempDir() string {
	folder := s.TB.TempDir()
	s.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			s.TB.Errorf("remove %s: %v", folder, err)
		}
	})
	return folder
}

// Error fails the data set.
func (s scope) Error(args ...any) { s.dataSet.Error(args...) }

// Errorf fails the data set.
func (s scope) Errorf(format string, args ...any) { s.dataSet.Errorf(format, args...) }

// Fail fails the data set.
func (s scope) Fail() { s.dataSet.Fail() }

// FailNow fails the data set and ends it.
func (s scope) FailNow() { s.dataSet.FailNow() }

// Fatal fails the data set and ends it.
func (s scope) Fatal(args ...any) { s.dataSet.Fatal(args...) }

// Fatalf fails the data set and ends it.
func (s scope) Fatalf(format string, args ...any) { s.dataSet.Fatalf(format, args...) }
