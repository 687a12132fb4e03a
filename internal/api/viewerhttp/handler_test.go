package viewerhttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/api/viewerhttp"
	"savedq/internal/http/httperror"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	handler := viewerhttp.NewHandler(func(context.Context) viewerhttp.Viewer {
		return viewerhttp.Viewer{
			Token: "jwt:a", Subject: "a", Expires: &at, Endpoints: []string{"logs.all"}, BoundParameters: map[string][]string{"project": {"acme"}},
			Limits: viewerhttp.Limits{Rate: new(2.5), Burst: new(3), Refresh: true, Sandbox: true},
			Budget: []viewerhttp.Budget{{Period: "day", Allowed: viewerhttp.Amounts{Requests: 10}, Spent: viewerhttp.Amounts{Requests: 2, EngineSeconds: 0.5}, ResetsAt: at}},
		}
	}, httperror.NewWriter(slog.New(slog.DiscardHandler)))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, viewerhttp.Path, nil))
	assert.Equal(t, "no-store", recorder.Header().Get("Cache-Control"))
	assert.Equal(t, "application/json; charset=utf-8", recorder.Header().Get("Content-Type"))
	assert.JSONEq(t, `{"result":{"token":"jwt:a","subject":"a","expires":"2026-11-20T12:00:00Z","endpoints":["logs.all"],
		"boundParameters":{"project":["acme"]},
		"limits":{"rate":2.5,"burst":3,"projectTier":null,"refresh":true,"sandbox":true,"explore":false,"alerts":false,"tail":false,"usage":false,"manageTokens":false},
		"budget":[{"period":"day","allowed":{"requests":10,"rows":0,"bytes":0,"engineSeconds":0},
			"spent":{"requests":2,"rows":0,"bytes":0,"engineSeconds":0.5},"resetsAt":"2026-11-20T12:00:00Z"}]}}`, recorder.Body.String())

	recorder = httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, viewerhttp.Path, nil))
	assert.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
	assert.Equal(t, "GET, HEAD", recorder.Header().Get("Allow"))
}
