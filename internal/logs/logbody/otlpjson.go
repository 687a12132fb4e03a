package logbody

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// readOTLPJSON reads an ExportLogsServiceRequest in JSON, one log record after the other.
func (c *collector) readOTLPJSON(body []byte) error {
	request, err := logevent.Object(logevent.Repair(body))
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not an ExportLogsServiceRequest of OTLP in JSON: it %s", strings.TrimPrefix(err.Error(), "event: "))
	}
	if !isEmpty(request) && request.Get("resourceLogs") == nil {
		return sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has no resourceLogs, so it is not an ExportLogsServiceRequest of OTLP; send events of other forms to /api/logs")
	}
	return c.readOTLP(jsonMessage(request))
}

// jsonMessage is a message of OTLP in JSON.
type jsonMessage jsontext.Value

// wrongValue finds the field in protojson's error for a wrong value. For messages and lists it has
// only the position. Its space varies with the build.
var wrongValue = regexp.MustCompile(`^proto:.\(line \d+:\d+\): invalid value for \w+ field (\w+): `)

// wrongKind ends the reason for a value of another kind.
const wrongKind = ": is not a value that a log record of OTLP can have"

func (m jsonMessage) record(record *logs.LogRecord) (reason string, quoted []byte) {
	return decodeJSONRecord(jsontext.Value(m), record), m
}

// decodeJSONRecord decodes a log record. It returns why it cannot, or an empty text.
func decodeJSONRecord(raw jsontext.Value, record *logs.LogRecord) (reason string) {
	if len(raw) > maxOTLPRecordBytes {
		return longRecord
	}
	// The parser ignores unknown names, such as names of a later version.
	if severity := raw.Get("severityNumber"); severity.Is('"') {
		if _, known := logs.SeverityNumber_value[severity.Text()]; !known {
			return "severityNumber" + wrongKind
		}
	}
	if err := parser().Unmarshal(raw, record); err != nil {
		if field := wrongValue.FindStringSubmatch(err.Error()); field != nil {
			return field[1] + wrongKind
		}
		switch body, attributes := raw.Get("body"), raw.Get("attributes"); {
		case !body.IsNull() && !body.Is('{'):
			return "body" + wrongKind
		case !attributes.IsNull() && !attributes.Is('['):
			return "attributes" + wrongKind
		}
		return badRecord
	}
	switch {
	case fromHex(&record.TraceId) != nil:
		return "traceId: is not hexadecimal"
	case fromHex(&record.SpanId) != nil:
		return "spanId: is not hexadecimal"
	}
	return ""
}

// fromHex repairs the id of a trace or span. OTLP has it in hexadecimal digits, which
// protojson decodes as Base64; that is exact for their number of digits.
func fromHex(id *[]byte) (err error) {
	*id, err = hex.DecodeString(base64.StdEncoding.EncodeToString(*id))
	return err
}

func (m jsonMessage) owner(field otlpField, owner proto.Message) error {
	value := jsontext.Value(m).Get(field.name)
	if value.IsNull() {
		return nil
	}
	if len(value) > maxOTLPRecordBytes || parser().Unmarshal(value, owner) != nil {
		return errNotOTLP()
	}
	return nil
}

func parser() protojson.UnmarshalOptions {
	return protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxOTLPDepth}
}

func (m jsonMessage) children(field otlpField, visit func(otlpMessage) error) error {
	list := jsontext.Value(m).Get(field.name)
	switch {
	case list.IsNull():
		return nil
	case !list.Is('['):
		return errNotOTLP()
	}
	for element := range list.Elements() {
		if err := visit(jsonMessage(element)); err != nil {
			return err
		}
	}
	return nil
}
