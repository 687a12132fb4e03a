package load

import (
	"github.com/google/uuid"

	"savedq/internal/logstore"
)

// eventIDs makes the ids of events that have none. An id follows from the source
// and from all of the file up to and with its event: loading the same file again,
// under whatever name or compression, or after it has grown, finds the events
// already stored, while two equal events in one file stay two.
type eventIDs struct {
	last uuid.UUID
}

func newEventIDs(source logstore.Source) *eventIDs {
	return &eventIDs{last: uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:"+source.Table))}
}

// next takes the next event of the file, one that has an id or is malformed
// included, and returns the id that it gets if it has none.
func (e *eventIDs) next(raw []byte) string {
	e.last = uuid.NewSHA1(e.last, raw)
	return e.last.String()
}
