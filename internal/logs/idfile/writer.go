package idfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Writer writes a file. It is not safe for concurrent use. Callers must call Commit or Discard.
type Writer struct {
	file   *os.File
	output *bufio.Writer
	block  []byte
	firsts []byte
	hashes int64
	last   uint64
}

// Create creates a file, which must not exist.
func Create(path string) (*Writer, error) {
	const ownerOnly = 0o600
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		return nil, err
	}
	const bufferBytes = 64 << 10
	return &Writer{file: file, output: bufio.NewWriterSize(file, bufferBytes), block: make([]byte, 0, blockBytes)}, nil
}

// Add adds a hash. Hashes must be added in ascending order. An equal one is ignored.
func (w *Writer) Add(hash uint64) error {
	if w.hashes > 0 && hash <= w.last {
		if hash == w.last {
			return nil
		}
		return fmt.Errorf("hash %d was added after %d", hash, w.last)
	}
	if len(w.block) == blockHashes*hashBytes {
		if err := w.writeBlock(); err != nil {
			return err
		}
	}
	if len(w.block) == 0 {
		w.firsts = binary.LittleEndian.AppendUint64(w.firsts, hash)
	}
	w.block = binary.LittleEndian.AppendUint64(w.block, hash)
	w.last = hash
	w.hashes++
	return nil
}

func (w *Writer) writeBlock() error {
	for len(w.block) < blockHashes*hashBytes {
		w.block = binary.LittleEndian.AppendUint64(w.block, w.last)
	}
	w.block = binary.LittleEndian.AppendUint64(w.block, checksum(w.block))
	_, err := w.output.Write(w.block)
	w.block = w.block[:0]
	return err
}

// Commit finishes the file and makes its content durable. Its name is only durable once its
// directory is synced.
func (w *Writer) Commit() error {
	if err := w.finish(); err != nil {
		return errors.Join(err, w.Discard())
	}
	return w.file.Close()
}

func (w *Writer) finish() error {
	if len(w.block) > 0 {
		if err := w.writeBlock(); err != nil {
			return err
		}
	}
	end := binary.LittleEndian.AppendUint64(w.firsts, uint64(w.hashes)) //nolint:gosec // It is not negative.
	end = binary.LittleEndian.AppendUint64(end, checksum(end))
	if _, err := w.output.Write(append(end, mark...)); err != nil {
		return err
	}
	if err := w.output.Flush(); err != nil {
		return err
	}
	return w.file.Sync()
}

// Name returns the path of the file.
func (w *Writer) Name() string { return w.file.Name() }

// Discard removes the file.
func (w *Writer) Discard() error {
	return errors.Join(w.file.Close(), os.Remove(w.file.Name()))
}
