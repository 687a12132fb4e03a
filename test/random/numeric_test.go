package random_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	exactYAML = `
id: 00000000-0000-4000-8000-000000000042
name: exact
description: Exact numbers.
max_rows: 10
cache: 60s
params:
  - {name: n, type: NUMERIC, default: 2.50, max: 99999999999999999999999999999.999999999, description: A number.}
  - {name: list, type: ARRAY<BIGNUMERIC>, description: Numbers.}
columns:
  - {name: n, type: NUMERIC, description: The number.}
  - {name: negative, type: NUMERIC, description: Its negative.}
  - {name: none, type: NUMERIC, description: None.}
  - {name: list, type: ARRAY<NUMERIC>, description: The numbers.}
  - name: nested
    type: STRUCT
    description: The number in a struct.
    fields: [{name: n, type: BIGNUMERIC, description: The number.}]
`
	exactSQL = "SELECT @n AS n, -@n AS negative, CAST(NULL AS NUMERIC) AS none, @list AS list, STRUCT(@n + 0.1 AS n) AS nested"
	widest   = "99999999999999999999999999999.999999999"
)

// exactService serves a saved query that returns its NUMERIC arguments (D42).
func exactService(t *testing.T) *service {
	t.Helper()
	return serveFiles(t, fstest.MapFS{
		"exact/query.yaml": &fstest.MapFile{Data: []byte(exactYAML)},
		"exact/query.sql":  &fstest.MapFile{Data: []byte(exactSQL)},
	})
}

// send sends a request, and returns the body and the headers of the response.
func send(t *testing.T, handler http.Handler, method, target, accept, body string) (string, http.Header) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	request.Header.Set("Accept", accept)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	text, err := io.ReadAll(recorder.Body)
	require.NoError(t, err)
	return strings.TrimSpace(string(text)), recorder.Header()
}

// D42: each way to send a NUMERIC keeps all digits, and each format has them.
func TestNumericOverEveryInterface(t *testing.T) {
	t.Parallel()
	s := exactService(t)
	const path = "/api/endpoints/exact"
	row := func(n, negative, list, nested string) string {
		return `{"n":` + n + `,"negative":` + negative + `,"none":null,"list":[` + list + `],"nested":{"n":` + nested + `}}`
	}
	for given, want := range map[string]string{
		"":                                 row("2.5", "-2.5", "", "2.6"),
		"n=-12345678901234567890123456789": row("-12345678901234567890123456789", "12345678901234567890123456789", "", "-12345678901234567890123456788.9"),
		"n=0.00":                           row("0", "0", "", "0.1"),
		"n=-0":                             row("0", "0", "", "0.1"),
		"n=1e5&list=1.50&list=-" + widest:  row("100000", "-100000", "1.5,-"+widest, "100000.1"),
		"n=" + strings.Replace(widest, "99.", "98.", 1): row("99999999999999999999999999998.999999999", "-99999999999999999999999999998.999999999", "", "99999999999999999999999999999.099999999"),
	} {
		got, _ := send(t, s.rest, http.MethodGet, path+"?"+given, "", "")
		assert.Equal(t, `{"result":[`+want+`]}`, got, given)
		got, _ = send(t, s.rest, http.MethodGet, path+"?"+given, "application/x-ndjson", "")
		assert.Equal(t, want, got, given)
	}
	for body, want := range map[string]string{
		`{"n":1.50,"list":[99999999999999999999999999999.999999999,"2"]}`: row("1.5", "-1.5", widest+",2", "1.6"),
		`{"n":"1.50","list":[1e-9]}`:                                      row("1.5", "-1.5", "0.000000001", "1.6"),
	} {
		got, _ := send(t, s.rest, http.MethodPost, path, "", body)
		assert.Equal(t, `{"result":[`+want+`]}`, got, body)
	}
	got, _ := send(t, s.rest, http.MethodGet, path+"?n=0.000000001&list="+widest, "text/csv", "")
	assert.Equal(t, "n,negative,none,list,nested\n0.000000001,-0.000000001,,["+widest+`],"{""n"":0.100000001}"`, got)

	for document, want := range map[string]string{
		`{ exact { n negative none list nested { n } } }`:                                                     `{"n":"2.5","negative":"-2.5","none":null,"list":[],"nested":{"n":"2.6"}}`,
		`{ exact(n: 12345678901234567890.123456789, list: [12345678901234567890, -1.50, "3.0"]) { n list } }`: `{"n":"12345678901234567890.123456789","list":["12345678901234567890","-1.5","3"]}`,
		`{ exact(n: "12345678901234567890.1234567890", list: 1) { n list } }`:                                 `{"n":"12345678901234567890.123456789","list":["1"]}`,
		`query($n: Decimal = 12345678901234567890.50) { exact(n: $n) { n } }`:                                 `{"n":"12345678901234567890.5"}`,
		`query($n: Decimal) { exact(n: $n) { n } }`:                                                           `{"n":"2.5"}`,
		`query($v: Decimal, $l: [Decimal!]) { exact(n: $v, list: $l) { n list } }`:                            `{"n":"98765432109876543210.123456789","list":["98765432109876543210","0.1"]}`,
		`{ exact(n: 1.5) { ...f } other: exact(n: 0.50) { ...f } } fragment f on ExactRow { n }`:              `{"n":"1.5"}],"other":[{"n":"0.5"}`,
	} {
		body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{
			"v": json.Number("98765432109876543210.123456789"), "l": []any{json.Number("98765432109876543210"), "0.10"},
		}})
		require.NoError(t, err)
		got, _ := send(t, s.graphQL, http.MethodPost, "/graphql", "application/json", string(body))
		assert.Contains(t, got, `"data":{"exact":[`+want+`]}`, document)
	}
}

