package logbody

import (
	"encoding/base64"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"savedq/sqlq"
)

const (
	// maxOTLPDepth is how deep the messages of OTLP may be nested. A map within a map is
	// three messages deeper. Metadata may not be as deep.
	maxOTLPDepth = 400
	// badRecord is the reason for a record that cannot be decoded.
	badRecord = "event: is not a valid log record of OTLP, or is nested too deeply"
	// longRecord is the reason for a record of more than maxOTLPRecordBytes.
	longRecord = "event: is longer than 1 MiB, which is the limit for a log record of OTLP"
)

// Numbers of fields. In ExportLogsServiceRequest the first one is a list of ResourceLogs. In
// ResourceLogs and ScopeLogs, the first one is the resource or the scope, and the second one
// the list of what belongs to it.
const (
	otlpResourceLogs protowire.Number = 1
	otlpOwner        protowire.Number = 1
	otlpChildren     protowire.Number = 2
)

// readOTLPProtobuf reads an ExportLogsServiceRequest. It decodes one log record after the
// other: all of them at once would take many times the memory of the body.
func (c *collector) readOTLPProtobuf(body []byte) error {
	return eachMessage(body, otlpResourceLogs, func(resourceLogs []byte) error {
		owner := &resource.Resource{}
		if err := decodeOwner(resourceLogs, owner); err != nil {
			return err
		}
		origin := c.enterResource(owner.GetAttributes())
		return eachMessage(resourceLogs, otlpChildren, func(scopeLogs []byte) error {
			scope := &common.InstrumentationScope{}
			if err := decodeOwner(scopeLogs, scope); err != nil {
				return err
			}
			origin.enterScope(scope)
			return eachMessage(scopeLogs, otlpChildren, func(encoded []byte) error {
				return c.addEncodedRecord(&origin, encoded)
			})
		})
	})
}

// addEncodedRecord adds a log record, or rejects it.
func (c *collector) addEncodedRecord(origin *otlpOrigin, encoded []byte) error {
	if c.position == MaxEvents {
		return ErrTooManyEvents
	}
	record := &logs.LogRecord{}
	reason := badRecord
	switch {
	case len(encoded) > maxOTLPRecordBytes:
		reason = longRecord
	case decoder(false).Unmarshal(encoded, record) == nil:
		reason = ""
	}
	if reason != "" {
		c.readable++
		const quotedBytes = 3 << 10 // Base64 serves to find the sender, not to send again
		c.reject(origin.sentSource, []byte(base64.StdEncoding.EncodeToString(encoded[:min(len(encoded), quotedBytes)])), reason)
	} else if err := c.addRecord(origin, record); err != nil {
		return err
	}
	c.position++
	return nil
}

// decodeOwner decodes the resource or scope of a message.
func decodeOwner(message []byte, owner proto.Message) error {
	return eachMessage(message, otlpOwner, func(encoded []byte) error {
		if len(encoded) > maxOTLPRecordBytes || decoder(true).Unmarshal(encoded, owner) != nil {
			return errNotOTLP()
		}
		return nil
	})
}

func decoder(merge bool) proto.UnmarshalOptions {
	return proto.UnmarshalOptions{Merge: merge, DiscardUnknown: true, RecursionLimit: maxOTLPDepth}
}

// eachMessage calls visit for each message in the field of a message.
func eachMessage(message []byte, field protowire.Number, visit func(encoded []byte) error) error {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errNotOTLP()
		}
		message = message[length:]
		if number != field {
			if length = protowire.ConsumeFieldValue(number, kind, message); length < 0 {
				return errNotOTLP()
			}
			message = message[length:]
			continue
		}
		encoded, length := protowire.ConsumeBytes(message)
		if kind != protowire.BytesType || length < 0 {
			return errNotOTLP()
		}
		if err := visit(encoded); err != nil {
			return err
		}
		message = message[length:]
	}
	return nil
}

func errNotOTLP() error {
	return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not an ExportLogsServiceRequest of OTLP")
}
