package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	rejectedSuffix = ".rejected.ndjson"
	// maxRejectedBytes is how much of a rejected event is kept.
	maxRejectedBytes = 64 << 10
)

// RejectedPath is the file that holds the events of an input which were
// rejected, one JSON object per line with the fields file, line, reason and
// event. It lies beside the input, and it exists only if the last load of that
// input has rejected an event.
func RejectedPath(path string) string { return path + rejectedSuffix }

// rejectedEvent is a line of the file of rejected events.
type rejectedEvent struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	// Event is the text of the event, cut to maxRejectedBytes. It is a string,
	// because what was rejected is often no JSON.
	Event string `json:"event"`
}

// rejectWriter writes the rejected events of one input.
type rejectWriter struct {
	input   string
	path    string
	count   int
	created bool
	file    *os.File
	buffer  *bufio.Writer
	encoder *json.Encoder
}

func newRejectWriter(input string) *rejectWriter {
	return &rejectWriter{input: input, path: RejectedPath(input)}
}

// removeOld removes what an earlier load of the same input has left. A file of
// rejected events is no input itself: a pattern such as *.ndjson would name it
// by accident.
func (w *rejectWriter) removeOld() error {
	if strings.HasSuffix(w.input, rejectedSuffix) {
		return errors.New("it lists the events that an earlier load has rejected, and is no log")
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
func (w *rejectWriter) write(line int, reason string, raw []byte) error {
	if !w.created {
		if err := w.create(); err != nil {
			return fmt.Errorf("line %d was rejected (%s), and that cannot be written down: %w", line, reason, err)
		}
	}
	rejected := rejectedEvent{File: w.input, Line: line, Reason: reason, Event: cutText(raw, maxRejectedBytes)}
	if err := w.encoder.Encode(rejected); err != nil {
		return fmt.Errorf("write rejected events: %w", err)
	}
	w.count++
	return nil
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

// close puts everything on disk.
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

// discard removes the file, because the load it tells of did not take place.
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

// createdPath is the path of the file if there is one.
func (w *rejectWriter) createdPath() string {
	if w.created {
		return w.path
	}
	return ""
}

// cutText returns at most limit bytes, without cutting a character in half.
func cutText(text []byte, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[limit-back]) {
			return string(text[:limit-back])
		}
	}
	return string(text[:limit])
}
