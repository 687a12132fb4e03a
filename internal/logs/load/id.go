package load

import (
	"crypto/sha1" //nolint:gosec // UUIDs of version 5 are made with it.
	"hash"

	"github.com/google/uuid"

	"savedq/internal/logs/logstore"
)

// eventIDs makes the ids of events that have none. An id follows from the source
// and from all of the file up to and with its event: loading the same file again,
// under whatever name or compression, or after it has grown, finds the events
// already stored, while two equal events in one file stay two.
type eventIDs struct {
	last uuid.UUID
	hash hash.Hash
	sum  []byte
}

func newEventIDs(source logstore.Source) *eventIDs {
	return &eventIDs{
		last: uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:"+source.Table)),
		hash: sha1.New(), //nolint:gosec // UUIDs of version 5 are made so; nothing has to be kept secret.
	}
}

// next takes the next event of the file, one that has an id or is malformed
// included. Its id, if it has none, is then the last one.
//
// It is [uuid.NewSHA1] of the id before and the event, which this computes without
// allocating, since most events need no id.
func (e *eventIDs) next(raw []byte) {
	e.hash.Reset()
	_, _ = e.hash.Write(e.last[:])
	_, _ = e.hash.Write(raw)
	e.sum = e.hash.Sum(e.sum[:0])
	copy(e.last[:], e.sum)
	const version, variant = 5 << 4, 0x80
	e.last[6] = e.last[6]&0x0f | version
	e.last[8] = e.last[8]&0x3f | variant
}

func (e *eventIDs) String() string { return e.last.String() }
