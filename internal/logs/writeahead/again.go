package writeahead

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadAgain calls each for the records with sequence numbers above after and up to through, in order. They must have
// been read or appended before. The record is only valid during the call. What is damaged is left out. Meanwhile, other
// records can be read and appended.
func (l *Log) ReadAgain(after, through uint64, each func(sequence uint64, record []byte) error) error {
	l.keeping.RLock()
	defer l.keeping.RUnlock()
	if err := l.readAgain(after, through, each); err != nil {
		return fmt.Errorf("read the write-ahead log again: %w", err)
	}
	return nil
}

func (l *Log) readAgain(after, through uint64, each func(sequence uint64, record []byte) error) error {
	files, _, err := l.identifyAll()
	if err != nil {
		return err
	}
	last, limits := after, limitsOf(files)
	for i, file := range files {
		if i+1 < len(files) && files[i+1].First > 0 && files[i+1].First <= after+1 {
			continue // its records are all before the next file's
		}
		through := min(through, limits[i])
		pass := func(sequence uint64, record []byte) error {
			if sequence <= last || sequence > through {
				return nil
			}
			last = sequence
			return each(sequence, record)
		}
		done, err := readBetween(file.path, after, through, pass)
		if err == nil && !done {
			_, err = readFile(file.path, &Recovery{}, pass) // it skips what is damaged
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readBetween calls each for the records of a file with sequence numbers above after and up to through. It reads no others than
// these, one at a time. It reports false if it meets what is no intact record.
func readBetween(path string, after, through uint64, each func(sequence uint64, content []byte) error) (done bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	header, content := make([]byte, recordHeaderBytes), []byte(nil)
	offset := int64(len(fileHeader))
	if count, err := file.ReadAt(header[:offset], 0); string(header[:count]) != fileHeader {
		return false, beforeEnd(err)
	}
	for {
		switch count, err := file.ReadAt(header, offset); {
		case count == 0 && errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, beforeEnd(err)
		}
		sequence, length, isIntact := parseHeader(header)
		switch {
		case !isIntact:
			return false, nil
		case sequence > through:
			return true, nil
		case sequence > after:
			content = slices.Grow(content[:0], recordHeaderBytes+int(length))[:recordHeaderBytes+int(length)]
			if _, err := file.ReadAt(content, offset); err != nil {
				return false, beforeEnd(err)
			}
			found, condition := parseRecord(content)
			if condition != intact {
				return false, nil
			}
			if err := each(found.sequence, found.content); err != nil {
				return false, err
			}
		}
		if offset += recordHeaderBytes + length; sequence == through {
			return true, nil
		}
	}
}

// beforeEnd returns nil for [io.EOF], and every other error as it is.
func beforeEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
