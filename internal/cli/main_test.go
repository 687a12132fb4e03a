package cli

import (
	"context"
	"os"
	"testing"

	"savedq/internal/engines"
)

// TestMain lets the test program run as the worker that checks SQL, like the real program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engines.WorkerCommand {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
