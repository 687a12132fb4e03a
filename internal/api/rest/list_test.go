package rest_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/describe"
	"savedq/internal/api/rest"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// quote returns a text as JSON.
func quote(text string) string { return string(sqlq.AppendValue(nil, sqlq.String, text)) }

// aliasedCatalog reads the shipped queries and one with aliases once, which no test changes.
var aliasedCatalog = sync.OnceValues(func() (*catalog.Catalog, error) { //nolint:gochecknoglobals // It is never written.
	const declaration = `
id: 11111111-2222-4333-8444-555555555555
name: my.query
aliases: [Old.Query, 8F14E45F-ceea-467f-9b2d-1a2b3c4d5e6f]
description: What it <gives>.
deprecated: Use logs.all.
cache: 60s
params:
  - {name: project, type: STRING, required: true, description: A project.}
  - {name: ids, type: ARRAY<INT64>, default: [1, 2], description: Ids.}
  - {name: most, type: INT64, min: 1, max: 9, default: 5, deprecated: Leave it out., description: Most rows.}
  - {name: kind, type: STRING, allowed: [a, b], description: A kind.}
columns:
  - {name: n, type: INT64, nullable: false, description: A number.}
  - {name: d, type: ARRAY<BIGNUMERIC>, description: Digits.}
  - {name: s, type: STRUCT, description: A struct., fields: [{name: x, type: STRING, description: A text.}]}
`
	const sql = "SELECT 1 AS n, [] AS d, $project, $ids, $most, $kind"
	return catalog.Read(duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{
		"my.query/query.yaml": &fstest.MapFile{Data: []byte(declaration)},
		"my.query/duckdb.sql": &fstest.MapFile{Data: []byte(sql)},
	}})
})

// aliasedRunner returns a runner of the shipped queries and one with aliases.
func aliasedRunner(t *testing.T) *runner.Runner {
	t.Helper()
	catalog, err := aliasedCatalog()
	require.NoError(t, err)
	engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}, nil
	}}
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	return runner.New(sqlqtest.Config(catalog, engine, func() time.Time { return now }))
}

