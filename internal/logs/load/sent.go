package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"savedq/internal/logs/logstore"
)

const sentSuffix = ".sent"

// SentPath returns the path of the file that records what of an input a server has
// acknowledged. It is beside the input, and exists only while the input is sent, or after that
// was interrupted. It is ignored if the input has changed since, and for another source or
// server.
func SentPath(path string) string { return path + sentSuffix }

// sentHeader is the first line of the file. All must be as before to continue.
type sentHeader struct {
	Version int    `json:"version"`
	Source  string `json:"source"`
	Server  string `json:"server"`
	Size    int64  `json:"size"`
	// Modified is in nanoseconds since 1970.
	Modified int64 `json:"modified"`
	// Started is the timestamp of events without one.
	Started time.Time `json:"started"`
}

const sentVersion = 1

// acknowledgement is another line: the server has the events at the positions from First up to
// but not including Next, or has rejected them.
type acknowledgement struct {
	First      int             `json:"first"`
	Next       int             `json:"next"`
	Accepted   int             `json:"accepted"`
	Duplicates int             `json:"duplicates,omitempty"`
	Rejected   []sentRejection `json:"rejected,omitempty"`
}

// sentRejection is an event that the server rejected.
type sentRejection struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Event  string `json:"event"`
}

// sentCounts sums acknowledgements.
type sentCounts struct{ accepted, duplicates, rejected int }

func (c sentCounts) events() int { return c.accepted + c.duplicates + c.rejected }

// sentFile records what is acknowledged. Its method acknowledge is safe for concurrent use.
type sentFile struct {
	path string
	// file is nil for an input that cannot be continued, such as a pipe.
	file *os.File
	// started is the timestamp of events without one.
	started time.Time
	// before are the acknowledgements of earlier runs, by position. They do not overlap.
	before []acknowledgement
	// rejected are the events that the server rejected in earlier runs, and earlier is the
	// number of events that it acknowledged then.
	rejected []sentRejection
	earlier  int

	mutex sync.Mutex
	sum   sentCounts
}

// openSent opens or creates the file of an input.
func openSent(input string, source logstore.Source, server string, started time.Time) (*sentFile, error) {
	sent := &sentFile{path: SentPath(input), started: started}
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
	header := sentHeader{Version: sentVersion, Source: source.Table, Server: server, Size: info.Size(), Modified: info.ModTime().UnixNano(), Started: started.UTC()}
	if end, ok := sent.read(header); ok {
		// A line that was cut off is overwritten.
		if sent.file, err = os.OpenFile(sent.path, os.O_WRONLY, 0); err == nil {
			err = sent.file.Truncate(end)
		}
		if err == nil {
			_, err = sent.file.Seek(end, 0)
		}
	} else {
		err = sent.create(header)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record what is sent: %w", err), sent.close(false))
	}
	return sent, nil
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
// false if the file is not for the same load.
func (f *sentFile) read(want sentHeader) (end int64, ok bool) {
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
	if header != want {
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
		f.before = append(f.before, acknowledged)
		f.rejected = append(f.rejected, acknowledged.Rejected...)
	}
	slices.SortFunc(f.before, func(a, b acknowledgement) int { return a.First - b.First })
	f.earlier = f.sum.events()
	return end, true
}

// has reports whether an earlier run had the event at a position acknowledged.
func (f *sentFile) has(position int) bool {
	after, found := slices.BinarySearchFunc(f.before, position, func(a acknowledgement, position int) int { return a.First - position })
	if found {
		return true
	}
	return after > 0 && position < f.before[after-1].Next
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
