package logstore

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/logevent"
)

// The filter knows every id that was added, and few others.
func TestIDFilter(t *testing.T) {
	t.Parallel()
	const ids = 100_000
	filter := newIDFilter(4 * ids)
	edge, auth := logevent.Source{Table: "edge_logs"}, logevent.Source{Table: "auth_logs"}
	wrong := 0
	for i := range ids {
		if filter.add(FingerprintOf(edge, strconv.Itoa(i)).High) {
			wrong++
		}
	}
	assert.Less(t, wrong, ids/1000, "with 32 bits for each id")
	for i := range ids {
		assert.True(t, filter.add(FingerprintOf(edge, strconv.Itoa(i)).High))
	}
	wrong = 0
	for i := range 1000 {
		if filter.add(FingerprintOf(auth, strconv.Itoa(i)).High) {
			wrong++
		}
	}
	assert.Less(t, wrong, 10, "the id of another source")
}
