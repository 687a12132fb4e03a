package rest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/format"
	"savedq/internal/api/rest"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// send sends a request with a body and returns the response.
func send(t *testing.T, queryRunner rest.Runner, method, target, contentType string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, body)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	rest.NewHandler(queryRunner, nil, slog.New(slog.DiscardHandler)).ServeHTTP(recorder, request)
	return recorder
}

// A body holds parameters, as a JSON object or a form, beside the ones in the query string.
// JSON values become the text that a query string would hold, without loss of digits (D8).
func TestParametersOfABody(t *testing.T) {
	t.Parallel()
	const json, form = "application/json; charset=utf-8", "application/x-www-form-urlencoded"
	type values = map[string][]string
	tests := map[string]struct {
		target, contentType, body string
		want                      values
		faults                    map[string]string
	}{
		"a string":                   {"", json, `{"project":"a b+ä\u00e9"}`, values{"project": {"a b+äé"}}, nil},
		"JSON without a type":        {"", "", `{"project":"acme"}`, values{"project": {"acme"}}, nil},
		"numbers keep their digits":  {"", json, `{"n":9007199254740993,"f":0.10,"e":1E+2,"m":-0}`, values{"n": {"9007199254740993"}, "f": {"0.10"}, "e": {"1E+2"}, "m": {"-0"}}, nil},
		"booleans":                   {"", json, `{"yes":true,"no":false}`, values{"yes": {"true"}, "no": {"false"}}, nil},
		"null is absent":             {"", json, `{"project":null}`, values{}, nil},
		"null beside a value":        {"?project=acme", json, `{"project":null}`, values{"project": {"acme"}}, nil},
		"an empty string":            {"", json, `{"project":""}`, values{"project": {""}}, nil},
		"a list":                     {"", json, `{"ids":["a",1,true,""]}`, values{"ids": {"a", "1", "true", ""}}, nil},
		"an empty list":              {"", json, `{"ids":[]}`, values{"ids": {}}, nil},
		"an empty object":            {"?project=acme", json, ` {} `, values{"project": {"acme"}}, nil},
		"with the query string":      {"?project=acme", json, `{"interval":"daily"}`, values{"project": {"acme"}, "interval": {"daily"}}, nil},
		"in both":                    {"?project=acme", json, `{"project":"acme"}`, values{"project": {"acme"}}, map[string]string{"project": "is given in both the query string and the body; give it once"}},
		"an object":                  {"", json, `{"project":{"name":"acme"}}`, values{}, map[string]string{"project": "is a JSON object; give a string, a number, a boolean or a list of these"}},
		"a list with null":           {"", json, `{"ids":["a",null]}`, values{}, map[string]string{"ids": "has null at position 2 of its list; give strings, numbers or booleans"}},
		"a list of lists":            {"", json, `{"ids":[["a"]]}`, values{}, map[string]string{"ids": "has a list at position 1 of its list; give strings, numbers or booleans"}},
		"a list of objects":          {"", json, `{"ids":[{}]}`, values{}, map[string]string{"ids": "has an object at position 1 of its list; give strings, numbers or booleans"}},
		"a form":                     {"", form, "project=a+b&ids=1&ids=%32", values{"project": {"a b"}, "ids": {"1", "2"}}, nil},
		"a form with a charset":      {"?x=1", form + "; charset=UTF-8", "project=acme", values{"project": {"acme"}, "x": {"1"}}, nil},
		"a form, in both":            {"?project=a", form, "project=b", values{"project": {"a"}}, map[string]string{"project": "is given in both the query string and the body; give it once"}},
		"no body of any type":        {"?project=acme", "text/plain", "", values{"project": {"acme"}}, nil},
		"blanks":                     {"?project=acme", json, " \n", values{"project": {"acme"}}, nil},
		"a surrogate pair":           {"", json, `{"project":"\ud83d\ude00"}`, values{"project": {"😀"}}, nil},
		"a name with an escape":      {"", json, `{"\u0070roject":"acme"}`, values{"project": {"acme"}}, nil},
		"a repeated key of a nested": {"", json, `{"a":{"b":1,"b":2}}`, values{}, map[string]string{"a": "is a JSON object; give a string, a number, a boolean or a list of these"}},
	}
	for name, test := range tests {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodHead} {
			t.Run(name+" by "+method, func(t *testing.T) {
				t.Parallel()
				queryRunner := runnerFunc(func(request runner.Request) (*runner.Response, error) {
					assert.Equal(t, runner.Request{Query: &sqlq.SavedQuery{Name: "logs.all"}, Params: test.want, Faults: test.faults}, request)
					return respondWith(1, nil)(request)
				})
				response := send(t, queryRunner, method, path+test.target, test.contentType, strings.NewReader(test.body))
				assert.Equal(t, http.StatusOK, response.Code)
				assert.Equal(t, `{"result":[{"n":1}]}`, response.Body.String())
			})
		}
	}
}

