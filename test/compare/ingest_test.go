package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink counts the events that it accepts by their ids. It refuses the first refusals requests.
type sink struct {
	mutex    sync.Mutex
	refusals int
	ids      map[string]bool
	events   int
}

func (s *sink) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.refusals--; s.refusals >= 0 {
		response.Header().Set("Retry-After", "0")
		response.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	for line := range bytes.Lines(body) {
		s.ids[string(line[idOffset:][:idLength])] = true
		s.events++
	}
}

func serve(t *testing.T, handler http.Handler) *server {
	t.Helper()
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	return &server{product: savedq{token: "token"}, base: listening.URL, client: listening.Client(), exited: make(chan struct{})}
}

func smallCorpus(t *testing.T) *corpus {
	t.Helper()
	c, err := writeCorpus(t.Context(), t.TempDir(), newGenerator(1, 20_000, end()), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.file.Close() })
	return c
}

func TestBurstSendsRefusedRequestsAgain(t *testing.T) {
	t.Parallel()
	c, sink := smallCorpus(t), &sink{refusals: 3, ids: make(map[string]bool)}
	var sent sent
	if _, err := c.burst(t.Context(), serve(t, sink), &sent); err != nil {
		t.Fatal(err)
	}
	if sink.events != c.events || len(sink.ids) != c.events || sent.events.Load() != int64(c.events) || sent.refused.Load() != 3 {
		t.Errorf("%d events with %d ids arrived, %d were sent and %d requests refused", sink.events, len(sink.ids), sent.events.Load(), sent.refused.Load())
	}
}

func TestBurstEndsAtAnError(t *testing.T) {
	t.Parallel()
	s := serve(t, http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		http.Error(response, "no such source", http.StatusBadRequest)
	}))
	var sent sent
	if _, err := smallCorpus(t).burst(t.Context(), s, &sent); err == nil || !strings.Contains(err.Error(), "status 400: no such source") {
		t.Errorf("error %v", err)
	}
}

// It goes on after its first pass over the requests, each pass with new ids.
func TestSteadySendsNewEvents(t *testing.T) {
	t.Parallel()
	c := smallCorpus(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := &sink{ids: make(map[string]bool)}
	s := serve(t, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		sink.ServeHTTP(response, request)
		sink.mutex.Lock()
		defer sink.mutex.Unlock()
		if sink.events > 2*c.events {
			cancel()
		}
	}))
	var sent sent
	if _, err := c.steady(ctx, s, 1e9, time.Hour, &sent); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	sink.mutex.Lock()
	defer sink.mutex.Unlock()
	if len(sink.ids) != sink.events {
		t.Errorf("%d ids of %d events", len(sink.ids), sink.events)
	}
}
