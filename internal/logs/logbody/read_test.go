package logbody_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

var received = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // It is constant.

// options returns the options of a request for edge_logs. Ids of events without one are
// new-1, new-2 and so on.
func options() logbody.Options {
	source, _ := tables.Shipped().FindSource("edge_logs")
	made := 0
	return logbody.Options{Source: source, Tables: tables.Shipped(), Now: received, NewID: func() string {
		made++
		return "new-" + strconv.Itoa(made)
	}}
}

// lines returns events as texts: id, time, project, message and metadata, with | between
// them.
func lines(events []logevent.Sourced) []string {
	var texts []string
	orDash := func(text *string) string {
		if text == nil {
			return "-"
		}
		return *text
	}
	for _, event := range events {
		metadata := "-"
		if event.Metadata != nil {
			metadata = string(event.Metadata)
		}
		texts = append(texts, strings.Join([]string{
			event.ID, event.Timestamp.Format(time.RFC3339Nano), orDash(event.Project), orDash(event.EventMessage), metadata,
		}, "|"))
	}
	return texts
}

// reasons returns rejected events as texts.
func reasons(rejected []logevent.Rejected) []string {
	var texts []string
	for _, event := range rejected {
		texts = append(texts, strconv.Itoa(event.Position)+" "+event.Source+" "+event.Reason)
	}
	return texts
}

const now = "2026-11-22T10:00:00Z"

