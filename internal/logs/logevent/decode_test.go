package logevent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
)

func defaults() logevent.Defaults {
	return logevent.Defaults{
		Now: time.Date(2026, 11, 20, 11, 0, 0, 123456789, time.FixedZone("CET", 3600)),
		ID:  func() string { return "made-up" },
	}
}

func TestDecode(t *testing.T) {
	text := func(s string) *string { return &s }
	now := time.Date(2026, 11, 20, 10, 0, 0, 123456000, time.UTC)
	tests := []struct {
		name    string
		raw     string
		want    logevent.Event
		ignored []string
	}{
		{
			name: "every field",
			raw:  `{"id":"1","timestamp":"2026-11-19T08:07:06.5+01:00","event_message":"m","project":"acme","metadata":{"a":{"b":1}}}`,
			want: logevent.Event{
				ID: "1", Timestamp: time.Date(2026, 11, 19, 7, 7, 6, 500_000_000, time.UTC),
				EventMessage: text("m"), Project: text("acme"), Metadata: json.RawMessage(`[{"a":[{"b":1}]}]`),
			},
		},
		{
			name: "absent fields",
			raw:  ` { "event_message" : "m" } `,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m")},
		},
		{
			name: "null fields are absent",
			raw:  `{"id":null,"timestamp":null,"event_message":null,"project":null,"metadata":[],"other":null}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, Metadata: json.RawMessage(`[]`)},
		},
		{
			name: "an empty id is absent, an empty text is not",
			raw:  `{"id":"","event_message":"","project":""}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text(""), Project: text("")},
		},
		{
			name: "the longest project",
			raw:  `{"event_message":"m","project":"` + strings.Repeat("ä", 256) + `"}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m"), Project: text(strings.Repeat("ä", 256))},
		},
		{
			name: "microseconds",
			raw:  `{"timestamp":1700000000123456,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.UnixMicro(1700000000123456).UTC(), EventMessage: text("m")},
		},
		{
			name: "first microsecond",
			raw:  `{"timestamp":-62135596800000000,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: seconds",
			raw:  `{"timestamp":1795258675,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2026, 11, 21, 10, 57, 55, 0, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: milliseconds",
			raw:  `{"timestamp":1795258675123,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2026, 11, 21, 10, 57, 55, 123_000_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: nanoseconds are cut off",
			raw:  `{"timestamp":1795258675123456999,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2026, 11, 21, 10, 57, 55, 123_456_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: microseconds of 17 digits",
			raw:  `{"timestamp":99999999999999999,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(5138, 11, 16, 9, 46, 39, 999_999_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: nanoseconds of 18 digits",
			raw:  `{"timestamp":100000000000000000,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(1973, 3, 3, 9, 46, 40, 0, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: the least integer",
			raw:  `{"timestamp":-9223372036854775808,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(1677, 9, 21, 0, 12, 43, 145_225_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: nanoseconds after 2262",
			raw:  `{"timestamp":18446744073709551615,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2554, 7, 21, 23, 34, 33, 709_551_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: the last nanosecond",
			raw:  `{"timestamp":253402300799999999999.9,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: seconds before 1970",
			raw:  `{"timestamp":-1,"event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), EventMessage: text("m")},
		},
		{
			name: "D35: message",
			raw:  `{"message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m"), Metadata: json.RawMessage(`[{"message":"m"}]`)},
		},
		{
			name:    "D35: message before log_entry",
			raw:     `{"log_entry":{"not":"read"},"message":"m"}`,
			want:    logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m"), Metadata: json.RawMessage(`[{"message":"m"}]`)},
			ignored: []string{"log_entry"},
		},
		{
			name:    "D35: event_message before both",
			raw:     `{"message":"a","log_entry":"b","event_message":"m"}`,
			want:    logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m")},
			ignored: []string{"message", "log_entry"},
		},
		{
			name: "D35: log_entry, with an event_message that is null",
			raw:  `{"event_message":null,"log_entry":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("m"), Metadata: json.RawMessage(`[{"log_entry":"m"}]`)},
		},
		{
			name: "timestamp as Parquet exports have it",
			raw:  `{"timestamp":"2026-11-20 09:00:00.123456+00","event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2026, 11, 20, 9, 0, 0, 123_456_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "nanoseconds are cut off",
			raw:  `{"timestamp":"2026-11-20T09:00:00.123456999Z","event_message":"m"}`,
			want: logevent.Event{ID: "made-up", Timestamp: time.Date(2026, 11, 20, 9, 0, 0, 123_456_000, time.UTC), EventMessage: text("m")},
		},
		{
			name: "metadata as text",
			raw:  `{"metadata":" {\"a\":{\"b\":\"\\u00e9\"}} "}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, Metadata: json.RawMessage(`[{"a":[{"b":"\u00e9"}]}]`)},
		},
		{
			name: "metadata as text of a list",
			raw:  `{"metadata":"[{\"a\":1},{}]"}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, Metadata: json.RawMessage(`[{"a":1},{}]`)},
		},
		{
			name:    "unknown fields, escaped names, brackets in strings",
			raw:     `{"x":{"id":["}"]},"event_\u006dessage":"a\n\"b\"\ud83d\ude00","y":-1.5e3 ,"z":true}`,
			want:    logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("a\n\"b\"😀")},
			ignored: []string{"x", "y", "z"},
		},
		{
			name: "half a surrogate pair becomes the replacement character",
			raw:  `{"event_message":"a\ud83d","metadata":{"\udc00":"\ud83d\ude00\ud83dx\\ud83d\n"}}`,
			want: logevent.Event{ID: "made-up", Timestamp: now, EventMessage: text("a\uFFFD"), Metadata: json.RawMessage(`[{"\ufffd":"\ud83d\ude00\ufffdx\\ud83d\n"}]`)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			raw := []byte(test.raw)
			event, ignored, err := logevent.Decode(raw, defaults())
			require.NoError(t, err)
			clear(raw) // the event must not live in the memory of its input
			assert.Equal(t, test.want, event)
			assert.Equal(t, test.ignored, ignored)
		})
	}
}

func TestDecodeRejects(t *testing.T) {
	tests := []struct {
		name string
		raw  string
		want string
	}{
		{"nothing", "", "event: is not valid JSON at byte 0: unexpected end of JSON input"},
		{"other text", `hello`, "event: is not valid JSON at byte 1: invalid character 'h' looking for beginning of value"},
		{"a bare word", `{"b":nope}`, "event: is not valid JSON at byte 7: invalid character 'o' in literal null (expecting 'u')"},
		{"an incomplete event", `{"id":"1`, "event: is not valid JSON at byte 8: unexpected end of JSON input"},
		{"two events", `{"event_message":"m"}{}`, "event: is not valid JSON at byte 22: invalid character '{' after top-level value"},
		{"a list", `[{}]`, "event: is a list; an event is a JSON object"},
		{"a number", ` 12`, "event: is a number; an event is a JSON object"},
		{"null", `null`, "event: is null; an event is a JSON object"},
		{"no content", `{"id":"1","metadata":null}`, "event: has neither event_message nor metadata; one of them is required"},
		{"id of another type", `{"id":1,"event_message":"m"}`, "id: is a number; it must be a string"},
		{"alias of another type", `{"message":{"a":1}}`, "message: is an object; it must be a string"},
		{"message of another type", `{"event_message":{"a":1}}`, "event_message: is an object; it must be a string"},
		{"project of another type", `{"project":true,"event_message":"m"}`, "project: is a boolean; it must be a string"},
		{"project that no query can name", `{"project":"` + strings.Repeat("ä", 257) + `","event_message":"m"}`, "project: is longer than 256 characters"},
		{"metadata of another type", `{"metadata":12}`, "metadata: is a number; it must be an object or a list of objects"},
		{"metadata with scalars", `{"metadata":[{}, "a"]}`, "metadata: is a list that holds a string; it must be an object or a list of objects"},
		{"metadata with lists", `{"metadata":[[{}]]}`, "metadata: is a list that holds a list; it must be an object or a list of objects"},
		{"metadata as other text", `{"metadata":"hello"}`, "metadata: is a string whose text is not valid JSON at byte 1: invalid character 'h' looking for beginning of value; it must be the JSON of an object or of a list of objects"},
		{"metadata as empty text", `{"metadata":""}`, "metadata: is a string whose text is not valid JSON at byte 0: unexpected end of JSON input; it must be the JSON of an object or of a list of objects"},
		{"metadata as text of a scalar", `{"metadata":"1"}`, "metadata: is a number; it must be an object or a list of objects"},
		{"metadata nested too deeply", `{"metadata":` + strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101) + `}`, "metadata: is nested too deeply; at most 200 levels are allowed, and an object inside an object counts as two"},
		{"metadata with too many members", `{"metadata":{"a":{"a":0` + strings.Repeat(`,"a":0`, logevent.MaxMembers) + "}}}", "metadata: has an object of more than 10000 members"},
		{"timestamp as other text", `{"timestamp":"yesterday","event_message":"m"}`, "timestamp: \"yesterday\" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z"},
		{"timestamp as long text", `{"timestamp":"` + strings.Repeat("2", 1000) + `","event_message":"m"}`, "timestamp: is too long for a timestamp; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"},
		{"timestamp with an exponent", `{"timestamp":1.5e9,"event_message":"m"}`, "timestamp: 1.5e9 is not a plain number; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"},
		{"timestamp of another type", `{"timestamp":[],"event_message":"m"}`, "timestamp: is a list; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"},
		{"timestamp too early", `{"timestamp":-62135596800000001,"event_message":"m"}`, "timestamp: is outside the years 0001 to 9999"},
		{"timestamp too late", `{"timestamp":253402300800000000000,"event_message":"m"}`, "timestamp: is outside the years 0001 to 9999"},
		{"timestamp of the least integer in microseconds", `{"timestamp":-9223372036854775808000,"event_message":"m"}`, "timestamp: is outside the years 0001 to 9999"},
		{"timestamp with a fraction and an exponent", `{"timestamp":1795258675123456789.5e3,"event_message":"m"}`, "timestamp: 1795258675123456789.5e3 is not a plain number; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"},
		{"timestamp beyond 64 bits", `{"timestamp":99999999999999999999999999,"event_message":"m"}`, "timestamp: is outside the years 0001 to 9999"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := logevent.Decode([]byte(test.raw), defaults())
			assert.EqualError(t, err, test.want)
		})
	}
}

// TestStorageShape holds the rules of D14 against events.
func TestStorageShape(t *testing.T) {
	tests := []struct {
		name     string
		metadata string
		want     string
	}{
		{"an object becomes a list of one", `{"a":1}`, `[{"a":1}]`},
		{"at every level", `{"a":{"b":{"c":{}}}}`, `[{"a":[{"b":[{"c":[{}]}]}]}]`},
		{"objects in a list stay", `{"a":[{"b":1},{"b":{"c":2}}]}`, `[{"a":[{"b":1},{"b":[{"c":2}]}]}]`},
		{"objects in a list of lists stay", `{"a":[[{"b":{}}]]}`, `[{"a":[[{"b":[{}]}]]}]`},
		{"scalars and lists of scalars stay", `{"a":[1,"x",null,true],"b":null,"c":[],"d":false}`, `[{"a":[1,"x",null,true],"b":null,"c":[],"d":false}]`},
		{"several elements stay", `[{"a":{"b":1}},{}]`, `[{"a":[{"b":1}]},{}]`},
		{"no element stays", `[]`, `[]`},
		{"what is in shape stays", `[{"a":[{"b":[{"c":1}]}]}]`, `[{"a":[{"b":[{"c":1}]}]}]`},
		{"numbers keep their text", `{"a":9007199254740993,"b":1.0,"c":1e3,"d":-0,"e":123456789012345678901234567890.10}`, `[{"a":9007199254740993,"b":1.0,"c":1e3,"d":-0,"e":123456789012345678901234567890.10}]`},
		{"keys keep their order and text", `{"z":1,"a":2,"\u0061\/":4}`, `[{"z":1,"a":2,"\u0061\/":4}]`},
		{"the last of repeated keys stays", `{"a":1,"b":2,"a":3}`, `[{"b":2,"a":3}]`},
		{"a key is what it decodes to", `{"ab":1,"\u0061b":{"c":2}}`, `[{"\u0061b":[{"c":2}]}]`},
		{"halves of surrogate pairs are one key", `{"\ud800":1,"\udc00":2}`, `[{"\ufffd":2}]`},
		{"nested repeated keys", `[{"r":{"x":1,"x":[{"y":1,"y":2,"z":{"y":3}}],"w":0}},{"r":1}]`, `[{"r":[{"x":[{"y":2,"z":[{"y":3}]}],"w":0}]},{"r":1}]`},
		{"a repeated key whose values have keys", `{"r":{"s":1},"r":{"t":2,"t":{}}}`, `[{"r":[{"t":[{}]}]}]`},
		{"equal keys of several objects", `{"a":{"a":1},"b":{"a":"a","c":["a","a"]}}`, `[{"a":[{"a":1}],"b":[{"a":"a","c":["a","a"]}]}]`},
		{"null as the last value", `{"a":1,"a":null}`, `[{"a":null}]`},
		{"many keys", "{" + manyKeys() + `,"k7":"last"}`, "[{" + strings.Replace(manyKeys(), `"k7":7,`, "", 1) + `,"k7":"last"}]`},
		{"many keys without repetition", "{" + manyKeys() + "}", "[{" + manyKeys() + "}]"},
		{"spaces go, but not from strings", "{ \"a b\" :\t[ 1 ,\r\n { \"c\" : \" { } \" } ] }", `[{"a b":[1,{"c":" { } "}]}]`},
		{"brackets in strings", `{"a":"{\"b\":{}}\\","c":{"d":"]"}}`, `[{"a":"{\"b\":{}}\\","c":[{"d":"]"}]}]`},
		{"the deepest metadata", strings.Repeat(`{"a":`, 99) + "{}" + strings.Repeat("}", 99), strings.Repeat(`[{"a":`, 99) + "[{}]" + strings.Repeat("}]", 99)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			event, _, err := logevent.Decode([]byte(`{"metadata":`+test.metadata+`}`), defaults())
			require.NoError(t, err)
			assert.Equal(t, test.want, string(event.Metadata))
			again, _, err := logevent.Decode([]byte(`{"metadata":`+test.want+`}`), defaults())
			require.NoError(t, err)
			assert.Equal(t, test.want, string(again.Metadata), "metadata in shape stays as it is")
		})
	}
}

// manyKeys returns members with the keys k0 to k39.
func manyKeys() string {
	members := make([]string, 40)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	return strings.Join(members, ",")
}

// decodeJSON decodes JSON and preserves the text of numbers.
func decodeJSON(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value))
	return value
}

// requireStorageShape checks that every object is in a list.
func requireStorageShape(t *testing.T, value any, inList bool) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		require.True(t, inList, "an object stands outside of a list")
		for _, inner := range value {
			requireStorageShape(t, inner, false)
		}
	case []any:
		for _, inner := range value {
			requireStorageShape(t, inner, true)
		}
	}
}

