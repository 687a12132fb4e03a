package logevent

import (
	"crypto/sha256"
	"encoding/binary"

	"savedq/sqlq"
)

// Fingerprint identifies the source and the id of an event. It is long enough that two events
// never share one by accident, and nobody can make up a pair that does.
type Fingerprint struct{ High, Low uint64 }

// FingerprintOf returns the fingerprint of an id of a source. Stores hold fingerprints, so it
// must not change.
func FingerprintOf(source *sqlq.Table, id string) Fingerprint {
	const separator = "\x00" // in no name of a source
	var buffer [128]byte
	text := append(append(append(buffer[:0], source.Name...), separator...), id...)
	sum := sha256.Sum256(text)
	return Fingerprint{High: binary.BigEndian.Uint64(sum[:8]), Low: binary.BigEndian.Uint64(sum[8:16])}
}
