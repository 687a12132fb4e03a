package duckjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/text/duckjson"
)

func TestStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Valid JSON stays as it was written.
		`[1,2]`:                              `[1,2]`,
		` {"b" : 1.0, "a":1e400} `:           ` {"b" : 1.0, "a":1e400} `,
		`12345678901234567890123`:            `12345678901234567890123`,
		`{"NaN":[1],"a":"-Infinity [1,] x"}`: `{"NaN":[1],"a":"-Infinity [1,] x"}`,
		// What DuckDB writes for numbers that JSON does not have.
		`[NaN,Infinity,-Infinity,-1]`:        `[null,null,null,-1]`,
		`{"NaN":NaN,"a":"-Infinity \" NaN"}`: `{"NaN":null,"a":"-Infinity \" NaN"}`,
		`NaN`:                                `null`,
		// What DuckDB's reader accepts.
		`nan`: `null`, `-inf`: `null`, `INF`: `null`, `-nan`: `null`, `iNfInItY`: `null`,
		`[1,]`:                             `[1]`,
		"{\"a\": [nan , ] ,\n \"b\":1,\t}": "{\"a\": [null  ] ,\n \"b\":1\t}",
		`{"a":"\\",}`:                      `{"a":"\\"}`,
		// What it does not accept is text.
		``:         `""`,
		`hello`:    `"hello"`,
		`[,]`:      `"[,]"`,
		`[1,,]`:    `"[1,,]"`,
		`{,}`:      `"{,}"`,
		`info`:     `"info"`,
		`nano`:     `"nano"`,
		`+inf`:     `"+inf"`,
		`[1`:       `"[1"`,
		`"NaN`:     `"\"NaN"`,
		`<b>&amp`:  `"<b>&amp"`,
		`{a:1}`:    `"{a:1}"`,
		`01`:       `"01"`,
		"1\x00":    `"1\u0000"`,
		`{"a":1,`:  `"{\"a\":1,"`,
		`[1,] [2]`: `"[1,] [2]"`,
	} {
		got := duckjson.Strict(text)
		assert.True(t, json.Valid(got), text)
		assert.Equal(t, want, string(got), text)
	}
}

