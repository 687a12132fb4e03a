package ingest

import "sync"

// Memory limits bytes, and shares them between senders. Each may hold what it is assured, and beyond
// that no more than a multiple of what is free. So one that floods the server leaves room for
// others, and with each of them its own share becomes smaller. It is safe for concurrent use.
type Memory struct {
	limit, assured, multiple int64

	mutex sync.Mutex
	used  int64
	// held is what each sender holds, if that is not nothing.
	held map[string]int64
}

// NewMemory returns memory of at most limit bytes. A sender alone may hold multiple/(multiple+1)
// of them.
func NewMemory(limit, assured, multiple int64) *Memory {
	return &Memory{limit: limit, assured: assured, multiple: multiple, held: make(map[string]int64)}
}

// Reserve reserves bytes for a sender, and reports whether it may have them.
func (m *Memory) Reserve(sender string, bytes int64) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	free, held := m.limit-m.used-bytes, m.held[sender]+bytes
	if free < 0 || held > m.assured && held > m.multiple*free {
		return false
	}
	m.add(sender, bytes)
	return true
}

// Take reserves bytes for a sender although it may not have them.
func (m *Memory) Take(sender string, bytes int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.add(sender, bytes)
}

// Release returns the reserved bytes of a sender.
func (m *Memory) Release(sender string, bytes int64) { m.Take(sender, -bytes) }

func (m *Memory) add(sender string, bytes int64) {
	m.used += bytes
	if m.held[sender] += bytes; m.held[sender] == 0 {
		delete(m.held, sender)
	}
}

// Used returns how many bytes are reserved.
func (m *Memory) Used() int64 {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.used
}
