package logbody_test

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// unnamed returns the options of a request that names no source, of a caller who may not send events of auth_logs.
func unnamed() logbody.Options {
	with := options()
	with.Source = nil
	with.Allow = func(source *sqlq.Table) error {
		if source.Name == "auth_logs" {
			return sqlq.Errorf(sqlq.PermissionDenied, "the token may not send events of auth_logs")
		}
		return nil
	}
	return with
}

// field returns a field of a message in Protobuf with bytes.
func field(number protowire.Number, content string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), content))
}

// number returns a field of a message in Protobuf with an integer.
func number(field protowire.Number, value int64) string {
	return string(protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(value)))
}

// entry returns an entry of Loki in Protobuf, whose structured metadata are pairs of name and value.
func entry(seconds, nanoseconds int64, line string, structured ...string) string {
	parts := []string{field(1, number(1, seconds)+number(2, nanoseconds)), field(2, line)}
	for i := 0; i < len(structured); i += 2 {
		parts = append(parts, field(3, field(1, structured[i])+field(2, structured[i+1])))
	}
	return field(2, strings.Join(parts, ""))
}

// The same entries of Loki in both of its encodings.
func TestLoki(t *testing.T) {
	t.Parallel()
	const inJSON = `{"streams":[
		{"stream":{"app":"checkout","source":"supabase","service":"postgres.logs","project":"acme"},"values":[
			["1795258675123456789","slow \"query\"",{"id":"e-1","detected_level":"warn"}],
			["1795258675123456789","second",{"project":"globex"}]]},
		{"stream":{"source":"edge_logs"},"values":[["1795258675000000000",""]]},
		{"stream":{},"values":[]}]}`
	inProtobuf := field(1, field(1, `{app="checkout", source="supabase",service="postgres.logs" , project="acme"}`)+
		entry(1795258675, 123456789, `slow "query"`, "id", "e-1", "detected_level", "warn")+
		entry(1795258675, 123456789, "second", "project", "globex")+number(3, 7)) +
		field(1, entry(1795258675, 0, "")+field(1, "{source=`edge_logs`}")) + field(1, "")
	for format, body := range map[logbody.Format]string{logbody.LokiJSON: inJSON, logbody.LokiProtobuf: inProtobuf} {
		result, err := logbody.Read(t.Context(), format, []byte(body), unnamed())
		require.NoError(t, err)
		assert.Empty(t, result.Rejected)
		const labels = `"labels":[{"app":"checkout","source":"supabase","service":"postgres.logs","project":"acme"}]`
		assert.Equal(t, []string{
			`e-1|2026-11-21T10:57:55.123456Z|acme|slow "query"|[{` + labels + `,"id":"e-1","detected_level":"warn"}]`,
			`new-1|2026-11-21T10:57:55.123456Z|globex|second|[{` + labels + `,"project":"globex"}]`,
			`new-2|2026-11-21T10:57:55Z|-||[{"labels":[{"source":"edge_logs"}]}]`,
		}, lines(result.Events))
		assert.Equal(t, "postgres_logs", result.Events[0].Source.Name, "the first label that names a source")
		assert.Equal(t, "edge_logs", result.Events[2].Source.Name)
	}
}

