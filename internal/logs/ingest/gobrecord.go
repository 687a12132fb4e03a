package ingest

import (
	"bytes"
	"encoding/gob"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// gobRecord is a record of the write-ahead log as earlier versions wrote it. After an upgrade, the log of a
// killed server can have some.
type gobRecord struct {
	Accepted  time.Time
	Generated bool
	Events    []gobEvent
	Rejected  []logstore.RejectedEvent
}

// gobEvent is an event in a gobRecord.
type gobEvent struct {
	Source    string
	ID        string
	Timestamp int64 // microseconds since 1970
	// Absent fields have no text.
	EventMessage, Project string
	HasMessage            bool
	HasProject            bool
	Metadata              []byte
}

// decodeGob decodes a gobRecord.
func decodeGob(content []byte) (*part, error) {
	var decoded gobRecord
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&decoded); err != nil {
		return nil, err
	}
	p := &part{accepted: decoded.Accepted, generated: decoded.Generated}
	p.reject(unknownSender, decoded.Rejected...)
	for i := range decoded.Events {
		from := &decoded.Events[i]
		source, err := sourceOf(from.Source)
		if err != nil {
			return nil, err
		}
		event := Event{Source: source, Event: logevent.Event{ID: from.ID, Timestamp: time.UnixMicro(from.Timestamp).UTC(), Metadata: from.Metadata}}
		if from.HasMessage {
			event.EventMessage = &from.EventMessage
		}
		if from.HasProject {
			event.Project = &from.Project
		}
		p.add(unknownSender, &event, fingerprintOf(&event))
	}
	return p, nil
}
