package clickhousehttp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/api/clickhousehttp"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
)

func serve(t *testing.T, target string, run func(ctx context.Context, query clickhousehttp.Query) (*sqlq.Result, []string, error)) *httptest.ResponseRecorder {
	t.Helper()
	handler := clickhousehttp.NewHandler(clickhousehttp.Config{
		Run: run, Clock: func() time.Time { return time.Unix(0, 0) }, Errors: httperror.NewWriter(slog.New(slog.DiscardHandler)),
	})
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader("SELECT 1")))
	return response
}

// The time that a client gives a query ends it.
func TestTimeout(t *testing.T) {
	t.Parallel()
	response := serve(t, clickhousehttp.Path+"?max_execution_time=0.001", func(ctx context.Context, _ clickhousehttp.Query) (*sqlq.Result, []string, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	assert.Equal(t, http.StatusGatewayTimeout, response.Code)
	assert.Contains(t, response.Body.String(), "Code: 159. DB::Exception: the query took longer")
}

// Each code of an error has a number and a status, and what callers must not see is not in the text.
func TestExceptions(t *testing.T) {
	t.Parallel()
	want := map[sqlq.Code]string{
		sqlq.InvalidArgument: "Code: 62. ", sqlq.Unauthenticated: "Code: 516. ", sqlq.PermissionDenied: "Code: 497. ", sqlq.NotFound: "Code: 48. ", sqlq.MethodNotAllowed: "Code: 48. ",
		sqlq.ResourceExhausted: "Code: 201. ", sqlq.Cancelled: "Code: 394. ", sqlq.Internal: "Code: 1002. ", sqlq.Unavailable: "Code: 202. ", sqlq.DeadlineExceeded: "Code: 159. ",
	}
	for _, code := range sqlq.Codes() {
		response := serve(t, clickhousehttp.Path, func(context.Context, clickhousehttp.Query) (*sqlq.Result, []string, error) {
			return nil, nil, sqlq.Errorf(code, "a message.").WithCause(errors.New("a secret"))
		})
		assert.NotEqual(t, http.StatusOK, response.Code)
		assert.True(t, strings.HasPrefix(response.Body.String(), want[code]+"DB::Exception: a message. ("), response.Body)
		assert.NotContains(t, response.Body.String(), "secret")
	}
}

// A value that cannot be encoded fails the whole response, and not a part of it. Times that a type does not have are the closest ones.
func TestValues(t *testing.T) {
	t.Parallel()
	of := func(typ sqlq.Type, value any, written string) *httptest.ResponseRecorder {
		return serve(t, clickhousehttp.Path+"?default_format=RowBinaryWithNamesAndTypes", func(context.Context, clickhousehttp.Query) (*sqlq.Result, []string, error) {
			return &sqlq.Result{Columns: []sqlq.Column{{Name: "x", Type: typ}}, Rows: [][]any{{value}}}, []string{written}, nil
		})
	}
	response := of(sqlq.String, nil, "String")
	assert.Equal(t, http.StatusInternalServerError, response.Code)
	assert.True(t, strings.HasPrefix(response.Body.String(), "Code: 1002. "))
	for year, want := range map[int]string{1969: "\x00\x00", 1970: "\x00\x00", 2300: "\xff\xff"} {
		response := of(sqlq.Date, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), "Date")
		assert.Equal(t, "\x01\x01x\x04Date"+want, response.Body.String(), year)
		response = of(sqlq.Datetime, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), "DateTime")
		assert.Equal(t, "\x01\x01x\x08DateTime"+want+want, response.Body.String(), year)
	}
}