// Entries of Loki that are rejected, each with its place in the request.
func TestLokiRejects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format   logbody.Format
		body     string
		named    bool
		events   int
		rejected []string
		err      string
	}{
		"no streams":             {body: `{"streams":[]}`},
		"no streams, Protobuf":   {format: logbody.LokiProtobuf},
		"another object":         {body: `{"resourceLogs":[]}`, err: `the request body has no list "streams", so it is not a push request of Loki`},
		"streams that are a map": {body: `{"streams":{}}`, err: `the request body has no list "streams", so it is not a push request of Loki`},
		"not JSON":               {body: `hello`, err: "the request body is not a push request of Loki in JSON: it is not valid JSON at byte 1: invalid character 'h' looking for beginning of value"},
		"truncated JSON":         {body: `{"streams":[{"stream":{}`, err: "the request body is not a push request of Loki in JSON: it is not valid JSON at byte 24: unexpected end of JSON input"},
		"gzip without a header":  {body: "\x1f\x8b\x08", err: "the request body is compressed with gzip; send it with the header Content-Encoding: gzip"},
		"a stream that is a list": {
			body: `{"streams":[[]]}`,
			err:  `the request body is not a push request of Loki: a stream is an object with "stream", an object, and "values", a list`,
		},
		"no source": {
			body: `{"streams":[{"stream":{"job":"nosuch"},"values":[["1","a"]]},{"stream":{"env":"prod"},"values":[["1","a"]]}]}`,
			rejected: []string{
				`0 nosuch source: "nosuch", from the labels source, service_name, service, app, job, is not a log source, and the request names none; name a log source there, in ?source=edge_logs or in the header X-Source`,
				`1  source: neither the request nor the labels source, service_name, service, app, job names one; name a log source there, in ?source=edge_logs or in the header X-Source`,
			},
		},
		"the source of the request": {body: `{"streams":[{"stream":{"job":"nosuch"},"values":[["1795258675","a"]]}]}`, named: true, events: 1},
		"labels of other kinds": {
			body: `{"streams":[{"stream":[],"values":[["1","a"]]},{"stream":{"a":7},"values":[["1","a"]]}]}`, named: true,
			rejected: []string{"0 edge_logs labels: must be an object of strings, not a list", `1 edge_logs labels: "a" is a number; it must be a string`},
		},
		"bad entries": {
			body: `{"streams":[{"stream":{},"values":[7,["1"],["1","a",{},{}],[1,"a"],["1",2],["1","a",[]],["x","a"],["","a"],["99999999999999999999999","a"],["1","fine",null]]}]}`, named: true, events: 1,
			rejected: []string{
				"0 edge_logs entry: is not a list of a timestamp, a line and, perhaps, an object",
				"1 edge_logs entry: is not a list of a timestamp, a line and, perhaps, an object",
				"2 edge_logs entry: is not a list of a timestamp, a line and, perhaps, an object",
				"3 edge_logs timestamp: is a number; it must be a string with the nanoseconds since 1970",
				"4 edge_logs line: is a number; it must be a string",
				"5 edge_logs structured metadata: is a list; it must be an object",
				`6 edge_logs timestamp: "x" is not an ISO 8601 timestamp`,
				`7 edge_logs timestamp: "" is not an ISO 8601 timestamp`,
				"8 edge_logs timestamp: is outside the years 0001 to 9999",
			},
		},
		"labels that are no labels": {
			format: logbody.LokiProtobuf, named: true,
			body: field(1, field(1, "app=x")+entry(1, 0, "a")) + field(1, field(1, `{app="x}`)+entry(1, 0, "a")) + field(1, field(1, `{app="x" b="y"}`)+entry(1, 0, "a")) + field(1, field(1, `{}`)+entry(1, 0, "fine")),
			rejected: []string{
				`0 edge_logs labels: are not of the form {name="value", other="value"}`,
				`1 edge_logs labels: are not of the form {name="value", other="value"}`,
				`2 edge_logs labels: are not of the form {name="value", other="value"}`,
			},
			events: 1,
		},
		"times outside of the years": {
			format: logbody.LokiProtobuf, named: true, body: field(1, entry(1<<40, 0, "late")+entry(-1<<40, 0, "early")),
			rejected: []string{
				`0 edge_logs timestamp: "36812-02-20T00:36:16Z" is not an ISO 8601 timestamp`,
				`1 edge_logs timestamp: "-32873-11-12T23:23:44Z" is not an ISO 8601 timestamp`,
			},
		},
		"truncated Protobuf":    {format: logbody.LokiProtobuf, named: true, body: field(1, entry(1, 0, "a")) + "\x0a\x7f", err: "the request body is not a PushRequest of Loki in Protobuf"},
		"truncated entry":       {format: logbody.LokiProtobuf, named: true, body: field(1, field(2, "\x12\x7f")), err: "the request body is not a PushRequest of Loki in Protobuf"},
		"truncated time":        {format: logbody.LokiProtobuf, named: true, body: field(1, field(2, field(1, "\x08"))), err: "the request body is not a PushRequest of Loki in Protobuf"},
		"truncated pair":        {format: logbody.LokiProtobuf, named: true, body: field(1, field(2, field(3, "\x0a\x09"))), err: "the request body is not a PushRequest of Loki in Protobuf"},
		"unknown fields":        {format: logbody.LokiProtobuf, named: true, body: field(9, "x") + field(1, field(2, field(2, "m")+field(4, "parsed")+"\x29........")), events: 1},
		"JSON sent as Protobuf": {format: logbody.LokiProtobuf, named: true, body: `{"streams":[]}`, err: "the request body is not a PushRequest of Loki in Protobuf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := unnamed()
			if test.named {
				with = options()
			}
			format := test.format
			if format == logbody.JSON {
				format = logbody.LokiJSON
			}
			result, err := logbody.Read(t.Context(), format, []byte(test.body), with)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, result.Events, test.events)
			assert.Equal(t, test.rejected, shortened(reasons(result.Rejected)))
		})
	}
}

