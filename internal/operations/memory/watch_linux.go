package memory

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Watch limits the memory that the process takes in addition to what it took at first.
//
// A limit of the operating system is not enough: DuckDB ignores a failed allocation while
// it evaluates a constant, so the check of a saved query would pass and the query would still take the
// memory on a larger server.
type Watch struct {
	most  int64
	known bool
}

// NewWatch returns a watch that allows limit bytes more than the process takes now.
func NewWatch(limit int64) Watch {
	initial, known := Resident()
	return Watch{most: initial + limit, known: known}
}

// Start calls exceeded once the process takes too much memory, until stop is called. An idle
// process must not be watched: looking 200 times a second takes 3 % of a processor.
func (w Watch) Start(exceeded func()) (stop func()) {
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
			if now, ok := Resident(); ok && now > w.most {
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

// Resident returns the resident memory of the process, and whether it is known.
func Resident() (size int64, known bool) { return pagesAt(1) }

// Data returns the size of the memory that the process can write to and shares with no other, and whether it is known.
func Data() (size int64, known bool) { return pagesAt(5) }

// pagesAt returns the size that a field of statm has in pages.
func pagesAt(field int) (size int64, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) <= field {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[field]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
