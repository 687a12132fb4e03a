package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A demo that is restarted does not claim to have added something.
func TestFilled(t *testing.T) {
	t.Parallel()
	for events, want := range map[int]string{
		0: "./data already holds the demo events of the projects default, acme and globex.",
		1: "Added 1 demo event of the projects default, acme and globex in 3.1s.",
		2: "Added 2 demo events of the projects default, acme and globex in 3.1s.",
	} {
		assert.Equal(t, want, filled(events, "./data", 3120*time.Millisecond))
	}
}