// shortened cuts what follows the first sentence about a timestamp.
func shortened(reasons []string) []string {
	for i, reason := range reasons {
		if before, _, found := strings.Cut(reason, " timestamp;"); found {
			reasons[i] = before + " timestamp"
		}
	}
	return reasons
}

// A timestamp of Loki in Protobuf, which is absent or before 1970.
func TestLokiTimes(t *testing.T) {
	t.Parallel()
	for sent, want := range map[[2]int64]string{
		{0, 0}: now, {-1, 500_000_000}: "1969-12-31T23:59:59.5Z", {0, 1000}: "1970-01-01T00:00:00.000001Z", {253402300799, 999_999_999}: "9999-12-31T23:59:59.999999Z",
	} {
		result, err := logbody.Read(t.Context(), logbody.LokiProtobuf, []byte(field(1, entry(sent[0], sent[1], "m"))), options())
		require.NoError(t, err)
		require.Len(t, result.Events, 1)
		assert.Equal(t, want, strings.Split(lines(result.Events)[0], "|")[1])
	}
}

// The labels of a stream are copied into each of its events, which must not multiply a body without a limit. So it is for
// the number of labels.
func TestLokiIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	inJSON := `{"streams":[{"stream":{"a":"` + long + `"},"values":[` + strings.Repeat(`["1","m"],`, 60) + `["1","m"]]}]}`
	inProtobuf := field(1, field(1, `{a="`+long+`"}`)+strings.Repeat(entry(1, 0, "m"), 61))
	for format, body := range map[logbody.Format]string{logbody.LokiJSON: inJSON, logbody.LokiProtobuf: inProtobuf} {
		_, err := logbody.Read(t.Context(), format, []byte(body), options())
		assert.Equal(t, logbody.ErrTooManyBytes, err)
	}
	many := strings.Repeat(`a="",`, 10_001)
	result, err := logbody.Read(t.Context(), logbody.LokiProtobuf, []byte(field(1, field(1, "{"+many+"}")+entry(1, 0, "m"))), options())
	require.NoError(t, err)
	assert.Equal(t, []string{"0 edge_logs labels: are more than 10000"}, reasons(result.Rejected))
	result, err = logbody.Read(t.Context(), logbody.LokiJSON, []byte(`{"streams":[{"stream":{`+strings.Repeat(`"a":"",`, 10_000)+`"a":""},"values":[["1","m"]]}]}`), options())
	require.NoError(t, err)
	assert.Equal(t, []string{"0 edge_logs labels: are more than 10000"}, reasons(result.Rejected))
}

