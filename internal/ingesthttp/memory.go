package ingesthttp

import "sync/atomic"

// memory limits the bytes that requests hold. It is safe for concurrent use.
type memory struct {
	limit int64
	used  atomic.Int64
}

// reserve reserves bytes, and reports whether they are within the limit.
func (m *memory) reserve(bytes int64) bool {
	if m.used.Add(bytes) <= m.limit {
		return true
	}
	m.used.Add(-bytes)
	return false
}

// release returns reserved bytes.
func (m *memory) release(bytes int64) { m.used.Add(-bytes) }
