package logbody_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"savedq/internal/logs/logbody"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// nested returns a message with a field that holds a message.
func nested(t *testing.T, message string, field protowire.Number) string {
	t.Helper()
	return string(protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte(message)))
}

func text(value string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}
}

func attribute(key string, value *common.AnyValue) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: value}
}

// every is a request that uses every field, and everyJSON the same in JSON.
func every() *collector.ExportLogsServiceRequest {
	return &collector.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{
		{
			Resource: &resource.Resource{Attributes: []*common.KeyValue{
				attribute("service.name", text("shop")), attribute("source", text("gotrue.logs.prod")), attribute("project", text("acme")),
			}},
			ScopeLogs: []*logs.ScopeLogs{{
				Scope: &common.InstrumentationScope{Name: "lib", Version: "1.2", Attributes: []*common.KeyValue{attribute("a", &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}})}},
				LogRecords: []*logs.LogRecord{
					{
						TimeUnixNano: 1795258675123456789, ObservedTimeUnixNano: 1, SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_WARN, SeverityText: "WARN",
						Body: text("hello"), EventName: "greeting", Flags: 1,
						TraceId: []byte("\x5b\x8e\xff\xf7\x98\x03\x81\x03\xd2\x69\xb6\x33\x81\x3f\xc6\x0c"), SpanId: []byte("\xee\xe1\x9b\x7e\xc3\xc1\xb1\x74"),
						Attributes: []*common.KeyValue{
							attribute("log.record.uid", text("uid-1")), attribute("project", text("globex")),
							attribute("n", &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: math.MinInt64}}),
							attribute("d", &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 0.5}}),
							attribute("nan", &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: math.NaN()}}),
							attribute("bytes", &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte{1, 2}}}),
							attribute("list", &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{text("x"), {}}}}}),
							attribute("none", nil),
						},
					},
					{ObservedTimeUnixNano: 1_000, Body: &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: []*common.KeyValue{attribute("k", text("v"))}}}}},
				},
			}},
		},
		{ScopeLogs: []*logs.ScopeLogs{{LogRecords: []*logs.LogRecord{
			{EventName: "named", Attributes: []*common.KeyValue{attribute("resource", text("wins"))}},
			{Body: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 7}}},
		}}}},
	}}
}

const everyJSON = `{"resourceLogs":[
 {"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"source","value":{"stringValue":"gotrue.logs.prod"}},{"key":"project","value":{"stringValue":"acme"}}]},
  "scopeLogs":[{"scope":{"name":"lib","version":"1.2","attributes":[{"key":"a","value":{"boolValue":true}}]},"logRecords":[
   {"timeUnixNano":"1795258675123456789","observedTimeUnixNano":"1","severityNumber":13,"severityText":"WARN","body":{"stringValue":"hello"},"eventName":"greeting","flags":1,
    "traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174","unknown":1,
    "attributes":[{"key":"log.record.uid","value":{"stringValue":"uid-1"}},{"key":"project","value":{"stringValue":"globex"}},{"key":"n","value":{"intValue":"-9223372036854775808"}},
     {"key":"d","value":{"doubleValue":0.5}},{"key":"nan","value":{"doubleValue":"NaN"}},{"key":"bytes","value":{"bytesValue":"AQI="}},
     {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"x"},{}]}}},{"key":"none"}]},
   {"observedTimeUnixNano":1000,"body":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}}]}}}]}]},
 {"scopeLogs":[{"logRecords":[{"eventName":"named","attributes":[{"key":"resource","value":{"stringValue":"wins"}}]},{"body":{"intValue":7}}]}]}]}`

