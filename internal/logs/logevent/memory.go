package logevent

import (
	"bytes"
	"strings"

	"savedq/internal/jsontext"
)

// memory allocates the texts of many events at a time.
type memory struct {
	// chunk is the least size of an allocation. With 0 each text has its own.
	chunk    int
	texts    strings.Builder
	bytes    []byte
	pointers []string
}

// unquote returns the text of a JSON string.
func (m *memory) unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return jsontext.Unquote(quoted)
	}
	text := quoted[1 : len(quoted)-1]
	if m.texts.Cap()-m.texts.Len() < len(text) {
		m.texts.Reset() // it leaves the old chunk to the events
		m.texts.Grow(max(len(text), m.chunk))
	}
	start := m.texts.Len()
	m.texts.Write(text)
	return m.texts.String()[start:]
}

// copy returns a copy of the text.
func (m *memory) copy(text []byte) []byte {
	if cap(m.bytes)-len(m.bytes) < len(text) {
		m.bytes = make([]byte, 0, max(len(text), m.chunk))
	}
	start := len(m.bytes)
	m.bytes = append(m.bytes, text...)
	return m.bytes[start:len(m.bytes):len(m.bytes)]
}

// pointer returns a pointer to the text.
func (m *memory) pointer(text string) *string {
	if len(m.pointers) == 0 {
		const textBytes = 128
		m.pointers = make([]string, 1+m.chunk/textBytes)
	}
	pointer := &m.pointers[0]
	m.pointers = m.pointers[1:]
	*pointer = text
	return pointer
}
