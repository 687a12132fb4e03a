package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// sink is a response writer that counts bytes.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Write(body []byte) (int, error) {
	s.bytes += len(body)
	return len(body), nil
}

// heap is the memory in use, in bytes.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one only marked as finalizable
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Concurrent responses of many times the size of the cache use no more memory than the
// cache may, once they are sent.
func TestCacheStaysSmallWithHugeResponses(t *testing.T) { // It is not parallel, since it measures memory.
	const (
		count, width = 50, 2 << 10
		questions    = 220
	)
	s := newServer(t, patient)
	s.engine.spoil(func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := rows(statement, count, "")
		for _, row := range result.Rows {
			for i, column := range result.Columns {
				if column.Type == sqlq.String {
					row[i] = strings.Repeat("x", width)
				}
			}
		}
		return result, nil
	})
	query, _ := s.runner.Find(t.Context(), "logs.all")
	query.Cache = time.Hour
	before := heap()
	var asking sync.WaitGroup
	var bytes, over, failed atomic.Int64
	numbers := make(chan int)
	for range engineConcurrency + queueLength { // more are rejected
		asking.Go(func() {
			for question := range numbers {
				target := fmt.Sprintf("/api/endpoints/logs.all?project=%d", question)
				if question%2 == 0 {
					target = fmt.Sprintf("/graphql?query={logs(project:%%22%d%%22){id,eventMessage,metadata}}", question)
				}
				response := &sink{header: make(http.Header)}
				s.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
				bytes.Add(int64(response.bytes))
				if response.status != http.StatusOK {
					failed.Add(1)
				}
				if s.runner.CacheBytes() > cacheBytes {
					over.Add(1)
				}
			}
		})
	}
	for question := range questions {
		numbers <- question
	}
	close(numbers)
	asking.Wait()
	assert.Zero(t, failed.Load())
	assert.Zero(t, over.Load())
	assert.Greater(t, bytes.Load(), int64(10*cacheBytes))
	assert.Less(t, heap()-before, int64(2*cacheBytes))
	assert.Greater(t, s.runner.CacheBytes(), int64(cacheBytes/2))
	runtime.KeepAlive(s)
}