// shape is D14, written the plain way.
func shape(value any, inList bool) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = shape(inner, false)
		}
		if !inList {
			return []any{value}
		}
	case []any:
		for i, inner := range value {
			value[i] = shape(inner, true)
		}
	}
	return value
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","timestamp":"2026-11-19T08:07:06.5+01:00","event_message":"m","project":"acme","metadata":{"a":{"b":1}}}`,
		`{"metadata":[{"a":[{"b":[1,{"c":{}}]}]}],"timestamp":-1}`,
		`{"metadata":"{\"a\":{\"b\":\"\\ud800\"}}","x":[]}`,
		`{"metadata":{"\ud83d\ude00":"\udead","n":1e3}}`,
		`{"event_message":"` + "\xff" + `"}`,
		`{"metadata":{"a` + "\xb9\xb8-\x89" + `":1}}`,
		`{"metadata":{"a":{"b":1,"b":{"c":2,"c":3}},"a":[{"b":4,"b":5}]}}`,
		`{"timestamp":99999999999999999999999999,"event_message":null}`,
		" {\"event_message\" : \"\" } ",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		event, _, err := logevent.Decode(raw, defaults())
		if err != nil {
			require.Less(t, len(err.Error()), 600, "a reason does not repeat the event")
			return
		}
		require.True(t, json.Valid(raw))
		require.NotEmpty(t, event.ID)
		require.True(t, event.EventMessage != nil || event.Metadata != nil)
		require.Equal(t, time.UTC, event.Timestamp.Location())
		require.Equal(t, event.Timestamp, event.Timestamp.Truncate(time.Microsecond))
		require.True(t, event.Timestamp.Year() >= 1 && event.Timestamp.Year() <= 9999)
		if event.Metadata == nil {
			return
		}
		require.True(t, json.Valid(event.Metadata))
		stored := decodeJSON(t, event.Metadata)
		require.IsType(t, []any{}, stored)
		requireStorageShape(t, stored, false)

		again, _, err := logevent.Decode([]byte(`{"metadata":`+string(event.Metadata)+`}`), defaults())
		require.NoError(t, err)
		require.Equal(t, string(event.Metadata), string(again.Metadata), "the shape is idempotent")

		// With one spelling of the name there is one value to compare with.
		fields, isObject := decodeJSON(t, bytes.ToValidUTF8(raw, []byte("\ufffd"))).(map[string]any)
		require.True(t, isObject)
		if bytes.Contains(raw, []byte(`\u`)) || bytes.Count(raw, []byte("metadata")) != 1 {
			return
		}
		// A field that stands for the message or the time is in the metadata, too.
		for _, alias := range []string{"message", "log_entry", "msg", "log", "@timestamp", "time", "ts", "date"} {
			if _, found := fields[alias]; found {
				return
			}
		}
		posted := fields["metadata"]
		if text, isText := posted.(string); isText {
			posted = decodeJSON(t, []byte(text))
		}
		require.Equal(t, shape(posted, false), stored)
	})
}

