package load

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// The ids of events without one are the same for ever, or loading a file again would
// store its events twice.
func TestEventIDsAreChainedUUIDs(t *testing.T) {
	t.Parallel()
	ids := newEventIDs(&sqlq.Table{Name: "edge_logs"})
	want := uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:edge_logs"))
	for _, raw := range []string{`{"event_message":"a"}`, `{"event_message":"a"}`, "", "nonsense"} {
		want = uuid.NewSHA1(want, []byte(raw))
		assert.Equal(t, want, ids.next([]byte(raw)))
	}
}
