package logbody

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"savedq/internal/logs/logevent"
)

const (
	// maxOTLPRecordBytes is the largest encoded log record, resource or scope of OTLP. It
	// bounds the memory of decoding one, which is many times the size of one that consists
	// of empty attributes.
	maxOTLPRecordBytes = 1 << 20
	// sourceAttribute, projectAttribute and idAttribute are the attributes that become
	// fields of an event. The last one is of OpenTelemetry's semantic conventions.
	sourceAttribute  = "source"
	projectAttribute = "project"
	idAttribute      = "log.record.uid"
)

// otlpOrigin is what the records of a scope share.
type otlpOrigin struct {
	origin

	// project is the JSON of the project of the resource, or nil.
	project []byte
	// resource and scope are objects in JSON, or nil.
	resource, scope []byte
}

// otlpMessage is a message of OTLP in one of its encodings.
type otlpMessage interface {
	// children calls visit for each message in the list of a field.
	children(field otlpField, visit func(otlpMessage) error) error
	// owner decodes the resource or scope of the message, which may be absent.
	owner(field otlpField, owner proto.Message) error
	// record decodes the message, a log record. It returns why it cannot, and what of the message to quote then.
	record(record *logs.LogRecord) (reason string, quoted []byte)
}

// otlpField is the name of a field, and its number.
type otlpField struct {
	name   string
	number protowire.Number
}

// readOTLP reads an ExportLogsServiceRequest. It decodes one log record after the other: all of them at once would take
// many times the memory of the body.
func (c *collector) readOTLP(request otlpMessage) error {
	return request.children(otlpField{"resourceLogs", 1}, func(resourceLogs otlpMessage) error {
		owner := &resource.Resource{}
		if err := resourceLogs.owner(otlpField{"resource", 1}, owner); err != nil {
			return err
		}
		origin := c.enterResource(owner.GetAttributes())
		return resourceLogs.children(otlpField{"scopeLogs", 2}, func(scopeLogs otlpMessage) error {
			scope := &common.InstrumentationScope{}
			if err := scopeLogs.owner(otlpField{"scope", 1}, scope); err != nil {
				return err
			}
			origin.enterScope(scope)
			return scopeLogs.children(otlpField{"logRecords", 2}, func(record otlpMessage) error {
				return c.addRecord(&origin, record)
			})
		})
	})
}

// addRecord adds a log record, or rejects it.
func (c *collector) addRecord(origin *otlpOrigin, message otlpMessage) error {
	if c.position == MaxEvents {
		return ErrTooManyEvents
	}
	record := &logs.LogRecord{}
	if reason, quoted := message.record(record); reason != "" {
		c.readable++
		c.reject(origin.sentSource, quoted, reason)
		c.position++
		return nil
	}
	event := origin.event(record)
	if err := c.addFrom(&origin.origin, event, event); err != nil {
		return err
	}
	c.position++
	return nil
}

// enterResource returns the origin of the records of a resource.
func (c *collector) enterResource(attributes []*common.KeyValue) otlpOrigin {
	origin := otlpOrigin{origin: origin{source: c.options.Source}}
	if len(attributes) > 0 {
		origin.resource = appendAttributes(nil, attributes)
	}
	var named string
	for _, attribute := range attributes {
		switch attribute.GetKey() {
		case sourceAttribute:
			named = attribute.GetValue().GetStringValue()
		case projectAttribute:
			origin.project = textOf(attribute.GetValue())
		}
	}
	if origin.source != nil {
		origin.sentSource = origin.source.Name
	}
	if named == "" {
		if origin.source == nil {
			origin.rejection = "source: the request names none; set the resource attribute source or the header X-Source"
		}
		return origin
	}
	source, err := c.options.Tables.Source(named)
	if err != nil {
		origin.rejection = "source: " + err.Error()
		origin.sentSource = logevent.Cut([]byte(named), maxSentSource)
		return origin
	}
	origin.source, origin.sentSource, origin.denied = source, source.Name, c.allow(source)
	return origin
}

// enterScope adds the scope to the origin.
func (o *otlpOrigin) enterScope(scope *common.InstrumentationScope) {
	o.scope = nil
	if scope.GetName() == "" && scope.GetVersion() == "" && len(scope.GetAttributes()) == 0 {
		return
	}
	o.scope = []byte{'{'}
	o.scope = appendTexts(o.scope, [][2]string{{"name", scope.GetName()}, {"version", scope.GetVersion()}})
	if len(scope.GetAttributes()) > 0 {
		o.scope = appendMember(o.scope, "attributes", appendAttributes(nil, scope.GetAttributes()))
	}
	o.scope = append(o.scope, '}')
}

