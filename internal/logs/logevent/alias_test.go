package logevent_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
)

// D41: what senders use instead of event_message and timestamp. It stays in metadata.
func TestAliases(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	at := time.Date(2026, 11, 24, 10, 0, 0, 123_456_000, time.UTC) // 1795514400.123456
	for name, test := range map[string]struct {
		raw, message, metadata string
		at                     time.Time
		ignored                []string
	}{
		"Fluent Bit":               {`{"date":1795514400.123456,"log":"hello"}`, "hello", `[{"date":1795514400.123456,"log":"hello"}]`, at, nil},
		"pino":                     {`{"level":30,"time":1795514400123,"msg":"hello"}`, "hello", `[{"time":1795514400123,"msg":"hello"}]`, at.Truncate(time.Millisecond), []string{"level"}},
		"Logstash":                 {`{"@timestamp":"2026-11-24T10:00:00.123Z","message":"hello"}`, "hello", `[{"@timestamp":"2026-11-24T10:00:00.123Z","message":"hello"}]`, at.Truncate(time.Millisecond), nil},
		"pino-logflare":            {`{"message":"hello","metadata":{"level":"info"}}`, "hello", `[{"message":"hello","level":"info"}]`, now, nil},
		"winston":                  {`{"log_entry":"hello"}`, "hello", `[{"log_entry":"hello"}]`, now, nil},
		"zap":                      {`{"ts":1795514400.1234567,"msg":"hello","metadata":{"a":1}}`, "hello", `[{"ts":1795514400.1234567,"msg":"hello","a":1}]`, at, nil},
		"empty metadata":           {`{"msg":"hello","metadata":{}}`, "hello", `[{"msg":"hello"}]`, now, nil},
		"a list of metadata":       {`{"msg":"hello","metadata":[{"a":1},{"b":2}]}`, "hello", `[{"msg":"hello","a":1},{"b":2}]`, now, nil},
		"metadata has it":          {`{"msg":"hello","metadata":{"msg":"other"}}`, "hello", `[{"msg":"other"}]`, now, nil},
		"escapes":                  {`{"msg":"h\u00e4 \ud83d <"}`, "hä \ufffd <", `[{"msg":"hä � \u003c"}]`, now, nil},
		"bytes that are not UTF-8": {"{\"message\":\"a\xff\xfe\",\"metadata\":{\"k\":\"b\xc3\"}}", "a\ufffd", `[{"message":"a�","k":"b�"}]`, now, nil},
		"the standard names win":   {`{"event_message":"a","timestamp":"2026-11-24T10:00:00.123456Z","msg":"b","log":"c","ts":1,"@timestamp":"x"}`, "a", "", at, []string{"msg", "log", "@timestamp", "ts"}},
		"the order":                {`{"log":"d","msg":"c","log_entry":"b","message":"a","date":4,"ts":3,"time":2,"@timestamp":1795514400}`, "a", `[{"@timestamp":1795514400,"message":"a"}]`, at.Truncate(time.Second), []string{"log_entry", "msg", "log", "time", "ts", "date"}},
		"null":                     {`{"msg":null,"log":"a","time":null}`, "a", `[{"log":"a"}]`, now, nil},
		"a fraction of ms":         {`{"timestamp":1795514400123.456,"event_message":"a"}`, "a", "", at, nil},
		"a fraction of µs":         {`{"timestamp":1795514400123456.9,"event_message":"a"}`, "a", "", at, nil},
		"a fraction before 1970":   {`{"timestamp":-0.5,"event_message":"a"}`, "a", "", time.Date(1969, 12, 31, 23, 59, 59, 500_000_000, time.UTC), nil},
		"a fraction that is long":  {`{"timestamp":0.00000099999999999,"event_message":"a"}`, "a", "", time.Unix(0, 0).UTC(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, ignored, err := logevent.Decode([]byte(test.raw), logevent.Defaults{Now: now, ID: func() string { return "id" }})
			require.NoError(t, err)
			require.NotNil(t, event.EventMessage)
			assert.Equal(t, test.message, *event.EventMessage)
			assert.Equal(t, test.at, event.Timestamp)
			assert.Equal(t, test.ignored, ignored)
			if test.metadata == "" {
				assert.Nil(t, event.Metadata)
			} else {
				assert.JSONEq(t, test.metadata, string(event.Metadata))
			}
		})
	}
	for raw, want := range map[string]string{
		`{"a":1,"b":2}`: `event: has neither event_message nor metadata; one of them is required, and only these fields were found: "a", "b"`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"1234567890123456789012345678901234567890":0}`: `"g", "h", and 2 more`,
		`{"time":1,"level":30}`:     `event: has neither event_message nor metadata; one of them is required, and only these fields were found: "level", "time"`,
		`{"time":"soon","msg":"a"}`: `time: "soon" is not`,
		`{"msg":7}`:                 `msg: is a number; it must be a string`,
		`{"ts":[],"msg":"a"}`:       `ts: is a list; it must be an ISO 8601 string`,
	} {
		_, _, err := logevent.Decode([]byte(raw), logevent.Defaults{Now: now, ID: func() string { return "id" }})
		require.ErrorContains(t, err, want)
	}
}