// Events that the token may not send are neither stored nor kept as rejected; other events of the request are stored.
func TestDeniedSources(t *testing.T) {
	t.Parallel()
	for format, body := range map[logbody.Format]string{
		logbody.LokiJSON:     `{"streams":[{"stream":{"app":"auth_logs"},"values":[["1","a"],["1","b"]]},{"stream":{"app":"edge_logs"},"values":[["1","c"]]}]}`,
		logbody.LokiProtobuf: field(1, field(1, `{app="auth_logs"}`)+entry(1, 0, "a")+entry(1, 0, "b")) + field(1, field(1, `{app="edge_logs"}`)+entry(1, 0, "c")),
		logbody.Datadog:      `[{"message":"a","service":"auth_logs"},{"message":"b","service":"auth_logs"},{"message":"c","service":"edge_logs"}]`,
		logbody.Bulk:         `{"index":{"_index":"auth_logs"}}` + "\n{\"message\":\"a\"}\n" + `{"create":{"_index":"auth_logs"}}` + "\n{\"message\":\"b\"}\n" + `{"create":{"_index":"edge_logs"}}` + "\n{\"message\":\"c\"}\n",
		logbody.Journal:      "MESSAGE=a\nSOURCE=auth_logs\n\nMESSAGE=b\nSOURCE=auth_logs\n\nMESSAGE=c\nSOURCE=edge_logs\n\n",
	} {
		with := unnamed()
		asked := 0
		allow := with.Allow
		with.Allow = func(source *sqlq.Table) error {
			asked++
			return allow(source)
		}
		result, err := logbody.Read(t.Context(), format, []byte(body), with)
		require.NoError(t, err, format)
		require.Len(t, result.Events, 1, format)
		assert.Equal(t, "c", *result.Events[0].EventMessage)
		assert.Equal(t, []string{"0 auth_logs the token may not send events of auth_logs", "1 auth_logs the token may not send events of auth_logs"}, reasons(result.Denied))
		assert.Empty(t, result.Rejected)
		assert.Equal(t, 2, asked, "once for each source, because it logs what it denies")
		require.Error(t, result.DeniedError)
	}
}

