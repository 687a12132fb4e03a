package logbody

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"savedq/internal/jsontext"
	"savedq/internal/logs/logevent"
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
	return eachElement(request, "resourceLogs", func(resourceLogs jsontext.Value) error {
		owner := &resource.Resource{}
		if err := parseOwner(resourceLogs.Get("resource"), owner); err != nil {
			return err
		}
		origin := c.enterResource(owner.GetAttributes())
		return eachElement(resourceLogs, "scopeLogs", func(scopeLogs jsontext.Value) error {
			scope := &common.InstrumentationScope{}
			if err := parseOwner(scopeLogs.Get("scope"), scope); err != nil {
				return err
			}
			origin.enterScope(scope)
			return eachElement(scopeLogs, "logRecords", func(record jsontext.Value) error {
				return c.addJSONRecord(&origin, record)
			})
		})
	})
}

// addJSONRecord adds a log record, or rejects it.
func (c *collector) addJSONRecord(origin *otlpOrigin, raw jsontext.Value) error {
	if c.position == MaxEvents {
		return ErrTooManyEvents
	}
	record := &logs.LogRecord{}
	if reason := decodeJSONRecord(raw, record); reason != "" {
		c.readable++
		c.reject(origin.sentSource, raw, reason)
	} else if err := c.addRecord(origin, record); err != nil {
		return err
	}
	c.position++
	return nil
}

// wrongValue finds the field in protojson's error for a wrong value. For messages and lists it has
// only the position. Its space varies with the build.
var wrongValue = regexp.MustCompile(`^proto:.\(line \d+:\d+\): invalid value for \w+ field (\w+): `)

// wrongKind ends the reason for a value of another kind.
const wrongKind = ": is not a value that a log record of OTLP can have"

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

// parseOwner parses the resource or scope of a message. Both may be absent.
func parseOwner(value jsontext.Value, owner proto.Message) error {
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

// eachElement calls visit for each element of a list in an object. The list may be absent.
func eachElement(object jsontext.Value, name string, visit func(element jsontext.Value) error) error {
	list := object.Get(name)
	switch {
	case list.IsNull():
		return nil
	case !list.Is('['):
		return errNotOTLP()
	}
	for element := range list.Elements() {
		if err := visit(element); err != nil {
			return err
		}
	}
	return nil
}