// D43: a row of a source with fields has its members where events have them; unknown ones are in metadata.
func TestDecodeRows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ raw, message, metadata string }{
		"members alone":          {`{"amount":12.50,"customer":{"country":"de"},"tags":["a",{"b":1}]}`, "-", `[{"amount":12.50,"customer":[{"country":"de"}],"tags":["a",{"b":1}]}]`},
		"beside metadata":        {`{"amount":1,"metadata":{"country":"de"}}`, "-", `[{"amount":1,"country":"de"}]`},
		"beside empty metadata":  {`{"amount":1,"metadata":{}}`, "-", `[{"amount":1}]`},
		"also in metadata":       {`{"amount":1,"metadata":{"amount":2}}`, "-", `[{"amount":2}]`},
		"beside many":            {`{"a":1,"metadata":[{"b":2},{"a":3}]}`, "-", `[{"a":1,"b":2},{"a":3}]`},
		"names that are escaped": {`{"\u00e4\"":1}`, "-", `[{"\u00e4\"":1}]`},
		"a null":                 {`{"a":null,"b":1}`, "-", `[{"b":1}]`},
		"an unused alias":        {`{"event_message":"x","msg":"y","timestamp":1795258675,"date":"31.12."}`, "x", `[{"msg":"y","date":"31.12."}]`},
		"a time alone":           {`{"timestamp":1795258675}`, "-", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, ignored, err := logevent.Decode([]byte(test.raw), logevent.Defaults{Now: now, ID: func() string { return "1" }, Rows: true})
			require.NoError(t, err)
			assert.Empty(t, ignored)
			message := "-"
			if event.EventMessage != nil {
				message = *event.EventMessage
			}
			assert.Equal(t, test.message, message)
			assert.Equal(t, test.metadata, string(event.Metadata))
		})
	}
	for raw, want := range map[string]string{
		`{}`:                "event: has neither event_message nor metadata",
		`{"a":1,"b":}`:      "event: is not valid JSON",
		`{"timestamp":"x"}`: "timestamp: ",
		`{"metadata":7}`:    "metadata: is a number",
	} {
		_, _, err := logevent.Decode([]byte(raw), logevent.Defaults{Now: now, ID: func() string { return "1" }, Rows: true})
		require.ErrorContains(t, err, want, raw)
	}
}