// What Datadog's agent and libraries send.
func TestDatadog(t *testing.T) {
	t.Parallel()
	const body = `[
		{"message":"paid","status":"info","timestamp":1795258675123,"hostname":"web-1","service":"checkout","ddsource":"postgres_logs","ddtags":"env:prod,project:acme"},
		{"message":"b","service":"edge_logs","ddtags":["source:realtime_logs","env:x"],"project":"globex"},
		{"message":"c","service":"edge_logs","ddsource":"nginx","date":"2026-11-21T10:57:55Z","data":{"a":[{"b":1}]}},
		{"message":"d","ddsource":"nginx"},
		{"message":"e","service":"edge_logs","timestamp":"soon"},
		7, {},
		{"service":"edge_logs","ddtags":7}]`
	result, err := logbody.Read(t.Context(), logbody.Datadog, []byte(body), unnamed())
	require.NoError(t, err)
	assert.Equal(t, []string{
		`new-1|2026-11-21T10:57:55.123Z|acme|paid|[{"status":"info","hostname":"web-1","service":"checkout","ddsource":"postgres_logs","ddtags":"env:prod,project:acme"}]`,
		`new-2|` + now + `|globex|b|[{"project":"globex","service":"edge_logs","ddtags":["source:realtime_logs","env:x"]}]`,
		`new-3|2026-11-21T10:57:55Z|-|c|[{"service":"edge_logs","ddsource":"nginx","data":[{"a":[{"b":1}]}]}]`,
		`new-4|` + now + `|-|-|[{"service":"edge_logs","ddtags":7}]`,
	}, lines(result.Events))
	assert.Equal(t, "postgres_logs", result.Events[0].Source.Name)
	assert.Equal(t, "realtime_logs", result.Events[1].Source.Name)
	assert.Equal(t, []string{
		`3 nginx source: "nginx", from the tag source, service or ddsource, is not a log source, and the request names none; name a log source there, in ?source=edge_logs or in the header X-Source`,
		`4 edge_logs timestamp: "soon" is not an ISO 8601 timestamp`,
		`5  event: is a number; an event is a JSON object`,
	}, shortened(reasons(result.Rejected)))

	with := unnamed()
	with.Members = [][2]string{{"service", "edge_logs"}, {"ddtags", `project:"acme"`}, {"hostname", "web-1"}}
	result, err = logbody.Read(t.Context(), logbody.Datadog, []byte(`[{"message":"a","hostname":null},{"message":"b","service":"realtime_logs","ddtags":"","hostname":"h"},{}]`), with)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`new-1|` + now + `|"acme"|a|[{"service":"edge_logs","ddtags":"project:\"acme\"","hostname":"web-1"}]`,
		`new-2|` + now + `|-|b|[{"service":"realtime_logs","ddtags":"","hostname":"h"}]`,
	}, lines(result.Events), "what the query string says counts for entries that do not say it")

	for body, message := range map[string]string{
		`{}`: "", `[]`: "", `[{}]`: "", ``: "",
		`hello`:       "the request body cannot be read: event: is not valid JSON at byte 1: invalid character 'h' looking for beginning of value",
		`[{"message"`: "the request body is truncated, or a bracket or quote in it is not closed: it ends inside an event, a list or a batch",
	} {
		result, err := logbody.Read(t.Context(), logbody.Datadog, []byte(body), unnamed())
		if message != "" {
			require.EqualError(t, err, message, body)
			continue
		}
		require.NoError(t, err, "the agent tests the address with it: %s", body)
		assert.Empty(t, result.Events)
	}
}

