package sqlq

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"savedq/internal/text/strictyaml"
)

// FileError is a mistake in a file of a saved query. Line and Column count from
// 1; zero means that the mistake has no position in the file.
type FileError struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns the mistake in the form file:line:column: message.
func (e *FileError) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Message
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	default:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	}
}

// String returns the place in the form file:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Mistakef returns a mistake at the place.
func (p Place) Mistakef(format string, args ...any) *FileError {
	return &FileError{File: p.File, Line: p.Line, Column: p.Column, Message: fmt.Sprintf(format, args...)}
}

// FileErrors are all mistakes in folders of saved queries.
type FileErrors []*FileError

// FileErrorsIn returns the mistakes in a YAML file.
func FileErrorsIn(file string, mistakes []strictyaml.Mistake) FileErrors {
	var found FileErrors
	for _, mistake := range mistakes {
		found = append(found, &FileError{File: file, Line: mistake.Line, Column: mistake.Column, Message: mistake.Message})
	}
	return found
}

// Error returns a line for each mistake.
func (e FileErrors) Error() string {
	lines := make([]string, len(e))
	for i, mistake := range e {
		lines[i] = mistake.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort sorts mistakes by file and place. Those of a file without a place come first.
func (e FileErrors) Sort() {
	slices.SortStableFunc(e, func(a, b *FileError) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
}

// WithoutPath returns the cause of an error of a file, for messages that name the file themselves.
func WithoutPath(err error) error {
	if failure, ok := errors.AsType[*fs.PathError](err); ok {
		return failure.Err
	}
	return err
}

// Unreadable returns the mistake that a file cannot be read.
func Unreadable(file string, err error) *FileError {
	if errors.Is(err, fs.ErrNotExist) {
		return &FileError{File: file, Message: "is missing"}
	}
	return &FileError{File: file, Message: "cannot be read: " + WithoutPath(err).Error()}
}
