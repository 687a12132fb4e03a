package faults_test

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"savedq/internal/cli"
	"savedq/internal/engines"
)

// TestMain lets the test program run SQL of callers for a server, like the real program. It fails where a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engines.CallersCommand {
		os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}