// The list shows the saved queries by name, with all paths of each.
func TestHandlerListsQueries(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/api/endpoints", "/api/endpoints/"} {
		response, body := request(t, aliasedRunner(t), http.MethodGet, target)
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"))
		assert.Equal(t, "private, no-cache", response.Header.Get("Cache-Control"))
		assert.Equal(t, "Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", response.Header.Get("Vary"))
		var list struct {
			Result []struct {
				Name string
				URLs []string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		var names []string
		for _, listed := range list.Result {
			names = append(names, listed.Name)
			for _, url := range listed.URLs {
				found, _ := request(t, aliasedRunner(t), http.MethodGet, url)
				assert.NotEqual(t, http.StatusNotFound, found.StatusCode, url)
			}
		}
		assert.IsIncreasing(t, names)
		assert.Contains(t, names, "logs.all")
		assert.Contains(t, body, `{"id":"11111111-2222-4333-8444-555555555555","name":"my.query","aliases":["Old.Query","8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f"],`+
			`"description":"What it <gives>.","deprecated":"Use logs.all.","parameters":[`+
			`{"name":"project","type":"STRING","description":"A project.","required":true},`+
			`{"name":"ids","type":"ARRAY<INT64>","description":"Ids.","required":false,"default":["1","2"]},`+
			`{"name":"most","type":"INT64","description":"Most rows.","deprecated":"Leave it out.","required":false,"default":"5","min":"1","max":"9"},`+
			`{"name":"kind","type":"STRING","description":"A kind.","required":false,"allowed":["a","b"]}],"columns":[`+
			`{"name":"n","type":"INT64","nullable":false,"description":"A number."},`+
			`{"name":"d","type":"ARRAY<BIGNUMERIC>","nullable":false,"description":"Digits."},`+
			`{"name":"s","type":"STRUCT","nullable":true,"description":"A struct.","fields":[{"name":"x","type":"STRING","nullable":true,"description":"A text."}]}],`+
			`"urls":["/api/endpoints/my.query","/api/endpoints/query/11111111-2222-4333-8444-555555555555","/api/endpoints/query/my.query",`+
			`"/api/endpoints/Old.Query","/api/endpoints/query/Old.Query","/api/endpoints/query/8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f"]}`)

		again, empty := request(t, aliasedRunner(t), http.MethodGet, target, "If-None-Match", response.Header.Get("ETag"))
		assert.Equal(t, http.StatusNotModified, again.StatusCode)
		assert.Empty(t, empty)
	}
}

// Without saved queries the list is empty, not null.
func TestHandlerListsNoQueries(t *testing.T) {
	t.Parallel()
	_, body := request(t, respondWith(1, nil), http.MethodGet, "/api/endpoints")
	assert.Equal(t, `{"result":[]}`, body)
}

// D32: the list shows a parameter as the token of the request may use it: with the values of the
// token, and required only if the server does not fill it in.
func TestListOfBoundParameters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		param  string
		values []string
		want   string
	}{
		"one value": {
			"project",
			[]string{"acme"},
			`{"name":"project","type":"STRING","description":"A project. The token allows only acme, which an absent or empty value means.","required":false,"default":"acme","allowed":["acme"]}`,
		},
		"several values": {
			"project",
			[]string{"acme", "globex"},
			`{"name":"project","type":"STRING","description":"A project. The token allows only acme, globex.","required":true,"allowed":["acme","globex"]}`,
		},
		"the default is allowed": {
			"most",
			[]string{"3", "5"},
			`{"name":"most","type":"INT64","description":"Most rows. The token allows only 3, 5.","deprecated":"Leave it out.","required":false,"default":"5","allowed":["3","5"],"min":"1","max":"9"}`,
		},
		"the default is not": {
			"most",
			[]string{"3", "4"},
			`{"name":"most","type":"INT64","description":"Most rows. The token allows only 3, 4.","deprecated":"Leave it out.","required":true,"allowed":["3","4"],"min":"1","max":"9"}`,
		},
		"a list": {
			"ids",
			[]string{"7", "8"},
			`{"name":"ids","type":"ARRAY<INT64>","description":"Ids. The token allows only 7, 8, which an absent or empty value means.","required":false,"default":["7","8"],"allowed":["7","8"]}`,
		},
		"fewer of the allowed values": {
			"kind",
			[]string{"b"},
			`{"name":"kind","type":"STRING","description":"A kind. The token allows only b, which an absent or empty value means.","required":false,"default":"b","allowed":["b"]}`,
		},
		"no usable value": {
			"kind", nil,
			`{"name":"kind","type":"STRING","description":"A kind. The token allows none of its values.","required":false,"allowed":["a","b"]}`,
		},
		"another parameter": {"other", []string{"acme"}, `{"name":"project","type":"STRING","description":"A project.","required":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bound := func(context.Context) describe.Bound {
				return func(param *sqlq.Param) (values []string, limited bool) { return test.values, param.Name == test.param }
			}
			queryRunner, recorder := aliasedRunner(t), httptest.NewRecorder()
			before, err := queryRunner.Find(t.Context(), "my.query")
			require.NoError(t, err)
			params := slices.Clone(before.Params)
			rest.NewHandler(queryRunner, bound, slog.New(slog.DiscardHandler)).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints", nil))
			require.Equal(t, http.StatusOK, recorder.Code)
			_, own, found := strings.Cut(recorder.Body.String(), `"name":"my.query"`)
			require.True(t, found)
			own, _, _ = strings.Cut(own, `"columns"`)
			assert.Contains(t, own, test.want)
			assert.Equal(t, params, before.Params, "the saved query itself must stay as it is")
		})
	}
}

// A saved query is served under its name, its id and its aliases, on all forms of the path,
// from one cache entry (D16). POST and GET share it too.
func TestAliasesShareCacheEntries(t *testing.T) {
	t.Parallel()
	queryRunner := aliasedRunner(t)
	handler := rest.NewHandler(queryRunner, nil, slog.New(slog.DiscardHandler))
	want := "MISS"
	for _, endpoint := range []string{
		"my.query", "my.query/", "query/my.query", "query/11111111-2222-4333-8444-555555555555", "Old.Query", "query/Old.Query", "query/Old.Query/",
		"8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "query/8F14E45F-CEEA-467F-9B2D-1A2B3C4D5E6F",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, rest.Path+endpoint+"?project=acme", nil))
			assert.Equal(t, http.StatusOK, recorder.Code, "%s %s", method, endpoint)
			assert.Equal(t, want, recorder.Header().Get("X-Cache"), "%s %s", method, endpoint)
			want = "HIT"
		}
	}
}

// A value that cannot be read is an error only for a declared parameter (D8), which the
// error names.
func TestFaultsOfParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ target, body, want string }{
		"an undeclared object":  {"?project=acme", `{"trace":{"id":1},"project2":[[]]}`, ""},
		"an undeclared in both": {"?project=acme&x=1", `{"x":2}`, ""},
		"an object":             {"", `{"project":{}}`, `project: is a JSON object; give a string, a number, a boolean or a list of these`},
		"in both":               {"?project=acme", `{"project":"acme"}`, `project: is given in both the query string and the body; give it once`},
		"a list for one value":  {"", `{"project":["a","b"]}`, `project: is given 2 times; give it once`},
		"a fraction":            {"", `{"project":"a","most":1.0}`, `most: "1.0" is not a whole number`},
		"too large a number":    {"", `{"project":"a","most":9223372036854775808}`, `most: "9223372036854775808" is too large or too small; use a whole number from -2^63 to 2^63-1`},
		"null":                  {"", `{"project":null}`, `project: is required and must not be empty`},
		"numbers of a list":     {"", `{"project":"a","ids":[1,"x"]}`, `ids: "x" is not a whole number`},
		"lists of numbers":      {"", `{"project":"a","ids":[3,4]}`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := send(t, aliasedRunner(t), http.MethodPost, "/api/endpoints/my.query"+test.target, "application/json", strings.NewReader(test.body))
			if test.want == "" {
				assert.Equal(t, http.StatusOK, response.Code, response.Body)
				return
			}
			assert.Equal(t, http.StatusBadRequest, response.Code)
			argument, _, _ := strings.Cut(test.want, ":")
			assert.JSONEq(t, `{"error":{"code":"INVALID_ARGUMENT","message":`+quote(test.want)+`,"argument":`+quote(argument)+`}}`, response.Body.String())
		})
	}
}
