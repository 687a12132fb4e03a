package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

const sentSuffix = ".sent"

// SentPath returns the path of the file that records what of an input a server has
// acknowledged. It is beside the input, and exists only while the input is sent, or after that
// was interrupted. It is ignored if the input has changed since, and for another source,
// server or limit of events. If it cannot be written, the input is sent without it.
func SentPath(path string) string { return path + sentSuffix }

// sentHeader is the first line of the file. All must be as before to continue.
type sentHeader struct {
	Source string `json:"source"`
	Server string `json:"server"`
	Size   int64  `json:"size"`
	// Modified is in nanoseconds since 1970.
	Modified int64 `json:"modified"`
	// MaxEvent is the length from which events are rejected here. With another limit, an
	// acknowledged batch can hold events that were never sent.
	MaxEvent int `json:"max_event"`
	// Started is the timestamp of events without one.
	Started time.Time `json:"started"`
}

// acknowledgement is another line: the server has the events of a batch, or has rejected them.
type acknowledgement struct {
	Batch      int                 `json:"batch"`
	Accepted   int                 `json:"accepted"`
	Duplicates int                 `json:"duplicates,omitempty"`
	Rejected   []logevent.Rejected `json:"rejected,omitempty"`
}

// sentCounts sums acknowledgements.
type sentCounts struct{ accepted, duplicates, rejected int }

func (c sentCounts) events() int { return c.accepted + c.duplicates + c.rejected }

// sentFile records what is acknowledged. Its method acknowledge is safe for concurrent use.
type sentFile struct {
	path string
	// file is nil for an input that cannot be continued, such as a pipe, or one in a directory
	// that is read-only.
	file *os.File
	// started is the timestamp of events without one.
	started time.Time
	// before are the numbers of the batches that were acknowledged in earlier runs.
	before map[int]bool
	// rejected are the events that the server rejected in earlier runs, and earlier is the
	// number of events that it acknowledged then.
	rejected []logevent.Rejected
	earlier  int

	mutex sync.Mutex
	sum   sentCounts
}

// openSent opens or creates the file of an input. It calls warn if the sending starts again although
// the input is the same, or could not be continued.
func openSent(input string, header sentHeader, warn func(warning string)) (*sentFile, error) {
	sent := &sentFile{path: SentPath(input), started: header.Started, before: make(map[int]bool)}
	if input == StandardInput {
		return sent, nil
	}
	info, err := os.Stat(input)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return sent, nil
	}
	header.Size, header.Modified = info.Size(), info.ModTime().UnixNano()
	if end, ok := sent.read(header, warn); ok {
		err = sent.continueAt(end)
	} else {
		err = sent.create(header)
	}
	if err != nil {
		if sent.file != nil {
			_ = sent.file.Close()
			sent.file = nil
		}
		warn(fmt.Sprintf("what is sent cannot be recorded in %s (%v), so after an interruption all events of the file are sent again; the server drops those that it has", filepath.Dir(sent.path), withoutPath(err)))
	}
	return sent, nil
}

// continueAt opens the file to append to it. A line that was cut off is overwritten.
func (f *sentFile) continueAt(end int64) (err error) {
	if err := os.Truncate(f.path, end); err != nil {
		return err
	}
	f.file, err = os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0)
	return err
}

func (f *sentFile) create(header sentHeader) (err error) {
	const ownerOnly = 0o600 // rejected events may hold secrets
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.file, err = os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly); err != nil {
		return err
	}
	return f.append(header)
}

// read reads the file of an earlier run. It returns where its last complete line ends, and
// false if the file is not for the same load. It calls warn if only the limit of events differs.
func (f *sentFile) read(want sentHeader, warn func(warning string)) (end int64, ok bool) {
	file, err := os.Open(f.path)
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewReader(file)
	line, err := lines.ReadBytes('\n')
	var header sentHeader
	if err != nil || json.Unmarshal(line, &header) != nil {
		return 0, false
	}
	want.Started = header.Started
	limit := header.MaxEvent
	header.MaxEvent = want.MaxEvent
	switch {
	case header != want:
		return 0, false
	case limit != want.MaxEvent:
		warn(fmt.Sprintf("%s cannot be continued, because it was written with --max-event %s, and this is %s: all events are sent again, and the server drops those that it has",
			f.path, sqlq.FormatBytes(int64(limit)), sqlq.FormatBytes(int64(want.MaxEvent))))
		return 0, false
	}
	f.started = header.Started
	end = int64(len(line))
	for {
		line, err := lines.ReadBytes('\n')
		var acknowledged acknowledgement
		if err != nil || json.Unmarshal(line, &acknowledged) != nil {
			break
		}
		end += int64(len(line))
		f.add(acknowledged)
		f.before[acknowledged.Batch] = true
		f.rejected = append(f.rejected, acknowledged.Rejected...)
	}
	f.earlier = f.sum.events()
	return end, true
}

// acknowledge records an acknowledgement.
func (f *sentFile) acknowledge(acknowledged acknowledgement) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.add(acknowledged)
	if f.file == nil {
		return nil
	}
	if err := f.append(acknowledged); err != nil {
		return fmt.Errorf("record what is sent: %w", err)
	}
	return nil
}

func (f *sentFile) add(acknowledged acknowledgement) {
	f.sum.accepted += acknowledged.Accepted
	f.sum.duplicates += acknowledged.Duplicates
	f.sum.rejected += len(acknowledged.Rejected)
}

// append appends a line with one system call. It is not synced: what a crash of the machine
// removes is sent again, and the server drops the duplicates.
func (f *sentFile) append(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = f.file.Write(append(text, '\n'))
	return err
}

// total returns the sum of all acknowledgements.
func (f *sentFile) total() sentCounts {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.sum
}

// close closes the file. It removes it if the input is sent completely, or if nothing is
// acknowledged.
func (f *sentFile) close(complete bool) error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if complete || f.total().events() == 0 {
		err = errors.Join(err, os.Remove(f.path))
	}
	return err
}
