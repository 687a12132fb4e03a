package auth_test

import (
	"flag"
	"testing"
	"time"
)

// TestMain gives the property tests the same random values in each run, unless the
// command line sets another seed.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "20261120"); err != nil {
		panic(err)
	}
	m.Run()
}

// noon is the time of most tests.
func noon() time.Time { return time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) }