// What clients of Elasticsearch send: an action and a document in turn.
func TestBulk(t *testing.T) {
	t.Parallel()
	body := strings.Join([]string{
		`{"create":{"_index":"edge_logs-2026.11.28","_id":"b-1"}}`, `{"@timestamp":"2026-11-21T10:57:55.123Z","message":"GET /","host":{"name":"web-1"},"project":"acme","id":"ignored"}`,
		`{"index":{}}` + "\r", `{"log":"from the path","id":7}` + "\r",
		`{"index":{"_index":"logs-postgres_logs-default","_id":8,"pipeline":"x"}}`, `{"message":"stream","timestamp":1795258675}`,
		`{"delete":{"_index":"edge_logs","_id":"1"}}`,
		`{"update":{"_index":"edge_logs","_id":"1"}}`, `{"doc":{"a":1}}`,
		`{"index":{"_index":"nosuch"}}`, `{"message":"a"}`,
		`{"index":{"_index":"edge_logs"}}`, `{"message":`,
		`{"index":{"_index":"edge_logs"}}`, `{"message":"a","@timestamp":"soon"}`,
		`{"index":{"_index":"auth_logs"}}`, `{"message":"a"}`,
		``, `{"index":{"_index":"deno-relay-logs"}}`, `{"message":"last"}`,
	}, "\n")
	with := unnamed()
	with.Index = "realtime_logs"
	result, err := logbody.Read(t.Context(), logbody.Bulk, []byte(body), with)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`b-1|2026-11-21T10:57:55.123Z|acme|GET /|[{"host":[{"name":"web-1"}]}]`,
		`7|` + now + `|-|from the path|-`,
		`8|2026-11-21T10:57:55Z|-|stream|-`,
		`new-1|` + now + `|-|last|-`,
	}, lines(result.Events))
	var sources []string
	for _, event := range result.Events {
		sources = append(sources, event.Source.Name)
	}
	assert.Equal(t, []string{"edge_logs", "realtime_logs", "postgres_logs", "function_edge_logs"}, sources)
	var items []string
	for _, item := range result.Items {
		items = append(items, strings.Join([]string{item.Action, item.Index, item.ID, string(item.Fault), item.Reason}, "|"))
	}
	assert.Equal(t, []string{
		"create|edge_logs-2026.11.28|b-1||", "index|realtime_logs|7||", "index|logs-postgres_logs-default|8||",
		"delete|edge_logs|1|unsupported action|action: delete is not supported, because events do not change; use create or index",
		"update|edge_logs|1|unsupported action|action: update is not supported, because events do not change; use create or index",
		`index|nosuch||unknown index|source: "nosuch", from the index, is not a log source, and the request names none; name a log source there, in ?source=edge_logs or in the header X-Source`,
		"index|edge_logs||invalid document|event: is not valid JSON at byte 11: unexpected end of JSON input",
		`index|edge_logs||invalid document|timestamp: "soon" is not an ISO 8601 timestamp`,
		"index|auth_logs||denied index|the token may not send events of auth_logs",
		"index|deno-relay-logs|new-1||",
	}, shortened(items))
	assert.Len(t, result.Rejected, 5)
	assert.Len(t, result.Denied, 1)

	const action = "must be an action of the bulk API, an object with one of create, index, update and delete, such as {\"create\":{}}"
	for body, message := range map[string]string{
		"":                                "the request body has no events",
		"\n\n":                            "the request body has no events",
		"hello\n{}\n":                     "line 1 of the request body must be an action of the bulk API, but it is not valid JSON at byte 1: invalid character 'h' looking for beginning of value",
		"[]\n{}\n":                        "line 1 of the request body must be an action of the bulk API, but it is a list; an event is a JSON object",
		"{}\n{}\n":                        "line 1 of the request body " + action,
		`{"upsert":{}}` + "\n{}\n":        "line 1 of the request body " + action,
		`{"index":7}` + "\n{}\n":          "line 1 of the request body " + action,
		`{"index":{},"create":{}}` + "\n": "line 1 of the request body " + action,
		`{"index":{"_index":"edge_logs"}}` + "\n" + `{"message":"m"}` + "\n" + `{"message":"not an action"}` + "\n": "line 3 of the request body " + action,
		`{"index":{"_index":"edge_logs"}}`: "the request body is truncated: the document of the action on line 1 is missing",
	} {
		_, err := logbody.Read(t.Context(), logbody.Bulk, []byte(body), unnamed())
		require.EqualError(t, err, message, body)
	}
	for _, index := range []string{strings.Repeat("-", 1<<20), strings.Repeat("a-", 200)} { // not one name for each of its hyphens
		result, err := logbody.Read(t.Context(), logbody.Bulk, []byte(`{"index":{"_index":"`+index+`"}}`+"\n{}"), unnamed())
		require.NoError(t, err)
		assert.Len(t, result.Rejected, 1)
	}
}

// binaryField returns a field of a journal in its binary form.
func binaryField(name, value string) string {
	return name + "\n" + string(binary.LittleEndian.AppendUint64(nil, uint64(len(value)))) + value + "\n"
}

