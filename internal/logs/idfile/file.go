package idfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
)

// File is a file that is open for reading. It is not safe for concurrent use.
type File struct {
	file   *os.File
	hashes int64
	// firsts holds the first hash of each block.
	firsts []uint64
	block  []byte
}

// ErrDamaged is the error for a file that is incomplete or was changed.
var ErrDamaged = errors.New("is damaged")

// Open opens a file. Callers must close it.
func Open(path string) (_ *File, err error) {
	file, err := os.Open(path) //nolint:gosec // The store names its files.
	if err != nil {
		return nil, err
	}
	opened := &File{file: file, block: make([]byte, blockBytes)}
	if err := opened.readFirsts(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), file.Close())
	}
	return opened, nil
}

func (f *File) readFirsts() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	trailer := make([]byte, trailerBytes)
	if _, err := f.file.ReadAt(trailer, max(info.Size()-trailerBytes, 0)); err != nil {
		return err
	}
	hashes, sum := hashAt(trailer, 0), hashAt(trailer, 1)
	if string(trailer[2*hashBytes:]) != mark || hashes > math.MaxInt64/blockBytes {
		return ErrDamaged
	}
	f.hashes = int64(hashes) //nolint:gosec // It was checked.
	blocks := blocksOf(f.hashes)
	if info.Size() != blocks*(blockBytes+hashBytes)+trailerBytes {
		return ErrDamaged
	}
	content := make([]byte, (blocks+1)*hashBytes)
	if _, err := f.file.ReadAt(content, blocks*blockBytes); err != nil {
		return err
	}
	if checksum(content) != sum {
		return ErrDamaged
	}
	f.firsts = make([]uint64, blocks)
	for i := range f.firsts {
		f.firsts[i] = hashAt(content, i)
	}
	return nil
}

// Len returns the number of hashes.
func (f *File) Len() int64 { return f.hashes }

// Name returns the path of the file.
func (f *File) Name() string { return f.file.Name() }

// MayHave reports whether the file has a hash. It returns true, too, if that part of the file
// is damaged or cannot be read.
func (f *File) MayHave(hash uint64) bool {
	next := sort.Search(len(f.firsts), func(i int) bool { return f.firsts[i] > hash })
	if next == 0 {
		return false
	}
	if err := f.readBlock(next - 1); err != nil {
		return true
	}
	index := sort.Search(blockHashes, func(i int) bool { return hashAt(f.block, i) >= hash })
	return index < blockHashes && hashAt(f.block, index) == hash
}

// readBlock reads a block into f.block.
func (f *File) readBlock(index int) error {
	if _, err := f.file.ReadAt(f.block, int64(index)*blockBytes); err != nil {
		return err
	}
	if checksum(f.block[:blockHashes*hashBytes]) != binary.LittleEndian.Uint64(f.block[blockHashes*hashBytes:]) {
		return fmt.Errorf("block %d of %s %w", index, f.file.Name(), ErrDamaged)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
