package logbody

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// readOTLPJSON reads an ExportLogsServiceRequest in JSON, one log record after the other.
func (c *collector) readOTLPJSON(body []byte) error {
	request, err := logevent.Object(logevent.Repair(body))
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not an ExportLogsServiceRequest of OTLP in JSON: it %s", strings.TrimPrefix(err.Error(), "event: "))
	}
	hasMembers := false
	request.ForEach(func(_, _ gjson.Result) bool {
		hasMembers = true
		return false
	})
	if hasMembers && !request.Get("resourceLogs").Exists() {
		return sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has no resourceLogs, so it is not an ExportLogsServiceRequest of OTLP; send events of other forms to /api/logs")
	}
	return eachElement(request, "resourceLogs", func(resourceLogs gjson.Result) error {
		owner := &resource.Resource{}
		if err := parseOwner(resourceLogs.Get("resource"), owner); err != nil {
			return err
		}
		origin := c.enterResource(owner.GetAttributes())
		return eachElement(resourceLogs, "scopeLogs", func(scopeLogs gjson.Result) error {
			scope := &common.InstrumentationScope{}
			if err := parseOwner(scopeLogs.Get("scope"), scope); err != nil {
				return err
			}
			origin.enterScope(scope)
			return eachElement(scopeLogs, "logRecords", func(record gjson.Result) error {
				return c.addJSONRecord(&origin, record.Raw)
			})
		})
	})
}

// addJSONRecord adds a log record, or rejects it.
func (c *collector) addJSONRecord(origin *otlpOrigin, raw string) error {
	if c.position == MaxEvents {
		return ErrTooManyEvents
	}
	record := &logs.LogRecord{}
	if reason := decodeJSONRecord(raw, record); reason != "" {
		c.readable++
		c.reject(origin.sentSource, []byte(raw), reason)
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
func decodeJSONRecord(raw string, record *logs.LogRecord) (reason string) {
	if len(raw) > maxOTLPRecordBytes {
		return longRecord
	}
	// The parser ignores unknown names, as those of a later version.
	if severity := gjson.Get(raw, "severityNumber"); severity.Type == gjson.String {
		if _, known := logs.SeverityNumber_value[severity.Str]; !known {
			return "severityNumber" + wrongKind
		}
	}
	if err := parser().Unmarshal([]byte(raw), record); err != nil {
		if field := wrongValue.FindStringSubmatch(err.Error()); field != nil {
			return field[1] + wrongKind
		}
		switch body, attributes := gjson.Get(raw, "body"), gjson.Get(raw, "attributes"); {
		case body.Type != gjson.Null && !body.IsObject():
			return "body" + wrongKind
		case attributes.Type != gjson.Null && !attributes.IsArray():
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
func parseOwner(value gjson.Result, owner proto.Message) error {
	if value.Type == gjson.Null {
		return nil
	}
	if len(value.Raw) > maxOTLPRecordBytes || parser().Unmarshal([]byte(value.Raw), owner) != nil {
		return errNotOTLP()
	}
	return nil
}

func parser() protojson.UnmarshalOptions {
	return protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxOTLPDepth}
}

// eachElement calls visit for each element of a list in an object. The list may be absent.
func eachElement(object gjson.Result, name string, visit func(element gjson.Result) error) (err error) {
	list := object.Get(name)
	switch {
	case list.Type == gjson.Null:
		return nil
	case !list.IsArray():
		return errNotOTLP()
	}
	list.ForEach(func(_, element gjson.Result) bool {
		err = visit(element)
		return err == nil
	})
	return err
}