// What systemd-journal-upload sends.
func TestJournal(t *testing.T) {
	t.Parallel()
	body := "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1795258675123456\n__MONOTONIC_TIMESTAMP=7\nPRIORITY=3\nMESSAGE=failed = yes\n_HOSTNAME=web-1\nSYSLOG_IDENTIFIER=\n\n" +
		"\n" + binaryField("MESSAGE", "two\nlines\n\nand more") + "PRIORITY=4\nPROJECT=acme\nSOURCE=postgres_logs\nTAG=a\nTAG=b\n" + binaryField("BLOB", "\x00\xff") + "\n" +
		"_SOURCE_REALTIME_TIMESTAMP=1795258675000000\nMESSAGE=old\nPRIORITY=9\nSOURCE=nosuch\n\n" +
		binaryField("MESSAGE", "bad \xff") + "_PID=1\nMESSAGE=second\n\n" +
		"_PID=2\n"
	result, err := logbody.Read(t.Context(), logbody.Journal, []byte(body), options())
	require.NoError(t, err)
	assert.Empty(t, result.Rejected)
	assert.Equal(t, []string{
		`s=1;i=2|2026-11-21T10:57:55.123456Z|-|failed = yes|[{"level":"error","PRIORITY":"3","_HOSTNAME":"web-1","SYSLOG_IDENTIFIER":""}]`,
		"new-1|" + now + "|acme|two\nlines\n\nand more|" + `[{"level":"warning","PRIORITY":"4","PROJECT":"acme","SOURCE":"postgres_logs","TAG":["a","b"],"BLOB":"AP8="}]`,
		`new-2|2026-11-21T10:57:55Z|-|old|[{"_SOURCE_REALTIME_TIMESTAMP":"1795258675000000","PRIORITY":"9","SOURCE":"nosuch"}]`,
		"new-3|" + now + `|-|bad �|[{"MESSAGE":["YmFkIP8=","second"],"_PID":"1"}]`,
		"new-4|" + now + `|-|-|[{"_PID":"2"}]`,
	}, lines(result.Events))
	assert.Equal(t, "postgres_logs", result.Events[1].Source.Name)
	assert.Equal(t, "edge_logs", result.Events[2].Source.Name, "what SOURCE means elsewhere")

	const notJournal = "the request body is not in the export format of systemd's journal: lines such as MESSAGE=text, and an empty line between entries"
	const truncated = "the request body is truncated: it ends inside a field of a journal entry"
	huge := binary.LittleEndian.AppendUint64(nil, 1<<63)
	for body, message := range map[string]string{
		"": "", "\n\n": "",
		"message=lower case\n":                     notJournal,
		"=a\n":                                     notJournal,
		strings.Repeat("A", 65) + "=a\n":           notJournal,
		"a binary\n........":                       notJournal,
		"MESSAGE=cut off":                          truncated,
		"MESSAGE\n\x01":                            truncated,
		binaryField("MESSAGE", "a")[:16]:           truncated,
		binaryField("MESSAGE", "a")[:17] + "x":     notJournal,
		"MESSAGE\n" + string(huge) + "anything":    "a field of a journal entry has more than 12582912 bytes, the limit for a request body",
		"MESSAGE=fine\n\n{\"message\":\"json\"}\n": notJournal,
	} {
		_, err := logbody.Read(t.Context(), logbody.Journal, []byte(body), options())
		if message == "" {
			require.NoError(t, err, body)
			continue
		}
		require.EqualError(t, err, message, "%q", body)
	}
	result, err = logbody.Read(t.Context(), logbody.Journal, []byte("MESSAGE=a\n"+strings.Repeat("A=\n", 10_000)+"\nMESSAGE=b\n__REALTIME_TIMESTAMP=soon\n\nMESSAGE=c\n__REALTIME_TIMESTAMP=999999999999999999999999\n\n"), options())
	require.NoError(t, err)
	assert.Equal(t, []string{
		"0 edge_logs event: has more than 10000 fields", `1 edge_logs timestamp: "soon" is not an ISO 8601 timestamp`, "2 edge_logs timestamp: is outside the years 0001 to 9999",
	}, shortened(reasons(result.Rejected)))
	assert.True(t, strings.HasPrefix(result.Rejected[1].Event, "MESSAGE=b\n"), "the entry as it was sent")
}

