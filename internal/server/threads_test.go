package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A server has two threads more than processors, unless the variable says how many.
func TestServerHasThreadsForIngest(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]int{"": 2, "1": 0, "2": 0} {
		more := 0
		(&Server{config: Config{
			Getenv:  func(name string) string { return map[string]string{"GOMAXPROCS": variable}[name] },
			RunMore: func(threads int) { more += threads },
		}}).allowIngestThreads()
		assert.Equal(t, want, more, "GOMAXPROCS=%s", variable)
	}
}
