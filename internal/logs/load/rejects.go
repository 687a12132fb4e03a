package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"savedq/internal/logs/logevent"
)

const rejectedSuffix = ".rejected.ndjson"

// RejectedPath returns the path of the file of an input's rejected events: one JSON object
// per line with the fields file, line, reason and event. It is beside the input, and
// exists only if the last load of the input rejected an event. For [StandardInput] it is in the
// working directory.
func RejectedPath(path string) string {
	if path == StandardInput {
		path = "stdin"
	}
	return path + rejectedSuffix
}

// rejectedLine is a line of the file of rejected events.
type rejectedLine struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	// Event is a string, because it may not be valid JSON.
	Event string `json:"event"`
}

// rejectWriter writes the rejected events of one input. Its method write is safe for concurrent use.
type rejectWriter struct {
	input   string
	path    string
	mutex   sync.Mutex
	count   int
	created bool
	// first are the first rejected events.
	first   []Rejection
	file    *os.File
	buffer  *bufio.Writer
	encoder *json.Encoder
}

func newRejectWriter(input string) *rejectWriter {
	return &rejectWriter{input: inputName(input), path: RejectedPath(input)}
}

// removeOld removes the file of an earlier load of the same input. It rejects an input
// that is a file of rejected events, which a pattern such as *.ndjson matches by accident.
func (w *rejectWriter) removeOld() error {
	if strings.HasSuffix(w.input, rejectedSuffix) {
		return errors.New("is the list of events that an earlier load rejected, not a log file")
	}
	info, err := os.Lstat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for old rejected events: %w", err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder, but rejected events must be written there", w.path)
	}
	if err := os.Remove(w.path); err != nil {
		return fmt.Errorf("remove old rejected events: %w", err)
	}
	return nil
}

// write adds an event. The first one creates the file.
func (w *rejectWriter) write(rejected *logevent.Rejected) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.created {
		if err := w.create(); err != nil {
			return fmt.Errorf("line %d was rejected (%s), and recording it failed: %w", rejected.Position, rejected.Reason, err)
		}
	}
	line := rejectedLine{File: w.input, Line: rejected.Position, Reason: rejected.Reason, Event: rejected.Event}
	if err := w.encoder.Encode(line); err != nil {
		return fmt.Errorf("write rejected events: %w", err)
	}
	w.count++
	if len(w.first) < shownRejections {
		w.first = append(w.first, Rejection{Line: rejected.Position, Reason: rejected.Reason})
	}
	return nil
}

// shownRejections is how many rejected events a summary shows.
const shownRejections = 3

// Rejection is why an event was rejected.
type Rejection struct {
	// Line is where it is in the file, and in a Parquet file the number of its row.
	Line   int
	Reason string
}

func (w *rejectWriter) create() error {
	const ownerOnly = 0o600 // logs may hold secrets
	file, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		return err
	}
	w.created = true
	w.file = file
	w.buffer = bufio.NewWriter(file)
	w.encoder = json.NewEncoder(w.buffer)
	w.encoder.SetEscapeHTML(false)
	return nil
}

// close writes everything to disk.
func (w *rejectWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.buffer.Flush(), w.file.Sync(), w.file.Close())
	w.file = nil
	if err != nil {
		return fmt.Errorf("write rejected events: %w", err)
	}
	return nil
}

// discard removes the file after a load that failed.
func (w *rejectWriter) discard() error {
	if !w.created {
		return nil
	}
	w.created = false
	var err error
	if w.file != nil {
		err = w.file.Close()
		w.file = nil
	}
	return errors.Join(err, os.Remove(w.path))
}

// createdPath returns the path of the file, or "" if there is no file.
func (w *rejectWriter) createdPath() string {
	if w.created {
		return w.path
	}
	return ""
}
