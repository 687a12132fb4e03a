package sqlcheck

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// memoryWatch limits the memory that the process takes in addition to what it took at first.
//
// A limit of the operating system is not enough: DuckDB ignores a failed allocation while
// it evaluates a constant, so the check would pass here and the query would still take the
// memory on a larger server.
type memoryWatch struct {
	most  int64
	known bool
}

// newMemoryWatch returns a watch that allows limit bytes more than the process takes now.
func newMemoryWatch(limit int64) memoryWatch {
	initial, known := residentBytes()
	return memoryWatch{most: initial + limit, known: known}
}

// start calls exceeded once the process takes too much memory, until stop is called. An idle
// process must not be watched: looking 200 times a second takes 3 % of a processor.
func (w memoryWatch) start(exceeded func()) (stop func()) {
	const interval = 5 * time.Millisecond
	if !w.known {
		return func() {}
	}
	ticks, stopped := time.NewTicker(interval), make(chan struct{})
	go func() {
		for {
			select {
			case <-stopped:
				return
			case <-ticks.C:
			}
			if now, ok := residentBytes(); ok && now > w.most {
				exceeded()
				return
			}
		}
	}()
	return func() {
		ticks.Stop()
		close(stopped)
	}
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