// A journal can be read part by part, wherever a part ends.
func TestCompleteEntries(t *testing.T) {
	t.Parallel()
	entries := []string{"MESSAGE=a\n\n", "\n", binaryField("MESSAGE", "\n\nMESSAGE=inside\n\n") + "A=b\n\n", "MESSAGE=c\nPRIORITY=1\n\n"}
	whole, ends := strings.Join(entries, ""), []int{0}
	for _, entry := range entries {
		ends = append(ends, ends[len(ends)-1]+len(entry))
	}
	for length := range len(whole) + 1 {
		complete, err := logbody.CompleteEntries([]byte(whole[:length]))
		require.NoError(t, err)
		want := 0
		for _, end := range ends {
			if end <= length {
				want = end
			}
		}
		assert.Equal(t, want, complete, "%d bytes", length)
	}
	_, err := logbody.CompleteEntries([]byte("a\n"))
	require.Error(t, err)
	complete, err := logbody.CompleteEntries([]byte(strings.Repeat("A=\n\n", logbody.MaxEvents+1)))
	require.NoError(t, err)
	assert.Equal(t, 4*logbody.MaxEvents, complete)
}

// The limits of a batch hold for the formats of other log stores.
func TestLimitsOfShippers(t *testing.T) {
	t.Parallel()
	large := func(length int) string { return strings.Repeat("x", length) }
	for name, test := range map[string]struct {
		format logbody.Format
		event  func(message string) string
	}{
		"Datadog": {logbody.Datadog, func(message string) string { return `{"message":"` + message + `"}` }},
		"bulk":    {logbody.Bulk, func(message string) string { return `{"index":{}}` + "\n" + `{"message":"` + message + `"}` + "\n" }},
		"journal": {logbody.Journal, func(message string) string { return "MESSAGE=" + message + "\n\n" }},
		"Loki":    {logbody.LokiProtobuf, func(message string) string { return field(1, entry(1, 0, message)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := options()
			with.MaxEventBytes = 1000
			result, err := logbody.Read(t.Context(), test.format, []byte(test.event(large(100))+test.event(large(2000))+test.event("last")), with)
			require.NoError(t, err)
			assert.Len(t, result.Events, 2)
			require.Len(t, result.Rejected, 1)
			assert.Equal(t, 1, result.Rejected[0].Position)
			assert.Contains(t, result.Rejected[0].Reason, "bytes; the server's --max-event allows 1000 B")

			many := strings.Repeat(test.event(""), logbody.MaxEvents)
			_, err = logbody.Read(t.Context(), test.format, []byte(many), options())
			require.NoError(t, err)
			_, err = logbody.Read(t.Context(), test.format, []byte(many+test.event("")), options())
			assert.Equal(t, logbody.ErrTooManyEvents, err)
		})
	}
}

// FuzzCompleteEntries checks that a journal in parts has the same events as the whole.
func FuzzCompleteEntries(f *testing.F) {
	f.Add([]byte("MESSAGE=a\n\n"+binaryField("B", "\n\n")+"\nC=d\n\n"), 5)
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		whole, err := logbody.Read(t.Context(), logbody.Journal, body, options())
		if err != nil {
			return
		}
		with, events := options(), 0
		length, err := logbody.CompleteEntries(body[:min(max(at, 0), len(body))])
		require.NoError(t, err)
		for _, part := range [][]byte{body[:length], body[length:]} {
			result, err := logbody.Read(t.Context(), logbody.Journal, part, with)
			require.NoError(t, err)
			events += len(result.Events) + len(result.Rejected)
		}
		require.Equal(t, len(whole.Events)+len(whole.Rejected), events)
	})
}

// The metadata of every format is JSON, whatever its names and values hold.
func TestQuotedNames(t *testing.T) {
	t.Parallel()
	awkward := "\"\\\n\u2028\x00"
	quoted := strconv.Quote(awkward)
	result, err := logbody.Read(t.Context(), logbody.LokiProtobuf, []byte(field(1, field(1, "{a="+quoted+"}")+entry(1, 0, awkward, awkward, awkward))), options())
	require.NoError(t, err)
	require.Len(t, result.Events, 1)
	assert.True(t, json.Valid(result.Events[0].Metadata))
	assert.Contains(t, *result.Events[0].EventMessage, `"\`)
}
