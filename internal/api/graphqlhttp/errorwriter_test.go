package graphqlhttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// A request that is rejected before it reaches GraphQL gets the status of its code (D15)
// and a GraphQL error.
func TestErrorWriter(t *testing.T) {
	t.Parallel()
	type wanted struct {
		status     int
		retryAfter string
		inLog      bool
	}
	codes := map[sqlq.Code]wanted{
		sqlq.InvalidArgument:   {400, "", false},
		sqlq.Unauthenticated:   {401, "", false},
		sqlq.PermissionDenied:  {403, "", false},
		sqlq.NotFound:          {404, "", false},
		sqlq.MethodNotAllowed:  {405, "", false},
		sqlq.ResourceExhausted: {429, "5", false},
		sqlq.Cancelled:         {499, "", false},
		sqlq.Internal:          {500, "", true},
		sqlq.Unavailable:       {503, "5", true},
		sqlq.DeadlineExceeded:  {504, "", true},
		"SOMETHING_ELSE":       {500, "", false},
	}
	for _, code := range append(sqlq.Codes(), "SOMETHING_ELSE") {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			require.Contains(t, codes, code)
			want := codes[code]
			logger, lines := logged()
			response := httptest.NewRecorder()
			graphqlhttp.ErrorWriter(logger)(response, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", http.NoBody),
				sqlq.Errorf(code, "what a caller may read").WithCause(errors.New("secret")))
			assert.Equal(t, want.status, response.Code)
			assert.JSONEq(t, fmt.Sprintf(`{"errors":[{"message":"what a caller may read","extensions":{"code":%q}}]}`, code), response.Body.String())
			assert.Equal(t, usualType, response.Header().Get("Content-Type"))
			assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
			assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", response.Header().Get("Vary"))
			assert.Equal(t, want.retryAfter, response.Header().Get("Retry-After"))
			assert.Equal(t, want.inLog, strings.Contains(lines.String(), "secret"))
		})
	}
}

func TestErrorWriterHeaders(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err                     error
		accept                  string
		wantType, wantRetry     string
		wantStatus              int
		wantMessage, wantInside string
	}{
		"default Retry-After":         {sqlq.Errorf(sqlq.ResourceExhausted, "x"), "", usualType, "5", 429, "x", "RESOURCE_EXHAUSTED"},
		"Retry-After of the error":    {&sqlq.Error{Code: sqlq.Unavailable, Message: "x", RetryAfter: 1500 * time.Millisecond}, "", usualType, "2", 503, "x", "UNAVAILABLE"},
		"the preferred media type":    {sqlq.Errorf(sqlq.Unauthenticated, "x"), "application/graphql-response+json", graphqlType, "", 401, "x", "UNAUTHENTICATED"},
		"JSON if neither is accepted": {sqlq.Errorf(sqlq.Unauthenticated, "x"), "text/html", usualType, "", 401, "x", "UNAUTHENTICATED"},
		"an error without a code":     {errors.New("secret"), "", usualType, "", 500, "internal server error; the server's log has the cause under this request's id", "INTERNAL"},
		"a wrapped error":             {fmt.Errorf("secret: %w", sqlq.Errorf(sqlq.PermissionDenied, "x")), "", usualType, "", 403, "x", "PERMISSION_DENIED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, request := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql", http.NoBody)
			request.Header.Set("Accept", test.accept)
			response.Header().Set("WWW-Authenticate", "Bearer")
			if test.accept == "" {
				request.Header.Del("Accept")
			}
			graphqlhttp.ErrorWriter(silent())(response, request, test.err)
			assert.Equal(t, test.wantStatus, response.Code)
			assert.Equal(t, test.wantType, response.Header().Get("Content-Type"))
			assert.Equal(t, test.wantRetry, response.Header().Get("Retry-After"))
			assert.Equal(t, "Bearer", response.Header().Get("WWW-Authenticate"))
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, test.wantMessage, found[0].Message)
			assert.Equal(t, test.wantInside, found[0].Extensions.Code)
			assert.NotContains(t, response.Body.String(), "secret")
		})
	}
}

// A response has Retry-After if all fields were rejected, but not if it has data.
func TestRetryAfterOfFields(t *testing.T) {
	t.Parallel()
	unavailable := &sqlq.Error{Code: sqlq.Unavailable, Message: "later", RetryAfter: 61 * time.Second}
	for name, test := range map[string]struct {
		err       error
		fields    string
		want      string
		wantLevel string
	}{
		"Retry-After of the error": {unavailable, `logs(project: "p") { id }`, "61", "WARN"},
		"default Retry-After":      {sqlq.Errorf(sqlq.ResourceExhausted, "later"), `logs(project: "p") { id }`, "5", ""},
		"the longest of two":       {unavailable, `a: logs(project: "p") { id } b: logs(project: "") { id }`, "61", "WARN"},
		"not retryable":            {sqlq.Errorf(sqlq.Internal, "x"), `logs(project: "p") { id }`, "", "ERROR"},
		"client error":             {sqlq.Errorf(sqlq.InvalidArgument, "x"), `logs(project: "p") { id }`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			runner := &fakeRunner{run: func(_ context.Context, request runner.Request) (*runner.Response, error) {
				if request.Params["project"][0] == "" {
					return nil, sqlq.Errorf(sqlq.ResourceExhausted, "later")
				}
				return nil, test.err
			}}
			response := post(t, newHandler(t, runner, logger), "{"+test.fields+"}", "{}")
			assert.Equal(t, http.StatusOK, response.Code)
			assert.Equal(t, test.want, response.Header().Get("Retry-After"))
			assert.Equal(t, test.wantLevel != "", strings.Contains(lines.String(), `"level":"`+test.wantLevel+`"`))
		})
	}
}
