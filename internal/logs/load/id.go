package load

import (
	"crypto/sha1" //nolint:gosec // UUIDs of version 5 use it.
	"hash"

	"github.com/google/uuid"

	"savedq/sqlq"
)

// eventIDs generates ids for events without one. An id is a hash of the source and of the
// file up to and including the event. So loading a file again, under another name or
// compression, or after appending to it, adds nothing twice, while two equal events in one
// file stay two.
type eventIDs struct {
	last uuid.UUID
	hash hash.Hash
	sum  []byte
}

func newEventIDs(source *sqlq.Table) *eventIDs {
	return &eventIDs{
		last: uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:"+source.Name)),
		hash: sha1.New(), //nolint:gosec // UUIDs of version 5 use it; nothing is secret.
	}
}

// next hashes the next event of the file, even if it has an id or is malformed. The result
// is the id for the event if it has none.
//
// It is [uuid.NewSHA1] of the previous id and the event, without allocations.
func (e *eventIDs) next(raw []byte) uuid.UUID {
	e.hash.Reset()
	_, _ = e.hash.Write(e.last[:])
	_, _ = e.hash.Write(raw)
	e.sum = e.hash.Sum(e.sum[:0])
	copy(e.last[:], e.sum)
	const version, variant = 5 << 4, 0x80
	e.last[6] = e.last[6]&0x0f | version
	e.last[8] = e.last[8]&0x3f | variant
	return e.last
}
