package tail_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A hub without subscriptions has no goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
