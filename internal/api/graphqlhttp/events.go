package graphqlhttp

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"savedq/internal/http/accept"
	"savedq/internal/http/httpcache"
)

// eventMediaType is the media type of server-sent events.
const eventMediaType = "text/event-stream"

// acceptsEvents reports whether the Accept headers name server-sent events.
func acceptsEvents(headers []string) bool {
	for item := range accept.Items(headers) {
		if item.Value == eventMediaType {
			return item.Quality > 0
		}
	}
	return false
}

// serveEvents responds to a request with server-sent events: the distinct connections mode of
// the protocol of graphql-sse. A request that cannot be read has an HTTP status; all errors
// after that are results.
func (h *handler) serveEvents(w http.ResponseWriter, r *http.Request) {
	request, rejected := h.readRequest(w, r)
	if rejected != nil {
		write(w, r, jsonMediaType, h.rejected(r.Context(), rejected))
		return
	}
	h.streamEvents(w, r, request)
}

// streamEvents responds to a request that was read.
func (h *handler) streamEvents(w http.ResponseWriter, r *http.Request, request *graphqlRequest) {
	session, err := h.Streams.Open(r.Context(), r.Header, "")
	if err != nil { // it has ended since the request was let in
		write(w, r, jsonMediaType, h.failure(r.Context(), http.StatusUnauthorized, err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", eventMediaType+"; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would collect events
	httpcache.AddVary(header, "Accept, "+httpcache.Credentials)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead { // the response has no body
		return
	}
	events := &eventWriter{writer: w, controller: http.NewResponseController(w), streams: &h.Streams}
	_ = events.controller.SetReadDeadline(time.Time{}) // the server's own would end the stream
	ctx, end := context.WithCancelCause(session.Context(r.Context()))
	var background sync.WaitGroup
	defer background.Wait()
	defer end(nil)
	background.Go(func() { h.Streams.watch(ctx, session, end) })
	background.Go(func() { events.keepAlive(ctx, end) })
	if events.write([]byte(":\n\n")) != nil { // the client knows that the server has accepted
		return
	}
	if h.stream(ctx, request, events) == nil {
		_ = events.write([]byte("event: complete\ndata:\n\n"))
	}
}

// eventWriter writes server-sent events. It is safe for concurrent use.
type eventWriter struct {
	controller *http.ResponseController
	streams    *Streams

	mutex  sync.Mutex
	writer http.ResponseWriter
}

func (e *eventWriter) next(body []byte) error {
	// JSON has no line breaks outside of strings, and there they are escaped; metadata may
	// have been sent with some.
	body = bytes.ReplaceAll(bytes.ReplaceAll(body, []byte{'\r'}, []byte{' '}), []byte{'\n'}, []byte{' '})
	return e.write(append(append([]byte("event: next\ndata: "), body...), "\n\n"...))
}

func (e *eventWriter) fail(errs []byte) error {
	return e.next(append(append([]byte(`{"errors":`), errs...), '}'))
}

// write sends bytes at once.
func (e *eventWriter) write(text []byte) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.expect(e.streams.Timing.Write)
	forget := context.AfterFunc(e.streams.Stopping, func() { e.expect(e.streams.Timing.FinalWrite) })
	defer forget()
	if _, err := e.writer.Write(text); err != nil {
		return err
	}
	return e.controller.Flush()
}

// expect sets how long the client may take to receive what is written.
func (e *eventWriter) expect(limit time.Duration) {
	if e.streams.Clock != nil {
		_ = e.controller.SetWriteDeadline(e.streams.Clock().Add(limit))
	}
}

// keepAlive sends comments until the context ends. It ends the stream if the client is gone.
func (e *eventWriter) keepAlive(ctx context.Context, end context.CancelCauseFunc) {
	ticker := time.NewTicker(e.streams.Timing.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := e.write([]byte(":\n\n")); err != nil {
				end(err)
				return
			}
		}
	}
}
