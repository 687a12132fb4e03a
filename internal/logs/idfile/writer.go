package idfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Write creates and opens a file with hashes, which must be in ascending order. Of equal ones it has
// one. Its content is durable then, but its name only once its directory is synced. After an error
// there is no file.
func Write(path string, hashes []uint64) (_ *File, err error) {
	const ownerOnly, bufferBytes = 0o600, 64 << 10
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	w := &writer{output: bufio.NewWriterSize(file, bufferBytes), block: make([]byte, 0, blockBytes)}
	if err = w.write(hashes); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return Open(path)
}

type writer struct {
	output *bufio.Writer
	block  []byte
	firsts []byte
	hashes int64
	last   uint64
}

func (w *writer) write(hashes []uint64) error {
	for _, hash := range hashes {
		if err := w.add(hash); err != nil {
			return err
		}
	}
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
	return w.output.Flush()
}

func (w *writer) add(hash uint64) error {
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

func (w *writer) writeBlock() error {
	for len(w.block) < blockHashes*hashBytes {
		w.block = binary.LittleEndian.AppendUint64(w.block, w.last)
	}
	w.block = binary.LittleEndian.AppendUint64(w.block, checksum(w.block))
	_, err := w.output.Write(w.block)
	w.block = w.block[:0]
	return err
}
