package logbody

import (
	"bytes"
	"encoding/base64"
	"fmt"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

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

// encodedMessage is a message of OTLP in the encoding of Protocol Buffers.
type encodedMessage []byte

func (m encodedMessage) record(record *logs.LogRecord) (reason string, quoted []byte) {
	const quotedBytes = 3 << 10 // Base64 serves to find the sender, not to send again
	switch {
	case len(m) > maxOTLPRecordBytes:
		reason = longRecord
	case decode(m, record) != nil:
		reason = badRecord
	default:
		return "", nil
	}
	return reason, []byte(base64.StdEncoding.EncodeToString(m[:min(len(m), quotedBytes)]))
}

func (m encodedMessage) owner(field otlpField, owner proto.Message) error {
	var whole []byte // parts of a message follow each other
	err := m.each(field, func(encoded []byte) error {
		whole = append(whole, encoded...)
		return nil
	})
	if err != nil || len(whole) > maxOTLPRecordBytes || decode(whole, owner) != nil {
		return errNotOTLP()
	}
	return nil
}

// decode decodes a message, with U+FFFD for bytes in its text that are not UTF-8.
func decode(encoded []byte, message proto.Message) error {
	options := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxOTLPDepth}
	if options.Unmarshal(encoded, message) == nil {
		return nil
	}
	proto.Reset(message)
	options.Merge = true
	return decodeFields(encoded, message.ProtoReflect(), options)
}

// decodeFields decodes a message field by field, which takes longer, and repairs its text.
func decodeFields(encoded []byte, message protoreflect.Message, options proto.UnmarshalOptions) error {
	if options.RecursionLimit--; options.RecursionLimit < 0 {
		return errNotOTLP()
	}
	for len(encoded) > 0 {
		number, kind, length := protowire.ConsumeField(encoded)
		if length < 0 {
			return errNotOTLP()
		}
		field := encoded[:length]
		encoded = encoded[length:]
		descriptor := message.Descriptor().Fields().ByNumber(number)
		if descriptor != nil && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(field)
			content, _ := protowire.ConsumeBytes(field[tag:])
			switch {
			case descriptor.Kind() == protoreflect.StringKind:
				field = protowire.AppendBytes(protowire.AppendTag(nil, number, kind), bytes.ToValidUTF8(content, []byte("\ufffd")))
			case descriptor.Message() != nil:
				value := message.Mutable(descriptor)
				if descriptor.IsList() {
					value = value.List().AppendMutable()
				}
				if err := decodeFields(content, value.Message(), options); err != nil {
					return err
				}
				continue
			}
		}
		if err := options.Unmarshal(field, message.Interface()); err != nil {
			return fmt.Errorf("decode a field: %w", err)
		}
	}
	return nil
}

func (m encodedMessage) children(field otlpField, visit func(otlpMessage) error) error {
	return m.each(field, func(encoded []byte) error { return visit(encodedMessage(encoded)) })
}

// each calls visit for each message in a field.
func (m encodedMessage) each(field otlpField, visit func(encoded []byte) error) error {
	for message := m; len(message) > 0; {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errNotOTLP()
		}
		message = message[length:]
		if number != field.number {
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