// Bodies of each shipper as it documents them.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format   logbody.Format
		body     string
		want     []string
		rejected []string
		err      string
	}{
		"one event keeps its id and timestamp": {
			body: `{"id":"1","timestamp":1795258675123,"message":"m","metadata":{"a":{"b":1}}}`,
			want: []string{`1|2026-11-21T10:57:55.123Z|-|m|[{"message":"m","a":[{"b":1}]}]`},
		},
		"an array": {
			body: `[{"event_message":"a"},{"event_message":"b","project":"acme"}]`,
			want: []string{"new-1|" + now + "|-|a|-", "new-2|" + now + "|acme|b|-"},
		},
		"concatenated objects, as Fluent Bit's json_stream": {
			body: `{"id":"1","event_message":"a"}{"id":"2","event_message":}` + "\t" + `{"id":3,"event_message":"c"} {"id":"4","event_message":"}{"}`,
			want: []string{"1|" + now + "|-|a|-", "4|" + now + "|-|}{|-"},
			rejected: []string{
				"1 edge_logs event: is not valid JSON at byte 27: invalid character '}' looking for beginning of value",
				"2 edge_logs id: is a number; it must be a string",
			},
		},
		"a batch, as pino-logflare sends it": {
			body: `{"batch":[{"metadata":{"context":{"pid":1},"level":"info"},"message":"hi","timestamp":1795258675123}]}`,
			want: []string{`new-1|2026-11-21T10:57:55.123Z|-|hi|[{"message":"hi","context":[{"pid":1}],"level":"info"}]`},
		},
		"NDJSON with invalid events between valid ones": {
			body:     "{\"event_message\":\"a\"}\n\nnonsense\n{\"event_message\":1}\n{\"event_message\":\"b\"}\n",
			want:     []string{"new-1|" + now + "|-|a|-", "new-2|" + now + "|-|b|-"},
			rejected: []string{"1 edge_logs event: is not valid JSON at byte 2: invalid character 'o' in literal null (expecting 'u')", "2 edge_logs event_message: is a number; it must be a string"},
		},
		"an array with a hole": {
			body:     `[{"event_message":"a"},,7,{"event_message":"b"}]`,
			want:     []string{"new-1|" + now + "|-|a|-", "new-2|" + now + "|-|b|-"},
			rejected: []string{"1 edge_logs list: an event is missing before this character; remove the extra comma", "2 edge_logs event: is a number; an event is a JSON object"},
		},
		"only invalid events": {
			body:     `[{"id":1}]`,
			rejected: []string{"0 edge_logs id: is a number; it must be a string"},
		},
		"no JSON":           {body: "hello", err: "the request body cannot be read: event: is not valid JSON at byte 1: invalid character 'h' looking for beginning of value"},
		"no object":         {body: "7", err: "the request body cannot be read: event: is a number; an event is a JSON object"},
		"nothing":           {body: " \n", err: "the request body has no events"},
		"an empty array":    {body: "[]", err: "the request body has no events"},
		"an empty batch":    {body: `{"batch":[]}`, err: "the request body has no events"},
		"a truncated array": {body: `[{"event_message":"a"},{"event`, err: "the request body is truncated, or a bracket or quote in it is not closed: it ends inside an event, a list or a batch"},
		"a binary body":     {body: "\x00\x01\xff", err: "the request body cannot be read: event: is not valid JSON at byte 1: invalid character '\\x00' looking for beginning of value"},
		"a list named batch after a field of an event": {
			body: `{"id":"q","batch":["a"],"message":"m"}`,
			want: []string{"q|" + now + `|-|m|[{"message":"m"}]`},
		},
		"a list named batch of Vector": {
			format: logbody.Vector, body: `{"batch":[{"message":"inner"}],"host":"h","message":"outer"}` + "\n" + `[{"batch":[],"message":"listed"}]`,
			want: []string{
				`new-1|` + now + `|-|outer|[{"batch":[{"message":"inner"}],"host":"h"}]`,
				`new-2|` + now + `|-|listed|[{"batch":[]}]`,
			},
		},
		"a list named batch of Cloudflare": {
			format: logbody.Cloudflare, body: `{"RayID":"r","batch":[{"RayID":"r2"}]}`,
			want: []string{`new-1|` + now + `|-|-|[{"cloudflare":[{"RayID":"r","batch":[{"RayID":"r2"}]}]}]`},
		},
		"a list named batch of Vercel": {
			format: logbody.Vercel, body: `{"id":"1","batch":[1],"message":"m"}`,
			want: []string{`1|` + now + `|-|m|[{"batch":[1]}]`},
		},
		"an empty object of Vector":     {format: logbody.Vector, body: `{}`, rejected: []string{"0 edge_logs event: has neither event_message nor metadata; one of them is required"}},
		"an empty object of Cloudflare": {format: logbody.Cloudflare, body: `{}`, rejected: []string{"0 edge_logs event: has neither event_message nor metadata; one of them is required"}},
		"an empty object of Vercel":     {format: logbody.Vercel, body: `{}`, rejected: []string{"0 edge_logs event: has neither event_message nor metadata; one of them is required"}},
		"JSON of syslog after a byte order mark, with a relay": {
			format: logbody.Syslog, body: "\uFEFF" + `{"fromhost":"relay","hostname":"origin","app-name":"a","programname":"p","msg":"m"}`,
			want: []string{`new-1|` + now + `|-|m|[{"host":"origin","fromhost":"relay","program":"p","app-name":"a"}]`},
		},
		"a time of syslog with a space": {format: logbody.Syslog, body: "<34>1 2026-11-24 07:59:00 host app - - - x", err: "the request body cannot be read: " + notSyslog},
		"a long project":                {body: `{"message":"m","project":"` + strings.Repeat("ä", 257) + `"}`, rejected: []string{"0 edge_logs project: is longer than 256 characters"}},
		"a project with NUL":            {body: `{"message":"m","project":"a\u0000"}`, rejected: []string{"0 edge_logs project: contains the character NUL"}},
		"Cloudflare's test":             {format: logbody.Cloudflare, body: `{"content":"test"}`},
		"Cloudflare's test, s":          {format: logbody.Cloudflare, body: `{"content":"tests"}` + "\n"},
		"not Cloudflare's test": {
			format: logbody.Cloudflare, body: `{"content":"text"}`,
			want: []string{`new-1|` + now + `|-|-|[{"cloudflare":[{"content":"text"}]}]`},
		},
		"Cloudflare, HTTP requests": {
			format: logbody.Cloudflare,
			body: `{"ClientIP":"192.0.2.1","ClientRequestHost":"acme.example.com","ClientRequestMethod":"GET","ClientRequestURI":"/rest/v1/x?a=1","ClientRequestScheme":"http",` +
				`"ClientRequestUserAgent":"curl/8","EdgeEndTimestamp":"2026-11-22T09:00:01Z","EdgeResponseBytes":1,"EdgeResponseStatus":201,"EdgeStartTimestamp":"2026-11-22T09:00:00Z",` +
				`"RayID":"3a6050bcbe121a87","ClientCountry":"de","ClientASN":64496,"OriginResponseDurationMs":34,"CacheCacheStatus":"miss"}` + "\n",
			want: []string{`3a6050bcbe121a87|2026-11-22T09:00:00Z|-|GET | 201 | 192.0.2.1 | 3a6050bcbe121a87 | http://acme.example.com/rest/v1/x?a=1 | curl/8|` +
				`[{"request":[{"method":"GET","url":"http://acme.example.com/rest/v1/x?a=1","host":"acme.example.com","path":"/rest/v1/x","search":"?a=1","protocol":"http:",` +
				`"headers":[{"host":"acme.example.com","user_agent":"curl/8","cf_connecting_ip":"192.0.2.1","cf_ray":"3a6050bcbe121a87"}],"cf":[{"country":"de","asn":64496}]}],` +
				`"response":[{"status_code":201,"origin_time":34,"headers":[{"cf_cache_status":"miss"}]}],` +
				`"cloudflare":[{"ClientIP":"192.0.2.1","ClientRequestHost":"acme.example.com","ClientRequestMethod":"GET","ClientRequestURI":"/rest/v1/x?a=1","ClientRequestScheme":"http",` +
				`"ClientRequestUserAgent":"curl/8","EdgeEndTimestamp":"2026-11-22T09:00:01Z","EdgeResponseBytes":1,"EdgeResponseStatus":201,"EdgeStartTimestamp":"2026-11-22T09:00:00Z",` +
				`"RayID":"3a6050bcbe121a87","ClientCountry":"de","ClientASN":64496,"OriginResponseDurationMs":34,"CacheCacheStatus":"miss"}]}]`},
		},
		"Cloudflare, nanoseconds": {
			format: logbody.Cloudflare, body: `{"EdgeStartTimestamp":1795258675123456789,"ClientRequestMethod":"GET","RayID":"1","ClientRequestPath":"/","ClientRequestHost":"h"}`,
			want: []string{`1|2026-11-21T10:57:55.123456Z|-|GET | 1 | https://h/|[{"request":[{"method":"GET","url":"https://h/","host":"h","path":"/","search":"","protocol":"https:","headers":[{"host":"h","cf_ray":"1"}],"cf":[{}]}],` +
				`"response":[{"headers":[{}]}],"cloudflare":[{"EdgeStartTimestamp":1795258675123456789,"ClientRequestMethod":"GET","RayID":"1","ClientRequestPath":"/","ClientRequestHost":"h"}]}]`},
		},
		"Cloudflare, a request without its method": {
			format: logbody.Cloudflare, body: `{"RayID":"1","EdgeStartTimestamp":"2026-11-22T09:00:00Z","ClientRequestHost":"h","EdgeResponseStatus":200}` + "\n" + `{"RayID":"2","EdgeEndTimestamp":"2026-11-22T09:00:00Z"}`,
			want: []string{
				`1|2026-11-22T09:00:00Z|-|200 | 1 | https://h|[{"request":[{"url":"https://h","host":"h","path":"","search":"","protocol":"https:","headers":[{"host":"h","cf_ray":"1"}],"cf":[{}]}],` +
					`"response":[{"status_code":200,"headers":[{}]}],"cloudflare":[{"RayID":"1","EdgeStartTimestamp":"2026-11-22T09:00:00Z","ClientRequestHost":"h","EdgeResponseStatus":200}]}]`,
				`2|2026-11-22T09:00:00Z|-|-|[{"cloudflare":[{"RayID":"2","EdgeEndTimestamp":"2026-11-22T09:00:00Z"}]}]`,
			},
		},
		"Cloudflare, firewall events share a ray": {
			format: logbody.Cloudflare, body: `{"Datetime":"2026-11-22T09:00:00Z","RayID":"1","Action":"block"}`,
			want: []string{`new-1|2026-11-22T09:00:00Z|-|-|[{"cloudflare":[{"Datetime":"2026-11-22T09:00:00Z","RayID":"1","Action":"block"}]}]`},
		},
		"Vector, a list": {
			format: logbody.Vector,
			body:   `[{"host":"web-1","message":"started","source_type":"file","file":"/var/log/a.log","timestamp":"2026-11-22T09:00:00.123456789Z"}]`,
			want:   []string{`new-1|2026-11-22T09:00:00.123456Z|-|started|[{"host":"web-1","source_type":"file","file":"/var/log/a.log"}]`},
		},
		"Vector, NDJSON with metadata and a parsed message": {
			format: logbody.Vector,
			body:   `{"message":{"level":"info"},"id":7,"project":"acme","metadata":{"level":"warn"},"level":"x"}` + "\n" + `{"message":null,"event_message":"e","log_entry":"l"}`,
			want: []string{
				`7|` + now + `|acme|{"level":"info"}|[{"level":"warn","message":[{"level":"info"}]}]`,
				`new-1|` + now + `|-|e|[{"log_entry":"l"}]`,
			},
		},
		"Vector, metadata that is not an object": {
			format: logbody.Vector, body: `{"message":"m","metadata":"text"}`,
			want: []string{`new-1|` + now + `|-|m|[{"metadata":"text"}]`},
		},
		"Vector, a bad time": {
			format: logbody.Vector, body: `{"message":"m","timestamp":true}`,
			rejected: []string{"0 edge_logs timestamp: is a boolean; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"},
		},
		"Vercel, a lambda": {
			format: logbody.Vercel,
			body: `[{"id":"1573817187330377061717300000","message":"Adding customer to database...","timestamp":1573817187330,"type":"stdout","source":"lambda",` +
				`"projectId":"gdufoJxB6b9b1fEqr1jUtFkyavUU","projectName":"my-app","deploymentId":"dpl_1","host":"my-app.vercel.app","statusCode":200}]`,
			want: []string{`1573817187330377061717300000|2019-11-15T11:26:27.33Z|my-app|Adding customer to database...|` +
				`[{"type":"stdout","source":"lambda","deploymentId":"dpl_1","host":"my-app.vercel.app","statusCode":200,"projectId":"gdufoJxB6b9b1fEqr1jUtFkyavUU"}]`},
		},
		"Vercel, a request without a message": {
			format: logbody.Vercel,
			body: `{"id":"1","timestamp":1573817187330,"source":"static","projectId":"p","proxy":{"timestamp":1573817250172,"method":"GET","host":"h.vercel.app",` +
				`"path":"/a?b=1","userAgent":["Mozilla"],"statusCode":304,"clientIp":"192.0.2.7"}}`,
			want: []string{`1|2019-11-15T11:26:27.33Z|p|GET | 304 | 192.0.2.7 | h.vercel.app/a?b=1 | Mozilla|` +
				`[{"source":"static","proxy":[{"timestamp":1573817250172,"method":"GET","host":"h.vercel.app","path":"/a?b=1","userAgent":["Mozilla"],"statusCode":304,"clientIp":"192.0.2.7"}]}]`},
		},
		"Vercel's test of an address": {format: logbody.Vercel, body: "[]"},
		"syslog, lines": {
			format: logbody.Syslog,
			body: "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut=\"3\" eventSource=\"A\\\"p\\]p\\\\\"][savedq@32473 id=\"i\" project=\"acme\"] \uFEFFAn application event\n" +
				"<34>1 - - su - - -\n\n<0>1 2026-11-22T09:00:00+01:00 h p 1 - - \n",
			want: []string{
				`i|2003-10-11T22:14:15.003Z|acme|An application event|[{"facility":"local4","severity":"notice","host":"mymachine.example.com","program":"evntslog","message_id":"ID47","structured_data":[{"exampleSDID@32473":[{"iut":"3","eventSource":"A\"p]p\\"}],"savedq@32473":[{"id":"i","project":"acme"}]}]}]`,
				`new-1|` + now + `|-||[{"facility":"auth","severity":"crit","program":"su"}]`,
				`new-2|2026-11-22T08:00:00Z|-||[{"facility":"kern","severity":"emerg","host":"h","program":"p","process_id":"1"}]`,
			},
		},
		"syslog, other lines": {
			format: logbody.Syslog,
			body:   "<13>1 - h p - - - good\n<34>Oct 41 22:14:15 mymachine su: RFC 3164\nno priority\n<192>1 - - - - - -\n<1>1 - h  p - -\n<1>1 - h p - - [a b=\"c]\n<1>1 - h p - - [a b=\"c\"]x\n",
			want:   []string{`new-1|` + now + `|-|good|[{"facility":"user","severity":"notice","host":"h","program":"p"}]`},
			rejected: []string{
				"1 edge_logs " + notSyslog, "2 edge_logs " + notSyslog, "3 edge_logs " + notSyslog, "4 edge_logs " + notSyslog, "5 edge_logs " + notSyslog, "6 edge_logs " + notSyslog,
			},
		},
		"syslog, RFC 3164": {
			format: logbody.Syslog, body: "<34>Oct 11 22:14:15 vm su[7]: 'su root' failed: x\n<13>Nov  2 02:04:05 vm plain text\n<13>Dec 31 00:00:00 vm a: of last year\n",
			want: []string{
				`new-1|2026-10-11T22:14:15Z|-|'su root' failed: x|[{"facility":"auth","severity":"crit","host":"vm","program":"su","process_id":"7"}]`,
				`new-2|2026-11-02T02:04:05Z|-|plain text|[{"facility":"user","severity":"notice","host":"vm"}]`,
				`new-3|2025-12-31T00:00:00Z|-|of last year|[{"facility":"user","severity":"notice","host":"vm","program":"a"}]`,
			},
		},
		"syslog, with lengths": {
			format: logbody.Syslog,
			body:   "63 <40>1 2026-11-22T10:00:00+00:00 host app web.3 - State changed\n46 <13>1 2026-11-22T10:00:00Z h p - - - two\nlines\n999 <13>1 - h p - - - too long a length",
			want: []string{
				`new-1|2026-11-22T10:00:00Z|-|State changed|[{"facility":"syslog","severity":"emerg","host":"host","program":"app","process_id":"web.3"}]`,
				`new-2|2026-11-22T10:00:00Z|-|two` + "\n" + `lines|[{"facility":"user","severity":"notice","host":"h","program":"p"}]`,
			},
			rejected: []string{"2 edge_logs " + notSyslog},
		},
		"gzip without its header": {body: "\x1f\x8b\x08", err: "the request body is compressed with gzip; send it with the header Content-Encoding: gzip"},
		"zstd without its header": {body: "\x28\xb5\x2f\xfd", err: "the request body is compressed with zstd; send it with the header Content-Encoding: zstd"},
		"MessagePack":             {body: "\x91\x82\xa3log\xa1a", err: "the request body looks like MessagePack, which is not supported; send JSON (Fluent Bit: Format json)"},
		"syslog, no line is one":  {format: logbody.Syslog, body: "<34>Oct 41 22:14:15 m su: x", err: "the request body cannot be read: " + notSyslog},
		"syslog, a text":          {format: logbody.Syslog, body: "hello", err: "the request body cannot be read: " + notSyslog},
		"syslog-ng, format-json": {
			format: logbody.Syslog,
			body: `{"_SDATA":{"savedq@32473":{"project":"acme"}},"PROGRAM":"evntslog","PRIORITY":"notice","PID":"123","MSGID":"ID47","MESSAGE":"An \"event\"",` +
				`"ISODATE":"2003-10-11T22:14:15+00:00","HOST":"vm","FACILITY":"local4","DATE":"Oct 11 22:14:15"}` + "\n",
			want: []string{`new-1|2003-10-11T22:14:15Z|acme|An "event"|[{"DATE":"Oct 11 22:14:15","host":"vm","program":"evntslog","process_id":"123",` +
				`"message_id":"ID47","facility":"local4","severity":"notice","structured_data":[{"savedq@32473":[{"project":"acme"}]}]}]`},
		},
		"rsyslog, structured data": {
			format: logbody.Syslog,
			body:   `{"msg":"m","hostname":"h","structured-data":"[a b=\"c\"][savedq@32473 project=\"rp\" id=\"S4\"]"}` + "\n" + `{"msg":"m","structured-data":"-"}` + "\n" + `{"msg":"m","structured-data":"[savedq id=\"x\""}`,
			want: []string{
				`S4|` + now + `|rp|m|[{"host":"h","structured_data":"[a b=\"c\"][savedq@32473 project=\"rp\" id=\"S4\"]"}]`,
				`new-1|` + now + `|-|m|[{"structured_data":"-"}]`, `new-2|` + now + `|-|m|[{"structured_data":"[savedq id=\"x\""}]`,
			},
		},
		"rsyslog, StdJSONFmt in a list": {
			format: logbody.Syslog,
			body:   `[{"message":"m","fromhost":"vm","facility":"auth","priority":"info","timereported":"2026-11-22T09:00:00.5+00:00","timegenerated":"2026-11-22T09:00:01+00:00"}]`,
			want:   []string{`new-1|2026-11-22T09:00:00.5Z|-|m|[{"host":"vm","facility":"auth","severity":"info","timegenerated":"2026-11-22T09:00:01+00:00"}]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := []byte(test.body)
			result, err := logbody.Read(t.Context(), test.format, body, options())
			clear(body) // events must not live in the memory of the body
			if test.err != "" {
				require.EqualError(t, err, test.err)
				assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, lines(result.Events))
			assert.Equal(t, test.rejected, reasons(result.Rejected))
		})
	}
}

const notSyslog = "event: is not a line of RFC 5424, such as <34>1 2026-11-22T10:00:00Z host program 123 - - message; an absent part is -"

// Events without a project get the project of the request.
func TestReadWithProject(t *testing.T) {
	t.Parallel()
	with := options()
	with.Project = "acme"
	result, err := logbody.Read(t.Context(), logbody.JSON, []byte(`[{"event_message":"a"},{"event_message":"b","project":"globex"}]`), with)
	require.NoError(t, err)
	assert.Equal(t, []string{"new-1|" + now + "|acme|a|-", "new-2|" + now + "|globex|b|-"}, lines(result.Events))

	with.Source, _ = tables.Shipped().FindSource("function_logs")
	result, err = logbody.Read(t.Context(), logbody.JSON, []byte(`{"event_message":"a"}`), with)
	require.NoError(t, err)
	assert.Equal(t, []string{"new-3|" + now + `|acme|a|[{"project_ref":"acme"}]`}, lines(result.Events), "where queries for the source find it")
	for format, want := range map[logbody.Format]string{logbody.JSON: "|globex|a|-", logbody.Vector: `|globex|a|[{"project_ref":"globex"}]`} {
		result, err = logbody.Read(t.Context(), format, []byte(`{"id":"1","event_message":"a","project":"globex"}`), with)
		require.NoError(t, err)
		assert.Equal(t, []string{"1|" + now + want}, lines(result.Events), "a sender of savedq's own fields has set the column (D23)")
	}
}

// A rejected event is kept as it was sent, cut to its limit between characters.
func TestRejectedEventsAreKept(t *testing.T) {
	t.Parallel()
	long := `{"event_message":7,"xy":"` + strings.Repeat("é", logevent.MaxRejectedBytes) + `"}`
	result, err := logbody.Read(t.Context(), logbody.Vector, []byte(`[{"message":"a"},{"timestamp":"x"},`+long+`]`), options())
	require.NoError(t, err)
	assert.Len(t, result.Events, 2)
	require.Len(t, result.Rejected, 1)
	assert.JSONEq(t, `{"timestamp":"x"}`, result.Rejected[0].Event)

	result, err = logbody.Read(t.Context(), logbody.JSON, []byte(long), options())
	require.NoError(t, err)
	require.Len(t, result.Rejected, 1)
	assert.Equal(t, long[:logevent.MaxRejectedBytes-1], result.Rejected[0].Event)
}

// An event that is too large is rejected, whatever its format, and others are not.
func TestMaxEventBytes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format logbody.Format
		body   string
	}{
		"JSON":   {logbody.JSON, `[{"message":"` + strings.Repeat("x", 86) + `"},{"message":"` + strings.Repeat("x", 87) + `"}]`},
		"vector": {logbody.Vector, `[{"message":"` + strings.Repeat("x", 86) + `"},{"message":"` + strings.Repeat("x", 87) + `"}]`},
		"syslog": {logbody.Syslog, "<34>1 - - - - - - " + strings.Repeat("x", 82) + "\n<34>1 - - - - - - " + strings.Repeat("x", 83)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limited := options()
			limited.MaxEventBytes = 100
			result, err := logbody.Read(t.Context(), test.format, []byte(test.body), limited)
			require.NoError(t, err)
			assert.Len(t, result.Events, 1)
			assert.Equal(t, []string{"1 edge_logs event: has 101 bytes; the server's --max-event allows 100 B"}, reasons(result.Rejected))
		})
	}
}

// A batch has a limited number of events.
func TestMaxEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format logbody.Format
		event  string
	}{
		"rejected":       {logbody.JSON, "{}\n"},
		"commas":         {logbody.JSON, ","},
		"syslog":         {logbody.Syslog, "<1>1 - - - - - -\n"},
		"OTLP, protobuf": {logbody.OTLPProtobuf, "\x12\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := func(events int) []byte {
				text := strings.Repeat(test.event, events)
				switch {
				case test.event == ",":
					text = "[{\"message\":\"\"}," + text[2:] + "{\"message\":\"\"}]"
				case test.format == logbody.OTLPProtobuf:
					text = nested(t, nested(t, text, 2), 1)
				}
				return []byte(text)
			}
			result, err := logbody.Read(t.Context(), test.format, body(logbody.MaxEvents), options())
			require.NoError(t, err)
			assert.Equal(t, logbody.MaxEvents, len(result.Events)+len(result.Rejected))
			_, err = logbody.Read(t.Context(), test.format, body(logbody.MaxEvents+1), options())
			assert.Equal(t, logbody.ErrTooManyEvents, err)
		})
	}
}

// Nested brackets do not exhaust the stack, and many keys take linear time.
func TestBombs(t *testing.T) {
	t.Parallel()
	const bytes = 1 << 18
	keys := strings.Builder{}
	for i := 0; keys.Len() < bytes; i++ {
		keys.WriteString(`"` + strconv.Itoa(i) + `":0,`)
	}
	manyKeys := "{" + keys.String() + `"message":"m"}`
	for name, test := range map[string]struct {
		formats []logbody.Format
		body    string
		// accepted reports whether the body holds an event.
		accepted bool
	}{
		"lists":             {nil, strings.Repeat("[", bytes), false},
		"objects":           {nil, strings.Repeat(`{"a":`, bytes/5), false},
		"closed lists":      {nil, strings.Repeat("[", bytes/2) + strings.Repeat("]", bytes/2), false},
		"batches":           {nil, strings.Repeat(`{"batch":[`, bytes/10), false},
		"deep metadata":     {nil, `{"metadata":{"a":` + strings.Repeat("[", bytes/2-20) + strings.Repeat("]", bytes/2-20) + `}}`, false},
		"deep OTLP":         {[]logbody.Format{logbody.OTLPJSON}, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` + strings.Repeat(`{"arrayValue":{"values":[`, 3000) + strings.Repeat(`]}}`, 3000) + `}]}]}]}`, false},
		"many keys":         {[]logbody.Format{logbody.Cloudflare, logbody.Vector, logbody.Vercel, logbody.Syslog}, manyKeys, false},
		"many keys, nested": {[]logbody.Format{logbody.JSON, logbody.Vector, logbody.Vercel, logbody.Syslog}, `{"message":"m","metadata":` + manyKeys + `}`, false},
		"one key":           {[]logbody.Format{logbody.JSON, logbody.Vector, logbody.Vercel, logbody.Syslog}, "{" + strings.Repeat(`"message":"m",`, bytes/14) + `"message":"m"}`, true},
	} {
		formats := test.formats
		if formats == nil {
			for format := range logbody.Formats {
				formats = append(formats, logbody.Format(format))
			}
		}
		for _, format := range formats {
			t.Run(name+" "+strconv.Itoa(int(format)), func(t *testing.T) {
				result, err := logbody.Read(t.Context(), format, []byte(test.body), options())
				if test.accepted {
					require.NoError(t, err)
				}
				assert.Equal(t, test.accepted, len(result.Events) == 1)
				assert.True(t, err != nil || len(result.Rejected) > 0 || test.accepted)
			})
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"batch":[{"id":"1","timestamp":1795258675123,"message":"m","metadata":{"a":{"b":1}}}]}`,
		`[{"EdgeStartTimestamp":1,"ClientRequestMethod":"GET","ClientRequestURI":"/?","RayID":"1"},{"content":"test"}]`,
		`[{"id":"1","projectName":"p","proxy":{"userAgent":["x"]}}]`,
		`<165>1 2003-10-11T22:14:15.003Z h p 1 ID47 [a@1 b="c\"\]"][savedq id="1"] m`,
		`{"MESSAGE":"m","_SDATA":{"savedq":{"id":7}},"metadata":{"a":[]}}`,
		`{"resourceLogs":[{"resource":{"attributes":[{"key":"source","value":{"stringValue":"auth_logs"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"kvlistValue":{"values":[{"key":"a"}]}},"traceId":"5b8efff798038103d269b633813fc60c"}]}]}]}`,
		"\n\x08\x12\x06\x12\x04\x2a\x02\n\x00",
		`{"streams":[{"stream":{"app":"auth_logs"},"values":[["1","m",{"id":7,"project":null}],["",""]]}]}`,
		field(1, field(1, `{app="auth_logs"}`)+entry(1, 2, "m", "id", "1")),
		`[{"message":"m","ddtags":"source:auth_logs,project:p","service":7},{}]`,
		`{"create":{"_index":"auth_logs-2026","_id":7}}` + "\n" + `{"@timestamp":1}` + "\n" + `{"delete":{}}`,
		"__CURSOR=c\nMESSAGE=m\nSOURCE=auth_logs\nPRIORITY=3\n\n" + binaryField("BLOB", "\x00\xff"),
	} {
		for format := range logbody.Formats {
			f.Add(format, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, format int, body []byte) {
		const formats = logbody.Formats
		result, err := logbody.Read(t.Context(), logbody.Format((format%formats+formats)%formats), body, options())
		if err != nil {
			require.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
			require.Less(t, len(err.Error()), 1200, "an error does not repeat the body")
			return
		}
		for _, event := range result.Events {
			require.NotEmpty(t, event.ID)
			require.NotEmpty(t, event.Source.Name)
			require.True(t, event.EventMessage != nil || event.Metadata != nil)
			require.True(t, event.Metadata == nil || json.Valid(event.Metadata))
		}
		last := -1
		for _, rejected := range result.Rejected {
			require.Greater(t, rejected.Position, last)
			last = rejected.Position
			require.NotEmpty(t, rejected.Reason)
			require.LessOrEqual(t, len(rejected.Event), logevent.MaxRejectedBytes)
		}
	})
}

// A time of RFC 3164 has no year: it is in the latest one that has its date and is not ahead.
func TestYearOfSyslog(t *testing.T) {
	t.Parallel()
	for sent, test := range map[string]struct{ now, want string }{
		"Feb 29 10:00:00": {"2026-11-22T10:00:00Z", "2024-02-29T10:00:00Z"},
		"Feb 29 09:59:59": {"2028-02-29T10:00:00Z", "2028-02-29T09:59:59Z"},
		"Feb 29 00:00:00": {"2028-02-28T12:00:00Z", "2028-02-29T00:00:00Z"},
		"Feb 29 23:00:00": {"2028-02-28T12:00:00Z", "2024-02-29T23:00:00Z"},
		"Feb 29 11:00:00": {"2103-01-01T00:00:00Z", "2096-02-29T11:00:00Z"},
		"Feb 28 10:00:00": {"2026-11-22T10:00:00Z", "2026-02-28T10:00:00Z"},
		"Jan  1 00:30:00": {"2026-12-31T23:30:00Z", "2027-01-01T00:30:00Z"},
		"Dec 31 23:30:00": {"2027-01-01T00:30:00Z", "2026-12-31T23:30:00Z"},
	} {
		with := options()
		with.Now, _ = time.Parse(time.RFC3339, test.now)
		result, err := logbody.Read(t.Context(), logbody.Syslog, []byte("<13>"+sent+" vm a: m\n<13>Feb 30 00:00:00 vm a: m\n"), with)
		require.NoError(t, err)
		require.Len(t, result.Events, 1, "the others of a batch are stored")
		assert.Equal(t, test.want, result.Events[0].Timestamp.Format(time.RFC3339), sent)
		assert.Len(t, result.Rejected, 1)
	}
}

// A body that is cut off in a string, or after a backslash, is not valid, and nothing else.
func TestTruncatedStrings(t *testing.T) {
	t.Parallel()
	_, err := logbody.Read(t.Context(), logbody.OTLPJSON, []byte(`{"resourceLogs":"\u0041\`), logbody.Options{})
	require.ErrorContains(t, err, "is not an ExportLogsServiceRequest of OTLP in JSON: it is not valid JSON at byte")
	for body, want := range map[string]string{
		`{"log_entry":"a","source":"`:       `"`,
		`{"log_entry":"a","source":"edge`:   `"edge`,
		`{"log_entry":"a","source":"edge"}`: "edge",
		`{"log_entry":"a","source":null`:    "",
	} {
		assert.Equal(t, want, logbody.NamedSource([]byte(body)), body)
	}
}
