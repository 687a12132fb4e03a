package ingesthttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/contentcoding"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
)

// unreadable is a body that fails if it is read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// failing is a body whose sender leaves after some bytes.
type failing struct{ left int }

func (f *failing) Read(buffer []byte) (int, error) {
	if f.left == 0 {
		return 0, errors.New("the connection is closed")
	}
	count := min(len(buffer), f.left)
	f.left -= count
	return count, nil
}

// Every request returns its memory, however it ends.
func TestMemoryIsReturned(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{}, func(config *ingesthttp.Config) { config.MemoryBytes = ingesthttp.MinMemoryBytes })
	packed := func(text string) string { return string(contentcoding.Gzip.Encode([]byte(text))) }
	large := strings.Repeat(" ", 1<<20)
	for _, body := range []struct{ coding, text string }{
		{"", large},
		{"", large + `{"message":"m"}`},
		{"", large + "nonsense"},
		{"gzip", packed(large + `{"message":"m"}`)},
		{"gzip", large},
		{"gzip", packed(large)[:100]},
		{"zstd", large},
		{"br", large},
	} {
		post(t, handlers.JSON, "/logs?source=edge_logs", body.text, "Content-Encoding", body.coding)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/logs?source=edge_logs", &failing{1 << 20})
	recorder := httptest.NewRecorder()
	auth.NoAuth(handlers.JSON).ServeHTTP(recorder, request)
	assert.Equal(t, http.StatusBadRequest, recorder.Code)
	// A body at the limit that is not smaller when it is compressed needs all of the memory.
	var stored bytes.Buffer
	writer, err := gzip.NewWriterLevel(&stored, gzip.NoCompression)
	require.NoError(t, err)
	_, err = writer.Write([]byte(`{"message":"` + strings.Repeat("m", logbody.MaxBytes-2000) + `"}`))
	require.NoError(t, errors.Join(err, writer.Close()))
	assert.Equal(t, http.StatusOK, post(t, handlers.JSON, "/logs?source=edge_logs", stored.String(), "Content-Encoding", "gzip").Code)
}

// While the memory is used up, requests are rejected before their bodies are read.
func TestMemoryIsLimited(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{}, func(config *ingesthttp.Config) { config.MemoryBytes = 1 << 20 })
	reader, writer := io.Pipe()
	var sending sync.WaitGroup
	recorder := httptest.NewRecorder()
	sending.Go(func() {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/logs?source=edge_logs", reader)
		auth.NoAuth(handlers.JSON).ServeHTTP(recorder, request)
	})
	_, err := io.WriteString(writer, strings.Repeat(" ", 512<<10))
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/logs?source=edge_logs", unreadable{t})
	request.ContentLength = 1 << 20
	sending.Wait() // more would need a buffer of a mebibyte, beside the one of half of it
	assert.Equal(t, http.StatusServiceUnavailable, recorder.Code)
	assert.Equal(t, "1", recorder.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":{"code":"UNAVAILABLE","message":"the memory for events, which all senders share, is used up; try again"}}`, recorder.Body.String())

	none := newHandlers(&fakeCommitter{}, func(config *ingesthttp.Config) { config.MemoryBytes = 1 })
	recorder = httptest.NewRecorder()
	auth.NoAuth(none.JSON).ServeHTTP(recorder, request)
	assert.Equal(t, http.StatusServiceUnavailable, recorder.Code)
}

// A sender that leaves before its events are durable is no failure of the server.
func TestSenderLeaves(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{commit: func(context.Context, ingest.Batch) (ingest.Counts, error) {
		return ingest.Counts{}, context.Canceled
	}}, nil)
	assert.Equal(t, 499, post(t, handlers.JSON, "/logs?source=edge_logs", `{"message":"m"}`).Code)
}
