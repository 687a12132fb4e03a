package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// D44: a parameter chooses the format before the Accept header does.
func TestFormatParameter(t *testing.T) {
	t.Parallel()
	const path = "/api/endpoints/any"
	for name, test := range map[string]struct {
		query, accept, contentType, start string
	}{
		"none":              {"", "", "application/json; charset=utf-8", `{"result":`},
		"empty":             {"?format=", "text/csv", "text/csv; charset=utf-8", "n\n1\n"},
		"json":              {"?format=json", "text/csv", "application/json; charset=utf-8", `{"result":`},
		"ndjson":            {"?format=ndjson", "", "application/x-ndjson; charset=utf-8", `{"n":1}` + "\n"},
		"csv":               {"?format=csv", "", "text/csv; charset=utf-8", "n\n1\n"},
		"no mark":           {"?format=csv&bom=0", "", "text/csv; charset=utf-8", "n\n1\n"},
		"a mark":            {"?format=csv&bom=1", "", "text/csv; charset=utf-8", "\ufeffn\n1\n"},
		"a mark by Accept":  {"?bom=1", "text/csv", "text/csv; charset=utf-8", "\ufeffn\n1\n"},
		"parquet":           {"?format=parquet", "", "application/vnd.apache.parquet", "PAR1"},
		"parquet by Accept": {"", "application/vnd.apache.parquet", "application/vnd.apache.parquet", "PAR1"},
		"arrow":             {"?format=arrow", "", "application/vnd.apache.arrow.stream", "\xff\xff\xff\xff"},
		"arrow by Accept":   {"", "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream", "\xff\xff\xff\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := request(t, respondWith(1, nil), http.MethodGet, path+test.query, "Accept", test.accept, "Accept-Encoding", "identity")
			assert.Equal(t, http.StatusOK, response.StatusCode, body)
			assert.Equal(t, test.contentType, response.Header.Get("Content-Type"))
			assert.Equal(t, test.start, body[:min(len(body), len(test.start))])
		})
	}
	for query, message := range map[string]string{
		"?format=xml":            `format: \"xml\" is not a format; use one of json, ndjson, csv, parquet, arrow, prometheus`,
		"?format=table":          `format: \"table\" is not a format`,
		"?format=csv&format=csv": `format: is given 2 times; give it once`,
		"?format=csv&bom=2":      `bom: \"2\" is not allowed; use 1 for CSV that spreadsheets open, or leave it out`,
		"?bom=1":                 `bom: is for CSV only; add format=csv, or leave it out`,
		"?format=parquet&bom=1":  `bom: is for CSV only`,
	} {
		response, body := request(t, respondWith(1, nil), http.MethodGet, path+query)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode, query)
		assert.Contains(t, body, message, query)
		assert.Contains(t, body, `"INVALID_ARGUMENT"`)
	}
}

// A value that a format cannot hold is an error, and the other formats still have it.
func TestFormatThatCannotHoldAValue(t *testing.T) {
	t.Parallel()
	wide := respondWith(0, func(response *runner.Response) {
		entry := *response.Entry
		entry.Result = &sqlq.Result{Columns: []sqlq.Column{{Name: "amount", Type: sqlq.Numeric}}, Rows: [][]any{{sqlq.Decimal("0.12345678901")}}}
		response.Entry = &entry
	})
	for _, name := range []string{"parquet", "arrow"} {
		response, body := request(t, wide, http.MethodGet, "/api/endpoints/any?format="+name)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Contains(t, body, "column amount has the number 0.12345678901")
	}
	_, body := request(t, wide, http.MethodGet, "/api/endpoints/any?format=csv")
	assert.Equal(t, "amount\n0.12345678901\n", body)
}