// Both encodings of OTLP give the same events.
func TestReadOTLP(t *testing.T) {
	t.Parallel()
	encoded, err := proto.Marshal(every())
	require.NoError(t, err)
	const resource = `"resource":[{"service.name":"shop","source":"gotrue.logs.prod","project":"acme"}],"scope":[{"name":"lib","version":"1.2","attributes":[{"a":true}]}]`
	for format, body := range map[logbody.Format]string{logbody.OTLPProtobuf: string(encoded), logbody.OTLPJSON: everyJSON} {
		result, err := logbody.Read(t.Context(), format, []byte(body), options())
		require.NoError(t, err)
		assert.Empty(t, result.Rejected)
		assert.Equal(t, []string{
			`uid-1|2026-11-21T10:57:55.123456Z|globex|hello|[{` + resource + `,"severity_number":13,"severity_text":"WARN","event_name":"greeting",` +
				`"trace_id":"5b8efff798038103d269b633813fc60c","span_id":"eee19b7ec3c1b174","log.record.uid":"uid-1","project":"globex",` +
				`"n":-9223372036854775808,"d":0.5,"nan":null,"bytes":"AQI=","list":["x",null],"none":null}]`,
			`new-1|1970-01-01T00:16:40Z|acme|{"k":"v"}|[{` + resource + `,"body":[{"k":"v"}]}]`,
			`new-2|` + now + `|-|named|[{"event_name":"named","resource":"wins"}]`,
			`new-3|` + now + `|-|7|[{}]`,
		}, lines(result.Events), format)
		assert.Equal(t, "auth_logs", result.Events[0].Source.Name)
		assert.Equal(t, "edge_logs", result.Events[2].Source.Name)
	}
}

// Records are rejected one by one, each with its place in the request.
func TestOTLPRejects(t *testing.T) {
	t.Parallel()
	record := func(name string) string { return `{"eventName":"` + name + `"}` }
	group := func(source string, records ...string) string {
		return `{"resource":{"attributes":[{"key":"source","value":{"stringValue":"` + source + `"}}]},"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}`
	}
	body := `{"resourceLogs":[` + strings.Join([]string{
		group("", record("a")),
		group("edge_logs", record("b"), `7`, `{"traceId":"zz"}`, `{"timeUnixNano":"x"}`, `{"body":{"intValue":"x for int64 field y: "}}`, `{"spanId":"eee19b7ec3c1b17g"}`, record("c")),
		group("nosuch", record("d")),
		group("auth_logs", record("e")),
	}, ",") + `]}`
	with := options()
	with.Source = nil
	with.Allow = func(source *sqlq.Table) error {
		if source.Name == "auth_logs" {
			return sqlq.Errorf(sqlq.PermissionDenied, "source: not allowed")
		}
		return nil
	}
	result, err := logbody.Read(t.Context(), logbody.OTLPJSON, []byte(body), with)
	require.NoError(t, err)
	assert.Len(t, result.Events, 2)
	assert.Equal(t, []string{
		"0  source: the request names none; set the resource attribute source or the header X-Source",
		"2 edge_logs event: is not a valid log record of OTLP, or is nested too deeply",
		"3 edge_logs traceId: is not hexadecimal",
		"4 edge_logs timeUnixNano: is not a value that a log record of OTLP can have",
		"5 edge_logs intValue: is not a value that a log record of OTLP can have",
		"6 edge_logs spanId: is not hexadecimal",
		`8 nosuch source: "nosuch" is not a log source; the log sources are ` + tables.Shipped().SourceList(),
	}, reasons(result.Rejected))
	assert.Equal(t, []string{"9 auth_logs source: not allowed"}, reasons(result.Denied))
	assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(result.DeniedError).Code)
	assert.Equal(t, `{"event_message":"a","metadata":{"resource":{"source":""},"event_name":"a"}}`, result.Rejected[0].Event)
	assert.Equal(t, `{"timeUnixNano":"x"}`, result.Rejected[3].Event)

	// An empty value is an absent one.
	empty := strings.Replace(group("edge_logs", `{"eventName":"a","attributes":[{"key":"log.record.uid","value":{}},{"key":"project","value":{}}]}`), `"attributes":[`, `"attributes":[{"key":"project","value":{}},`, 1)
	result, err = logbody.Read(t.Context(), logbody.OTLPJSON, []byte(`{"resourceLogs":[`+empty+`]}`), options())
	require.NoError(t, err)
	require.Len(t, result.Events, 1)
	assert.Equal(t, "new-1", result.Events[0].ID)
	assert.Nil(t, result.Events[0].Project)

	broken := nested(t, nested(t, nested(t, "\xff", 2)+nested(t, "\x3a\x01a", 2), 2), 1)
	result, err = logbody.Read(t.Context(), logbody.OTLPProtobuf, []byte(broken), options())
	require.NoError(t, err)
	assert.Len(t, result.Events, 1)
	assert.Equal(t, []string{"0 edge_logs event: is not a valid log record of OTLP, or is nested too deeply"}, reasons(result.Rejected))
	assert.Equal(t, base64.StdEncoding.EncodeToString([]byte{0xff}), result.Rejected[0].Event)
}