// event returns a record as savedq's event.
func (o *otlpOrigin) event(record *logs.LogRecord) []byte {
	event := []byte{'{'}
	project, id := o.project, []byte(nil)
	for _, attribute := range record.GetAttributes() {
		switch attribute.GetKey() {
		case idAttribute:
			id = textOf(attribute.GetValue())
		case projectAttribute:
			if named := textOf(attribute.GetValue()); named != nil {
				project = named
			}
		}
	}
	if id != nil {
		event = appendMember(event, "id", id)
	}
	if project != nil {
		event = appendMember(event, "project", project)
	}
	if nanoseconds := cmp.Or(record.GetTimeUnixNano(), record.GetObservedTimeUnixNano()); nanoseconds != 0 {
		event = appendMember(event, "timestamp", strconv.AppendUint(nil, nanoseconds, 10))
	}
	if body := record.GetBody().GetValue(); body != nil {
		event = appendMember(event, "event_message", anyText(record.GetBody()))
	} else if record.GetEventName() != "" {
		event = appendMember(event, "event_message", appendString(nil, record.GetEventName()))
	}
	return append(appendMember(event, "metadata", o.metadata(record)), '}')
}

// metadata returns the metadata of a record. Its attributes are last, because the last
// member of a name counts.
func (o *otlpOrigin) metadata(record *logs.LogRecord) []byte {
	metadata := []byte{'{'}
	if o.resource != nil {
		metadata = appendMember(metadata, "resource", o.resource)
	}
	if o.scope != nil {
		metadata = appendMember(metadata, "scope", o.scope)
	}
	if record.GetSeverityNumber() != 0 {
		metadata = append(appendKey(metadata, "severity_number"), strconv.Itoa(int(record.GetSeverityNumber()))...)
	}
	metadata = appendTexts(metadata, [][2]string{
		{"severity_text", record.GetSeverityText()},
		{"event_name", record.GetEventName()},
		{"trace_id", hex.EncodeToString(record.GetTraceId())},
		{"span_id", hex.EncodeToString(record.GetSpanId())},
	})
	if isStructure(record.GetBody()) {
		metadata = appendMember(metadata, "body", appendAny(nil, record.GetBody()))
	}
	for _, attribute := range record.GetAttributes() {
		metadata = appendMember(metadata, attribute.GetKey(), appendAny(nil, attribute.GetValue()))
	}
	return append(metadata, '}')
}

// appendAny appends a value of OTLP as JSON: bytes as Base64, and what JSON has no number for
// as null. Decoding has limited the depth of values.
func appendAny(output []byte, value *common.AnyValue) []byte {
	switch kind := value.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return appendString(output, kind.StringValue)
	case *common.AnyValue_BoolValue:
		return strconv.AppendBool(output, kind.BoolValue)
	case *common.AnyValue_IntValue:
		return strconv.AppendInt(output, kind.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		if math.IsNaN(kind.DoubleValue) || math.IsInf(kind.DoubleValue, 0) {
			return append(output, "null"...)
		}
		return strconv.AppendFloat(output, kind.DoubleValue, 'g', -1, 64)
	case *common.AnyValue_BytesValue:
		return appendString(output, base64.StdEncoding.EncodeToString(kind.BytesValue))
	case *common.AnyValue_ArrayValue:
		output = append(output, '[')
		for i, element := range kind.ArrayValue.GetValues() {
			if i > 0 {
				output = append(output, ',')
			}
			output = appendAny(output, element)
		}
		return append(output, ']')
	case *common.AnyValue_KvlistValue:
		return appendAttributes(output, kind.KvlistValue.GetValues())
	}
	return append(output, "null"...)
}

// appendAttributes appends attributes as an object in JSON.
func appendAttributes(output []byte, attributes []*common.KeyValue) []byte {
	output = append(output, '{')
	for _, attribute := range attributes {
		output = appendAny(appendKey(output, attribute.GetKey()), attribute.GetValue())
	}
	return append(output, '}')
}

// anyText returns a value as a string in JSON: what is not a string as its JSON.
func anyText(value *common.AnyValue) []byte {
	if text, isString := value.GetValue().(*common.AnyValue_StringValue); isString {
		return appendString(nil, text.StringValue)
	}
	return appendString(nil, string(appendAny(nil, value)))
}

// textOf is [anyText] of a value that can be absent, which it returns nil for.
func textOf(value *common.AnyValue) []byte {
	if value.GetValue() == nil {
		return nil
	}
	return anyText(value)
}

// isStructure reports whether a value has values in it.
func isStructure(value *common.AnyValue) bool {
	switch value.GetValue().(type) {
	case *common.AnyValue_ArrayValue, *common.AnyValue_KvlistValue:
		return true
	}
	return false
}
