package cli

import (
	"context"
	"os"
	"testing"
)

// TestMain lets the test program be the worker that checks SQL, as the real program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerName {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