func TestReplaceNonFinite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[1,2]`:                              `[1,2]`,
		`[NaN,Infinity,-Infinity,-1]`:        `[null,null,null,-1]`,
		`{"NaN":NaN,"a":"-Infinity \" NaN"}`: `{"NaN":null,"a":"-Infinity \" NaN"}`,
		`"NaN`:                               `"NaN`,
		`NaN`:                                `null`,
	} {
		assert.Equal(t, want, string(duckjson.ReplaceNonFinite([]byte(text))))
	}
}

// D13, in whatever the times are nested.
func TestConvertTimes(t *testing.T) {
	t.Parallel()
	for typeName, texts := range map[string][2]string{
		`TIMESTAMP`:                {`"2026-03-01 10:20:30.123456"`, `1772360430123456`},
		`TIMESTAMP WITH TIME ZONE`: {`"2026-03-01 10:20:30+00"`, `1772360430000000`},
		`TIMESTAMP_NS`:             {`"2026-03-01 10:20:30.123456789"`, `1772360430123456`},
		`TIMESTAMP[]`:              {`["1970-01-01 00:00:00",null,"infinity","-infinity"]`, `[0,null,null,null]`},
		`TIMESTAMP[2][]`:           {`[["1970-01-01 00:00:01",null],[]]`, `[[1000000,null],[]]`},
		`TIMESTAMP_S`:              {`"294248-01-01 00:00:00"`, `null`},
		`TIMESTAMP_MS`:             {`"0044-03-15 (BC) 10:00:00"`, `-63517788000000000`},
		`DATE[]`:                   {`["2026-03-01","infinity","0044-03-15 (BC)"]`, `["2026-03-01",null,"0044-03-15 (BC)"]`},
		`STRUCT(a TIMESTAMP, "b c" VARCHAR, "q""," DATE, d STRUCT("TIMESTAMP" INTEGER, e TIMESTAMP WITH TIME ZONE), n "NULL")`: {
			`{"a":"1970-01-01 00:00:00","b c":"1970-01-01 00:00:00","q\",":"-infinity","d":{"TIMESTAMP":1,"e":"1970-01-01 00:00:00+00"},"n":null}`,
			`{"a":0,"b c":"1970-01-01 00:00:00","q\",":null,"d":{"TIMESTAMP":1,"e":0},"n":null}`,
		},
		`STRUCT(TIMESTAMP WITH TIME ZONE, "NULL", TIME WITH TIME ZONE, DECIMAL(10,2), TIMESTAMP)`: {
			`{"":"1970-01-01 00:00:00+00","":null,"":"10:00:00+00","":1.5,"":"1970-01-01 00:00:00"}`,
			`{"":0,"":null,"":"10:00:00+00","":1.5,"":0}`,
		},
		`STRUCT(En ENUM('it''s), TIMESTAMP', 'x'), N DECIMAL(10,2)[], T TIMESTAMP)`: {
			`{"En":"it's), TIMESTAMP","N":[1.5,NaN],"T":"1970-01-01 00:00:00"}`,
			`{"En":"it's), TIMESTAMP","N":[1.5,NaN],"T":0}`,
		},
		`MAP(TIMESTAMP, STRUCT(t TIMESTAMP)[])`: {
			`{"1970-01-01 00:00:00":[{"t":"1970-01-01 00:00:00"}],"2":[null]}`, `{"1970-01-01 00:00:00":[{"t":0}],"2":[null]}`,
		},
		`UNION("num" INTEGER, "a b" TIMESTAMP)[]`: {`[{"num":1},{"a b":"1970-01-01 00:00:00"},null]`, `[{"num":1},{"a b":0},null]`},
		`MAP(TIMESTAMP, INTEGER)`:                 {`{"1970-01-01 00:00:00":1}`, `{"1970-01-01 00:00:00":1}`},
		`VARIANT`:                                 {`"1970-01-01 00:00:00"`, `"1970-01-01 00:00:00"`},
	} {
		converted, err := duckjson.ConvertTimes(texts[0], duckjson.ParseType(typeName))
		require.NoError(t, err, typeName)
		assert.Equal(t, texts[1], converted, typeName)
	}
}

// What is not of its type is an error, and never a panic.
func TestConvertTimesOfAnotherShape(t *testing.T) {
	t.Parallel()
	of := duckjson.ParseType("STRUCT(a TIMESTAMP, b INTEGER[])[]")
	require.NotNil(t, of)
	for _, text := range []string{``, `[`, `[{`, `[{"a"`, `[{"a":`, `[{"a":1}]`, `[{"a":"x"}]`, `["a"]`, `[{"a":null,"b":[`, `[{"a":null,"b":1,"c":2}]`, `[]x`, `[{"a":"1970-01-01"}]`, `[{"a":null,"b":[]}`} {
		_, err := duckjson.ConvertTimes(text, of)
		require.Error(t, err, text)
	}
}

// FuzzStrict holds for every text: what comes out is valid, and valid JSON is not touched.
func FuzzStrict(f *testing.F) {
	for _, text := range []string{`[1,]`, `nan`, `{"a":"\"`, `[[[`, "\xff", `"\ud800"`, `-`, `,]`, `{"a":-inf , }`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := duckjson.Strict(text)
		if !json.Valid(got) {
			t.Errorf("%q became %q", text, got)
		}
		if json.Valid([]byte(text)) && string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// FuzzConvertTimes holds for every type and every text: it ends, and does not panic.
func FuzzConvertTimes(f *testing.F) {
	f.Add(`{"a":["1970-01-01 00:00:00"]}`, `STRUCT(a TIMESTAMP[])`)
	f.Add(`{"":1}`, `UNION("`)
	f.Fuzz(func(_ *testing.T, text, typeName string) {
		_, _ = duckjson.ConvertTimes(text, duckjson.ParseType(typeName))
	})
}
