package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// A record of the write-ahead log is recordFormat, and then a message in the encoding of Protocol
// Buffers. Fields may be added, but not changed: an older version may have written the log. Times are
// microseconds since 1970.
//
//	message Record {
//	  sint64 accepted = 1;
//	  bool generated = 2;
//	  repeated Event events = 3;
//	  repeated Rejected rejected = 4;
//	}
//	message Event {
//	  string source = 1; // its table
//	  string id = 2;
//	  sint64 timestamp = 3;
//	  optional string event_message = 4;
//	  optional string project = 5;
//	  optional bytes metadata = 6;
//	}
//	message Rejected {
//	  sint64 received = 1;
//	  string request_id = 2;
//	  string source = 3;
//	  uint64 position = 4;
//	  string reason = 5;
//	  string event = 6;
//	}
const recordFormat = 0

const (
	recordAccepted = iota + 1
	recordGenerated
	recordEvent
	recordRejected
)

const (
	eventSource = iota + 1
	eventID
	eventTimestamp
	eventMessage
	eventProject
	eventMetadata
)

const (
	rejectedReceived = iota + 1
	rejectedRequestID
	rejectedSource
	rejectedPosition
	rejectedReason
	rejectedEvent
)

// encoder encodes parts as records. It keeps its memory for the next ones, unless that is unusually
// much. It is not safe for concurrent use.
type encoder struct {
	records []byte
	// message is the event that is being encoded.
	message []byte
}

// encode returns a record for each part. They are valid until the next call.
func (e *encoder) encode(parts []*part) [][]byte {
	const usualBytes = 1 << 20
	if cap(e.records) > usualBytes {
		e.records = nil
	}
	e.records = e.records[:0]
	ends := make([]int, len(parts))
	for i, part := range parts {
		e.add(part)
		ends[i] = len(e.records)
	}
	encoded, start := make([][]byte, len(parts)), 0
	for i, end := range ends {
		encoded[i], start = e.records[start:end:end], end
	}
	return encoded
}

func (e *encoder) add(p *part) {
	e.records = appendTime(append(e.records, recordFormat), recordAccepted, p.accepted)
	if p.generated {
		e.records = appendVarint(e.records, recordGenerated, protowire.EncodeBool(true))
	}
	for i := range p.events {
		event := &p.events[i]
		e.message = appendText(e.message[:0], eventSource, event.Source.Name)
		e.message = appendText(e.message, eventID, event.ID)
		e.message = appendTime(e.message, eventTimestamp, event.Timestamp)
		if event.EventMessage != nil {
			e.message = appendText(e.message, eventMessage, *event.EventMessage)
		}
		if event.Project != nil {
			e.message = appendText(e.message, eventProject, *event.Project)
		}
		if event.Metadata != nil {
			e.message = appendBytes(e.message, eventMetadata, event.Metadata)
		}
		e.records = appendBytes(e.records, recordEvent, e.message)
	}
	for i := range p.rejected {
		rejected := &p.rejected[i]
		e.message = appendTime(e.message[:0], rejectedReceived, rejected.Received)
		e.message = appendText(e.message, rejectedRequestID, rejected.RequestID)
		e.message = appendText(e.message, rejectedSource, rejected.Source)
		e.message = appendVarint(e.message, rejectedPosition, uint64(rejected.Position)) //nolint:gosec // It is not negative.
		e.message = appendText(e.message, rejectedReason, rejected.Reason)
		e.message = appendText(e.message, rejectedEvent, rejected.Event)
		e.records = appendBytes(e.records, recordRejected, e.message)
	}
}

func appendVarint(message []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(message, field, protowire.VarintType), value)
}

func appendTime(message []byte, field protowire.Number, value time.Time) []byte {
	return appendVarint(message, field, protowire.EncodeZigZag(value.UnixMicro()))
}

func appendBytes(message []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(message, field, protowire.BytesType), value)
}

func appendText(message []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(message, field, protowire.BytesType), value)
}

// decodePart decodes a record. It does not refer to the content afterwards.
func decodePart(sequence uint64, content []byte, tables sqlq.Tables) (*part, error) {
	decoded, err := decodeRecord(content, tables)
	if err != nil {
		return nil, fmt.Errorf("decode record %d of the write-ahead log: %w", sequence, err)
	}
	decoded.sequence = sequence
	return decoded, nil
}

func decodeRecord(content []byte, tables sqlq.Tables) (*part, error) {
	if len(content) == 0 {
		return nil, errors.New("it is empty")
	}
	if content[0] != recordFormat {
		return nil, errors.New("a build before 0.1.0 or a later savedq wrote it; store its events with that one, or move the log away and send them again")
	}
	p := &part{}
	err := eachField(content[1:], func(field int, number uint64, value []byte) error {
		switch field {
		case recordAccepted:
			p.accepted = timeOf(number)
		case recordGenerated:
			p.generated = protowire.DecodeBool(number)
		case recordEvent:
			event, err := decodeEvent(value, tables)
			if err == nil {
				p.add(unknownSender, event, event.Fingerprint())
			}
			return err
		case recordRejected:
			rejected, err := decodeRejected(value)
			if err == nil {
				p.reject(unknownSender, rejected)
			}
			return err
		}
		return nil
	})
	return p, err
}

func decodeEvent(message []byte, tables sqlq.Tables) (*logevent.Sourced, error) {
	event := &logevent.Sourced{}
	table := ""
	err := eachField(message, func(field int, number uint64, value []byte) error {
		switch field {
		case eventSource:
			table = string(value)
		case eventID:
			event.ID = string(value)
		case eventTimestamp:
			event.Timestamp = timeOf(number)
		case eventMessage:
			event.EventMessage = new(string(value))
		case eventProject:
			event.Project = new(string(value))
		case eventMetadata:
			event.Metadata = bytes.Clone(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	event.Source, err = sourceOf(table, tables)
	return event, err
}

// sourceOf returns the source of an event in a record.
func sourceOf(table string, tables sqlq.Tables) (*sqlq.Table, error) {
	source, ok := tables.FindSource(table)
	if !ok {
		return nil, fmt.Errorf("it has events of %q, which is not a log source of the store", table)
	}
	return source, nil
}

func decodeRejected(message []byte) (rejected logevent.Rejected, err error) {
	err = eachField(message, func(field int, number uint64, value []byte) error {
		switch field {
		case rejectedReceived:
			rejected.Received = timeOf(number)
		case rejectedRequestID:
			rejected.RequestID = string(value)
		case rejectedSource:
			rejected.Source = string(value)
		case rejectedPosition:
			rejected.Position = int(min(number, math.MaxInt32)) //nolint:gosec // It fits.
		case rejectedReason:
			rejected.Reason = string(value)
		case rejectedEvent:
			rejected.Event = string(value)
		}
		return nil
	})
	return rejected, err
}

func timeOf(number uint64) time.Time { return time.UnixMicro(protowire.DecodeZigZag(number)).UTC() }

// eachField calls a function for each field of a message, with its number or its bytes.
func eachField(message []byte, each func(field int, number uint64, value []byte) error) error {
	for len(message) > 0 {
		field, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return protowire.ParseError(length)
		}
		message = message[length:]
		var (
			number uint64
			value  []byte
		)
		switch kind {
		case protowire.VarintType:
			number, length = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			value, length = protowire.ConsumeBytes(message)
		default:
			length = protowire.ConsumeFieldValue(field, kind, message)
		}
		if length < 0 {
			return protowire.ParseError(length)
		}
		if err := each(int(field), number, value); err != nil {
			return err
		}
		message = message[length:]
	}
	return nil
}
