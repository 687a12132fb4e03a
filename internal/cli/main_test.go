package cli

import (
	"context"
	"os"
	"slices"
	"testing"

	"savedq/internal/engines"
)

// TestMain lets the test program run as the processes that check and run SQL, like the real program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{engines.WorkerCommand, engines.CallersCommand}, os.Args[1]) {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