// A body that cannot be read is an error that says where and why.
func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const json, form = "application/json", "application/x-www-form-urlencoded"
	const types = "the request body must be sent with the header Content-Type: application/json, or application/x-www-form-urlencoded, in UTF-8"
	tests := map[string]struct {
		contentType, body string
		status            int
		message           string
	}{
		"not JSON":             {json, "{\n  \"prüfung\": x}", 400, `the request body is not valid JSON at line 2, column 14: invalid character 'x' looking for beginning of value; send an object such as {"project":"acme"}`},
		"cut off":              {json, `{"project":"a`, 400, `the request body is not valid JSON at line 1, column 14: unexpected end; send an object such as {"project":"acme"}`},
		"two values":           {json, `{} {}`, 400, `the request body is not valid JSON at line 1, column 4: invalid character '{' after top-level value; send an object such as {"project":"acme"}`},
		"a list":               {json, `[{"project":"acme"}]`, 400, `the request body must be a JSON object of parameters, such as {"project":"acme"}`},
		"a string":             {json, `"acme"`, 400, `the request body must be a JSON object of parameters, such as {"project":"acme"}`},
		"null":                 {json, `null`, 400, `the request body must be a JSON object of parameters, such as {"project":"acme"}`},
		"a key twice":          {json, "{\"a\":1,\n \"b\":2, \"a\":null}", 400, `a: is given twice in the request body, again at line 2, column 9; give it once`},
		"a key twice, escaped": {json, `{"a":1,"\u0061":2}`, 400, `a: is given twice in the request body, again at line 1, column 8; give it once`},
		"no UTF-8":             {json, "{\"project\":\"\xff\"}", 400, `the request body must be valid UTF-8, without escapes of unpaired surrogates`},
		"half a character":     {json, `{"project":"\ud83d"}`, 400, `the request body must be valid UTF-8, without escapes of unpaired surrogates`},
		"nested without end":   {json, strings.Repeat("[", 20_000), 400, "the request body is not valid JSON at line 1, column 10001: invalid character '[' exceeded max depth; send an object such as {\"project\":\"acme\"}"},
		"JSON as a form":       {form, ` {"project":"acme"}`, 400, "the request body is JSON, but is sent as a form; send it with the header Content-Type: application/json"},
		"a form's escape":      {form, "project=%zz", 400, `the form in the body cannot be read: "%zz"; percent-encode each value`},
		"another type":         {"text/plain", `{}`, 415, types},
		"a multipart form":     {"multipart/form-data; boundary=x", `--x--`, 415, types},
		"another charset":      {"application/json; charset=iso-8859-1", `{}`, 415, types},
		"no media type":        {"json", `{}`, 415, types},
		"too large":            {json, `{"project":"` + strings.Repeat("a", 1<<20) + `"}`, 413, `the request body is larger than 1048576 bytes`},
	}
	queryRunner := runnerFunc(func(runner.Request) (*runner.Response, error) {
		assert.Fail(t, "the request must not run")
		return nil, io.EOF
	})
	for name, test := range tests {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			t.Run(name+" by "+method, func(t *testing.T) {
				t.Parallel()
				response := send(t, queryRunner, method, path, test.contentType, strings.NewReader(test.body))
				assert.Equal(t, test.status, response.Code)
				assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
				assert.JSONEq(t, `{"error":{"code":"INVALID_ARGUMENT","message":`+quote(test.message)+`}}`, response.Body.String())
			})
		}
	}
}