// A malformed NUMERIC, or one with too many digits, is the caller's mistake, and never rounded.
func TestNumericMistakes(t *testing.T) {
	t.Parallel()
	s := exactService(t)
	for text, want := range map[string]string{
		"NaN": `is not a decimal number; use for example 12.50`, "1,5": `is not a decimal number`, "Infinity": `is not a decimal number`, "0x10": `is not a decimal number`,
		"100000000000000000000000000000": `has too many digits; use at most 29 before and 9 after the point`,
		"0.0000000001":                   `has too many digits`, "1e400": `has too many digits`, "1e999999999999": `has too many digits`,
	} {
		got, _ := send(t, s.rest, http.MethodGet, "/api/endpoints/exact?n="+url.QueryEscape(text), "", "")
		assert.Contains(t, got, `{"error":{"code":"INVALID_ARGUMENT","message":"n: \"`+text+`\" `+want, text)
		got, _ = send(t, s.rest, http.MethodGet, "/api/endpoints/exact?list=1&list="+url.QueryEscape(text), "", "")
		assert.Contains(t, got, `"argument":"list"`, text)
		body, err := json.Marshal(map[string]any{"query": `query($n: Decimal) { exact(n: $n) { n } }`, "variables": map[string]any{"n": text}})
		require.NoError(t, err)
		got, _ = send(t, s.graphQL, http.MethodPost, "/graphql", "application/json", string(body))
		assert.Contains(t, got, want, text)
		assert.Contains(t, got, `"code":"INVALID_ARGUMENT"`, text)
		assert.Contains(t, got, `"argument":"n"`, text)
	}
	got, _ := send(t, s.graphQL, http.MethodPost, "/graphql", "application/json", `{"query":"{ exact(n: true) { n } }"}`)
	assert.Contains(t, got, `needs a value of type Decimal, such as \"12.50\"`)
	// A sum that no NUMERIC holds is an error, too.
	got, _ = send(t, s.rest, http.MethodGet, "/api/endpoints/exact?n="+widest, "", "")
	assert.Contains(t, got, `"error"`)
}

// Equal numbers share a cache entry, whatever the interface and the spelling.
func TestNumericCacheEntries(t *testing.T) {
	t.Parallel()
	s := exactService(t)
	_, header := send(t, s.rest, http.MethodGet, "/api/endpoints/exact?n=1.5&list=2", "", "")
	first := header.Get("X-Cache")
	require.NotEmpty(t, first)
	for _, request := range []struct{ method, target, body string }{
		{http.MethodGet, "/api/endpoints/exact?n=1.50&list=2.0", ""},
		{http.MethodGet, "/api/endpoints/exact?n=15e-1&list=2e0", ""},
		{http.MethodPost, "/api/endpoints/exact", `{"n":1.500,"list":["02"]}`},
	} {
		_, header := send(t, s.rest, request.method, request.target, "", request.body)
		assert.NotEqual(t, first, header.Get("X-Cache"), request)
		assert.NotEmpty(t, header.Get("Age"), request)
	}
	var response struct {
		Extensions struct {
			Freshness map[string]struct {
				Cache string `json:"cache"`
			} `json:"freshness"`
		} `json:"extensions"`
	}
	text, _ := send(t, s.graphQL, http.MethodPost, "/graphql", "application/json", `{"query":"{ exact(n: 1.50, list: [2]) { n } }"}`)
	decode(t, bytes.NewBufferString(text).Bytes(), &response)
	assert.NotEqual(t, strings.ToUpper(first), strings.ToUpper(response.Extensions.Freshness["exact"].Cache))
}
