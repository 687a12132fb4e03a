package ingest

import "sync"

// SenderShare is how many times as much as what stays free a sender may hold. So a sender alone may
// hold three quarters, a second one three quarters of the rest, and so on: no sender ever holds all of it.
const SenderShare = 3

// Memory limits bytes, and shares them between senders. One that floods the server leaves room for
// others, and with each of them its own share becomes smaller. It is safe for concurrent use.
type Memory struct {
	limit int64

	mutex sync.Mutex
	used  int64
	// held is what each sender holds, if that is not nothing.
	held map[string]int64
}

// NewMemory returns memory of at most limit bytes.
func NewMemory(limit int64) *Memory { return &Memory{limit: limit, held: make(map[string]int64)} }

// Reserve reserves bytes for a sender, and reports whether its share allows it.
func (m *Memory) Reserve(sender string, bytes int64) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if free := m.limit - m.used - bytes; m.held[sender]+bytes > SenderShare*free {
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

// Held returns how many bytes a sender has reserved.
func (m *Memory) Held(sender string) int64 {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.held[sender]
}
