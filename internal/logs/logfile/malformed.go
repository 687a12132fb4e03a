package logfile

import (
	"fmt"

	"savedq/internal/logs/logevent"
)

// MalformedError is the error for a part of a file that is not an event. Reading can
// continue.
type MalformedError struct {
	// Line is the line on which the part starts, counted from 1.
	Line int
	// Raw is the part of the file, or the beginning of a long one. It is valid until the
	// next event is read.
	Raw []byte
	// Reason states what is wrong and what is allowed.
	Reason string
}

// Error returns the line and the reason.
func (e *MalformedError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// tooLong returns the error for an event of more than [MaxEventBytes].
func tooLong(line int, raw []byte) *MalformedError {
	return &MalformedError{
		Line:   line,
		Raw:    raw[:min(len(raw), logevent.MaxRejectedBytes)],
		Reason: fmt.Sprintf("event: is longer than %d MiB, which is the limit", MaxEventBytes>>20),
	}
}
