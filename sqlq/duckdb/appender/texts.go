package appender

import (
	"runtime"
	"unsafe"
)

const (
	// minTextBlock and maxTextBlock limit the memory that is allocated at a time, except for
	// a longer text.
	minTextBlock = 16 << 10
	maxTextBlock = 1 << 20
)

// texts holds the strings of a data chunk in memory that DuckDB can read. It is pinned, so that
// C may have its addresses.
type texts struct {
	pinner runtime.Pinner
	// block is the memory for the next strings. Its length is what is used.
	block []byte
	// filled is the number of earlier blocks that are pinned.
	filled int
}

// add copies a string that is not empty, and returns the address of the copy. It is valid until
// the next call of reset or free.
func (t *texts) add(text string) uintptr {
	if cap(t.block)-len(t.block) < len(text) {
		if t.block != nil {
			t.filled++
		}
		t.block = make([]byte, 0, max(len(text), minTextBlock, min(2*cap(t.block), maxTextBlock)))
		t.pinner.Pin(unsafe.SliceData(t.block)) //nolint:gosec // Only its address is needed.
	}
	start := len(t.block)
	t.block = append(t.block, text...)
	return uintptr(unsafe.Pointer(&t.block[start])) //nolint:gosec // The memory is pinned.
}

// reset frees all strings, and keeps the last block.
func (t *texts) reset() {
	t.block = t.block[:0]
	if t.filled == 0 {
		return
	}
	t.pinner.Unpin()
	t.filled = 0
	if cap(t.block) > maxTextBlock {
		t.block = nil
	}
	if t.block != nil {
		t.pinner.Pin(unsafe.SliceData(t.block)) //nolint:gosec // Only its address is needed.
	}
}

// free frees all memory.
func (t *texts) free() {
	t.pinner.Unpin()
	*t = texts{}
}