// A body can be compressed, and is limited once it is decompressed.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	compressed := func(text string) io.Reader {
		var buffer bytes.Buffer
		writer := gzip.NewWriter(&buffer)
		_, err := io.WriteString(writer, text)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		return &buffer
	}
	queryRunner := runnerFunc(func(request runner.Request) (*runner.Response, error) {
		assert.Equal(t, map[string][]string{"project": {"acme"}}, request.Params)
		return respondWith(1, nil)(request)
	})
	sent := func(body io.Reader, coding string) *httptest.ResponseRecorder {
		return send(t, queryRunner, http.MethodPost, path, "application/json", body, "Content-Encoding", coding)
	}
	assert.Equal(t, http.StatusOK, sent(compressed(`{"project":"acme"}`), "gzip").Code)
	assert.Equal(t, http.StatusRequestEntityTooLarge, sent(compressed(`{"project":"`+strings.Repeat("a", 2<<20)+`"}`), "gzip").Code)
	assert.Equal(t, http.StatusBadRequest, sent(strings.NewReader("no gzip"), "gzip").Code)
	unsupported := sent(strings.NewReader("{}"), "br")
	assert.Equal(t, http.StatusUnsupportedMediaType, unsupported.Code)
	assert.Equal(t, "gzip, zstd, deflate, snappy", unsupported.Header().Get("Accept-Encoding"))
}

// HTTP caches must not store the response to a POST or to a request with a body, because
// their key would be the URL alone. A GET whose body is empty is like one without.
func TestResponsesToBodiesAreNotStored(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, body string
		stored       bool
	}{
		"GET":                        {http.MethodGet, "", true},
		"GET with a body":            {http.MethodGet, `{"project":"acme"}`, false},
		"GET with an empty object":   {http.MethodGet, `{}`, false},
		"HEAD with a body":           {http.MethodHead, `{"project":"acme"}`, false},
		"POST":                       {http.MethodPost, `{"project":"acme"}`, false},
		"POST with the query string": {http.MethodPost, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// An unknown length, as of a chunked body.
			response := send(t, respondWith(300, nil), test.method, path, "application/json", io.MultiReader(strings.NewReader(test.body)),
				"If-None-Match", "*", "Accept-Encoding", "gzip")
			header := response.Header()
			assert.Equal(t, "HIT", header.Get("X-Cache"))
			assert.Equal(t, "100", header.Get("Age"))
			if test.stored {
				assert.Equal(t, http.StatusNotModified, response.Code)
				assert.Equal(t, "private, max-age=900", header.Get("Cache-Control"))
				return
			}
			assert.Equal(t, http.StatusOK, response.Code)
			assert.Equal(t, "no-store", header.Get("Cache-Control"))
			assert.Empty(t, header.Get("ETag"))
			assert.Empty(t, header.Get("Expires"))
			assert.Equal(t, "gzip", header.Get("Content-Encoding"))
			assert.NotEmpty(t, header.Get("Content-Length"))
		})
	}
}

// D24: a truncated response to a POST is marked too.
func TestPOSTMarksTruncatedResponses(t *testing.T) {
	t.Parallel()
	truncated := respondWith(1, func(response *runner.Response) { response.Result.Truncated = true })
	response := send(t, truncated, http.MethodPost, path, "application/json", strings.NewReader("{}"))
	assert.Equal(t, "true", response.Header().Get(format.TruncatedHeader))
}
