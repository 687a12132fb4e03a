package logging

import (
	"bytes"
	"io"
	"math"
	"sync"
	"time"
)

const (
	// delay is how long a line waits for others, so that a busy server writes several at a
	// time. Warnings and errors do not wait.
	delay = 100 * time.Millisecond
	// batchBytes is the number of waiting bytes that are written without further delay.
	batchBytes = 64 << 10
	// maxWaitingBytes bounds the lines that wait while the writer is slow or stuck.
	// Further lines are dropped: requests must not wait for the log.
	maxWaitingBytes = 4 << 20
	// maxSpareBytes limits the buffer that is retained when no lines wait.
	maxSpareBytes = 4 * batchBytes
)

// lines gathers lines and writes them in the background.
type lines struct {
	w io.Writer
	// report returns the line about dropped lines.
	report func(dropped int64) []byte

	// writing has room for the one goroutine that writes, which may block forever. A request
	// must never wait for it.
	writing chan struct{}

	// mutex guards the fields below. It is never held during a write.
	mutex   sync.Mutex
	waiting []byte
	// spare is the buffer of the last write, to be used again.
	spare []byte
	// scheduled is true if a flush will write the waiting lines.
	scheduled bool
	timer     *time.Timer
	// unreported counts the lines dropped since the last report.
	unreported, dropped int64
}

func newLines(w io.Writer, report func(dropped int64) []byte) *lines {
	l := &lines{w: w, report: report, writing: make(chan struct{}, 1)}
	l.timer = time.AfterFunc(math.MaxInt64, l.flush)
	l.timer.Stop()
	return l
}

// Write queues a line. It never blocks: if there is no room, it drops and counts the line.
func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.waiting)+len(line) > maxWaitingBytes {
		l.drop(1)
		return len(line), nil
	}
	l.waiting = append(l.waiting, line...)
	switch {
	case len(l.waiting) >= batchBytes:
		l.hurryLocked()
	case !l.scheduled:
		l.scheduled = true
		l.timer.Reset(delay)
	}
	return len(line), nil
}

// hurry has the lines that wait written without delay.
func (l *lines) hurry() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.hurryLocked()
}

func (l *lines) hurryLocked() {
	// If the timer cannot be stopped, it has started a flush, which writes all lines.
	if !l.scheduled || l.timer.Stop() {
		l.scheduled = true
		l.timer.Reset(0)
	}
}

// drop counts lost lines. The caller must hold the mutex.
func (l *lines) drop(count int64) {
	l.dropped += count
	l.unreported += count
}

// flush writes the lines that wait.
func (l *lines) flush() {
	l.writing <- struct{}{}
	defer func() { <-l.writing }()
	l.mutex.Lock()
	batch, unreported := l.waiting, l.unreported
	l.waiting, l.spare = l.spare[:0], nil
	l.scheduled, l.unreported = false, 0
	l.timer.Stop()
	l.mutex.Unlock()

	if unreported > 0 { // these lines came after those that wait
		batch = append(batch, l.report(unreported)...)
	}
	if len(batch) == 0 {
		return
	}
	written, err := l.w.Write(batch)

	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err != nil { // such as a full disk
		l.drop(int64(bytes.Count(batch[written:], []byte("\n"))) - min(unreported, 1))
		l.unreported += unreported
	}
	if cap(batch) <= maxSpareBytes {
		l.spare = batch[:0]
	}
}

func (l *lines) droppedTotal() int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.dropped
}
