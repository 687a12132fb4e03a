package ingesthttp

import "sync"

// memory limits the bytes that requests hold, and shares them between senders. Each may hold what
// the largest request needs, and beyond that no more than is free. So one that sends many requests
// leaves room for others, if the memory is larger than the largest request needs. It is safe for
// concurrent use.
type memory struct {
	limit int64

	mutex sync.Mutex
	used  int64
	// held is what each sender holds, if that is not nothing.
	held map[string]int64
}

// reserve reserves bytes for a sender, and reports whether it may have them.
func (m *memory) reserve(sender string, bytes int64) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	free, held := m.limit-m.used, m.held[sender]+bytes
	if bytes > free || held > MinMemoryBytes && held > free {
		return false
	}
	if m.held == nil {
		m.held = make(map[string]int64)
	}
	m.used += bytes
	m.held[sender] = held
	return true
}

// release returns the reserved bytes of a sender.
func (m *memory) release(sender string, bytes int64) {
	if bytes == 0 {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.used -= bytes
	if m.held[sender] -= bytes; m.held[sender] == 0 {
		delete(m.held, sender)
	}
}
