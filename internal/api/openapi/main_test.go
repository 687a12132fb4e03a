package openapi_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files") //nolint:gochecknoglobals // Flags are global.

// TestMain fails if a test leaks a goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(closing{m}) }

// closing closes the store after the tests.
type closing struct{ *testing.M }

func (c closing) Run() int {
	defer func() { _ = opened.Close() }()
	return c.M.Run()
}
