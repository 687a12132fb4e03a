package sqlcheck

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// watchMemory calls exceeded once the process takes so many bytes more than it does now.
//
// A limit of the operating system would not do: an allocation that fails ends DuckDB's
// attempt to evaluate a constant without an error, and where a server has more memory the
// attempt goes on.
func watchMemory(limit int64, exceeded func()) {
	const interval = 5 * time.Millisecond
	initial, ok := residentBytes()
	if !ok {
		return
	}
	go func() {
		for range time.Tick(interval) {
			if now, ok := residentBytes(); ok && now-initial > limit {
				exceeded()
				return
			}
		}
	}()
}

// residentBytes returns the memory that the process takes; false where that is not known.
func residentBytes() (size int64, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