// A body that is not a request of OTLP is an error, except an empty one.
func TestOTLPBodies(t *testing.T) {
	t.Parallel()
	const notOTLP = "the request body is not an ExportLogsServiceRequest of OTLP"
	for name, test := range map[string]struct {
		format logbody.Format
		body   string
		err    string
	}{
		"empty protobuf":         {logbody.OTLPProtobuf, "", ""},
		"empty JSON":             {logbody.OTLPJSON, "{}", ""},
		"no resources":           {logbody.OTLPJSON, `{"resourceLogs":[]}`, ""},
		"no JSON":                {logbody.OTLPJSON, "", notOTLP + " in JSON: it is not valid JSON at byte 0: unexpected end of JSON input"},
		"a mistake in JSON":      {logbody.OTLPJSON, `{"resourceLogs":[}`, notOTLP + " in JSON: it is not valid JSON at byte 18: invalid character '}' looking for beginning of value"},
		"an event":               {logbody.OTLPJSON, `{"message":"m"}`, "the request body has no resourceLogs, so it is not an ExportLogsServiceRequest of OTLP; send events of other forms to /api/logs"},
		"resources not a list":   {logbody.OTLPJSON, `{"resourceLogs":7}`, notOTLP},
		"resource not an object": {logbody.OTLPJSON, `{"resourceLogs":[{"resource":7}]}`, notOTLP},
		"records not a list":     {logbody.OTLPJSON, `{"resourceLogs":[{"scopeLogs":[{"logRecords":{}}]}]}`, notOTLP},
		"JSON as protobuf":       {logbody.OTLPProtobuf, `{"resourceLogs":[]}`, notOTLP},
		"truncated protobuf":     {logbody.OTLPProtobuf, "\x0a\x05\x12", notOTLP},
		"a large resource":       {logbody.OTLPProtobuf, nested(t, nested(t, strings.Repeat("\x0a\x00", 600_000), 1), 1), notOTLP},
	} {
		result, err := logbody.Read(t.Context(), test.format, []byte(test.body), options())
		if test.err != "" {
			require.EqualError(t, err, test.err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Empty(t, result.Events, name)
	}
}

// Small requests must not become large ones in memory.
func TestOTLPBombs(t *testing.T) {
	t.Parallel()
	attributes := nested(t, strings.Repeat("\x0a\x00", 150_000), 1)
	for name, body := range map[string]string{
		"a resource for each record": nested(t, attributes+nested(t, strings.Repeat("\x12\x00", 100), 2), 1),
		"empty resources":            strings.Repeat("\x0a\x00", 200_000),
	} {
		_, err := logbody.Read(t.Context(), logbody.OTLPProtobuf, []byte(body), options())
		if name == "empty resources" {
			require.NoError(t, err)
			continue
		}
		assert.Equal(t, logbody.ErrTooManyBytes, err, name)
	}
	long := nested(t, nested(t, nested(t, strings.Repeat("\x32\x00", 600_000), 2), 2), 1)
	result, err := logbody.Read(t.Context(), logbody.OTLPProtobuf, []byte(long), options())
	require.NoError(t, err)
	assert.Equal(t, []string{"0 edge_logs event: is longer than 1 MiB, which is the limit for a log record of OTLP"}, reasons(result.Rejected))
}

// One record that no text can hold, or that is wrong, does not reject the others of its batch.
func TestOTLPKeepsWhatIsValid(t *testing.T) {
	t.Parallel()
	record := func(body string) string { return `{"body":{"stringValue":"` + body + `"}}` }
	body := `{"resourceLogs":[{"resource":{"attributes":[{"key":"k","value":{"stringValue":"r` + "\xff" + `"}}]},"scopeLogs":[{"logRecords":[` + strings.Join([]string{
		record("good"), record("a\xffb"), record(`x\ud83dy`), record(`\ud83d\ude00`), `{"body":5}`, `{"attributes":5}`, `{"severityNumber":"high"}`, record("last"),
	}, ",") + `]}]}]}`
	result, err := logbody.Read(t.Context(), logbody.OTLPJSON, []byte(body), options())
	require.NoError(t, err)
	var messages []string
	for _, event := range result.Events {
		messages = append(messages, *event.EventMessage)
		assert.Contains(t, string(event.Metadata), `"k":"r�"`)
	}
	assert.Equal(t, []string{"good", "a\ufffdb", "x\ufffdy", "\U0001f600", "last"}, messages)
	var reasons []string
	for _, rejected := range result.Rejected {
		reasons = append(reasons, rejected.Reason)
	}
	const wrong = ": is not a value that a log record of OTLP can have"
	assert.Equal(t, []string{"body" + wrong, "attributes" + wrong, "severityNumber" + wrong}, reasons)
}

// Text that is not UTF-8 is stored as of every other way, wherever it is in a request in Protobuf.
func TestOTLPTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	deep := text("\x7f")
	for range 5 {
		deep = &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: []*common.KeyValue{attribute("k", deep)}}}}
	}
	encoded, err := proto.Marshal(&collector.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{
		Resource: &resource.Resource{
			Attributes: []*common.KeyValue{attribute("r\x7f", text("\x7f")), attribute("source", text("auth_logs"))},
			EntityRefs: []*common.EntityRef{{Type: "\x7f", IdKeys: []string{"a", "\x7f"}}},
		},
		ScopeLogs: []*logs.ScopeLogs{{
			Scope: &common.InstrumentationScope{Name: "s\x7f", Version: "1"},
			LogRecords: []*logs.LogRecord{
				{
					TimeUnixNano: 1795258675123456789, Body: text("a\x7fb"), SeverityText: "\x7f", EventName: "n\x7f\x7f", TraceId: []byte("0123456789\x7f23456"), SeverityNumber: 9,
					Attributes: []*common.KeyValue{
						attribute("\x7f", text("x")), attribute("bytes", &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte{0x7f}}}),
						attribute("list", &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{text("\x7f"), text("y")}}}}),
					},
				},
				{Body: text("valid")},
				{Body: deep},
			},
		}},
	}}})
	require.NoError(t, err)
	result, err := logbody.Read(t.Context(), logbody.OTLPProtobuf, bytes.ReplaceAll(encoded, []byte{0x7f}, []byte{0xff}), options())
	require.NoError(t, err)
	assert.Empty(t, result.Rejected)
	require.Len(t, result.Events, 3)
	const origin = `"resource":[{"r�":"�","source":"auth_logs"}],"scope":[{"name":"s�","version":"1"}]`
	assert.Equal(t, []string{
		`new-1|2026-11-21T10:57:55.123456Z|-|a�b|[{` + origin + `,"severity_number":9,"severity_text":"�","event_name":"n�",` +
			`"trace_id":"30313233343536373839ff3233343536","�":"x","bytes":"/w==","list":["�","y"]}]`,
		`new-2|` + now + `|-|valid|[{` + origin + `}]`,
	}, lines(result.Events[:2]))
	assert.Contains(t, *result.Events[2].EventMessage, `{"k":"�"}`)
	assert.Equal(t, "auth_logs", result.Events[0].Source.Name)
}

// D35: a time in another unit than nanoseconds is read by its magnitude.
func TestOTLPTimes(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"1795258675":           "2026-11-21T10:57:55Z",
		"1795258675123":        "2026-11-21T10:57:55.123Z",
		"1795258675123456":     "2026-11-21T10:57:55.123456Z",
		"1795258675123456789":  "2026-11-21T10:57:55.123456Z",
		"9223372036854775808":  "2262-04-11T23:47:16.854775Z",
		"18446744073709551615": "2554-07-21T23:34:33.709551Z",
	} {
		result, err := logbody.Read(t.Context(), logbody.OTLPJSON, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"`+sent+`","body":{"stringValue":"a"}}]}]}]}`), options())
		require.NoError(t, err)
		require.Len(t, result.Events, 1)
		assert.Equal(t, want, result.Events[0].Timestamp.Format(time.RFC3339Nano))
	}
}
