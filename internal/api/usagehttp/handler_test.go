package usagehttp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/usagehttp"
	"savedq/internal/http/httperror"
	"savedq/internal/operations/usage"
)

func now() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

// reporter records the query of a request, and returns rows.
type reporter struct {
	query     usage.Query
	rows      []usage.Row
	truncated bool
	err       error
}

func (r *reporter) report(_ context.Context, query usage.Query) ([]usage.Row, bool, error) {
	r.query = query
	return r.rows, r.truncated, r.err
}

func (r *reporter) serve(t *testing.T, method, target, accept string) *httptest.ResponseRecorder {
	t.Helper()
	handler := usagehttp.NewHandler(usagehttp.Config{Report: r.report, Clock: now, Errors: httperror.NewWriter(slog.New(slog.DiscardHandler))})
	request := httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

// Usage is rows in the formats of saved queries.
func TestFormats(t *testing.T) {
	t.Parallel()
	r := &reporter{rows: []usage.Row{
		{Day: now(), ID: usage.ID{Token: "web"}, Endpoint: "logs.all", Totals: usage.Totals{Requests: 7, Hits: 6, Errors: 5, Rows: 4, Runs: 3, Bytes: 2, EngineTime: 1500 * time.Millisecond}},
		{Day: now(), ID: usage.ID{Token: "issuer", Subject: "ann"}, Endpoint: "logs.all"},
	}}
	for accept, want := range map[string]struct{ contentType, body string }{
		"": {"application/json; charset=utf-8", `{"result":[` +
			`{"day":"2026-11-22","token":"web","subject":null,"endpoint":"logs.all","requests":7,"hits":6,"errors":5,"rows":4,"runs":3,"bytes":2,"engine_seconds":1.5},` +
			`{"day":"2026-11-22","token":"issuer","subject":"ann","endpoint":"logs.all","requests":0,"hits":0,"errors":0,"rows":0,"runs":0,"bytes":0,"engine_seconds":0}]}`},
		"text/csv": {"text/csv; charset=utf-8", "day,token,subject,endpoint,requests,hits,errors,rows,runs,bytes,engine_seconds\n" +
			"2026-11-22,web,,logs.all,7,6,5,4,3,2,1.5\n2026-11-22,issuer,ann,logs.all,0,0,0,0,0,0,0\n"},
	} {
		response := r.serve(t, http.MethodGet, "/api/usage", accept)
		assert.Equal(t, http.StatusOK, response.Code)
		assert.Equal(t, want.contentType, response.Header().Get("Content-Type"))
		assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
		assert.Contains(t, response.Header().Get("Vary"), "Accept")
		assert.Equal(t, want.body, response.Body.String())
	}
	r.truncated = true
	assert.Equal(t, "true", r.serve(t, http.MethodGet, "/api/usage", "").Header().Get("X-Truncated"))
}

func TestParameters(t *testing.T) {
	t.Parallel()
	day := func(day int) time.Time { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC) }
	today := now().UTC().Truncate(24 * time.Hour)
	for target, want := range map[string]usage.Query{
		"/api/usage": {From: now().AddDate(0, 0, -29), To: now(), By: usage.Dimensions()},
		"/api/usage?from=&to=&by=&token=&subject=": {From: now().AddDate(0, 0, -29), To: now(), By: usage.Dimensions()},
		"/api/usage?from=2026-11-01":               {From: day(1), To: now(), By: usage.Dimensions()},
		"/api/usage?to=2026-11-30":                 {From: day(1), To: day(30), By: usage.Dimensions()},
		"/api/usage?from=now-1d":                   {From: today.AddDate(0, 0, -1), To: now(), By: usage.Dimensions()},
		"/api/usage?from=now-2w&to=now":            {From: today.AddDate(0, 0, -14), To: today, By: usage.Dimensions()},
		"/api/usage?to=now%2B1d":                   {From: today.AddDate(0, 0, 1-29), To: today.AddDate(0, 0, 1), By: usage.Dimensions()},
		"/api/usage?from=2026-11-02&to=2026-11-03&by=endpoint,day&token=web&subject=a%20b&endpoint=logs.all": {
			From: day(2), To: day(3), By: []usage.Dimension{usage.ByDay, usage.ByEndpoint}, Token: "web", Subject: "a b", Endpoint: "logs.all",
		},
	} {
		r := &reporter{}
		require.Equal(t, http.StatusOK, r.serve(t, http.MethodGet, target, "").Code, target)
		assert.Equal(t, want, r.query, target)
	}
	r := &reporter{}
	assert.JSONEq(t, `{"result":[]}`, r.serve(t, http.MethodGet, "/api/usage?by=token", "").Body.String())
	assert.Equal(t, "token,requests,hits,errors,rows,runs,bytes,engine_seconds\n", r.serve(t, http.MethodGet, "/api/usage?by=token", "text/csv").Body.String())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/api/usage?from=yesterday":                `{"error":{"code":"INVALID_ARGUMENT","message":"from: \"yesterday\" is not a date; use for example 2026-11-20","argument":"from"}}`,
		"/api/usage?from=2026-11-25&to=2026-11-24": `{"error":{"code":"INVALID_ARGUMENT","message":"from: 2026-11-25 is after to, 2026-11-24","argument":"from"}}`,
		"/api/usage?from=now-1y":                   `{"error":{"code":"INVALID_ARGUMENT","message":"from: \"now-1y\" is not a time relative to now, such as now-7d; the units are s, m, h, d and w","argument":"from"}}`,
		"/api/usage?to=2026-13-01":                 `{"error":{"code":"INVALID_ARGUMENT","message":"to: \"2026-13-01\" is not a date; use for example 2026-11-20","argument":"to"}}`,
		"/api/usage?by=day,hour":                   `{"error":{"code":"INVALID_ARGUMENT","message":"by: \"hour\" is not one of day, token, subject, endpoint","argument":"by"}}`,
		"/api/usage?day=1":                         `{"error":{"code":"INVALID_ARGUMENT","message":"day: is not a parameter; the parameters are from, to, by, token, subject, endpoint","argument":"day"}}`,
		"/api/usage?by=day&by=day":                 `{"error":{"code":"INVALID_ARGUMENT","message":"by: is given more than once","argument":"by"}}`,
		"/api/usage?%zz":                           `{"error":{"code":"INVALID_ARGUMENT","message":"the query string is not valid"}}`,
	} {
		response := (&reporter{}).serve(t, http.MethodGet, target, "")
		assert.Equal(t, http.StatusBadRequest, response.Code)
		assert.Equal(t, want, response.Body.String())
	}
	response := (&reporter{}).serve(t, http.MethodPost, "/api/usage", "")
	assert.Equal(t, http.StatusMethodNotAllowed, response.Code)
	assert.Equal(t, "GET, HEAD", response.Header().Get("Allow"))
	assert.Equal(t, http.StatusInternalServerError, (&reporter{err: errors.New("x")}).serve(t, http.MethodGet, "/api/usage", "").Code)
}
