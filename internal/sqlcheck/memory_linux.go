package sqlcheck

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// watchMemory calls exceeded once the process takes more than limit bytes in addition to
// what it takes now.
//
// A limit of the operating system is not enough: DuckDB ignores a failed allocation while
// it evaluates a constant, so the check would pass here and the query would still take the
// memory on a larger server.
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

// residentBytes returns the resident memory of the process, and whether it is known.
func residentBytes() (size int64, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
