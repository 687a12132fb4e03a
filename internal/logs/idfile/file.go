package idfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
)

// File is a file that is open for reading. It is mapped into memory.
type File struct {
	path    string
	content []byte
	unmap   func() error
	hashes  int64
	// firsts holds the first hash of each block.
	firsts []byte
}

// ErrDamaged is the error for a file that is incomplete or was changed.
var ErrDamaged = errors.New("is damaged")

// Open opens a file. Callers must close it.
func Open(path string) (_ *File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < trailerBytes || info.Size() > math.MaxInt {
		return nil, fmt.Errorf("%s %w", path, ErrDamaged)
	}
	opened := &File{path: path}
	if opened.content, opened.unmap, err = mapFile(file, int(info.Size())); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if !opened.findFirsts() {
		return nil, errors.Join(fmt.Errorf("%s %w", path, ErrDamaged), opened.Close())
	}
	return opened, nil
}

// findFirsts finds the first hashes of the blocks. It returns false if the end of the file is
// damaged.
func (f *File) findFirsts() bool {
	trailer := f.content[len(f.content)-trailerBytes:]
	hashes := hashAt(trailer, 0)
	if string(trailer[2*hashBytes:]) != mark || hashes > math.MaxInt64/blockBytes {
		return false
	}
	f.hashes = int64(hashes)
	blocks := blocksOf(f.hashes)
	if int64(len(f.content)) != blocks*(blockBytes+hashBytes)+trailerBytes {
		return false
	}
	checked := f.content[blocks*blockBytes : len(f.content)-trailerBytes+hashBytes]
	f.firsts = checked[:blocks*hashBytes]
	return checksum(checked) == hashAt(trailer, 1)
}

// Len returns the number of hashes.
func (f *File) Len() int64 { return f.hashes }

// Name returns the path of the file.
func (f *File) Name() string { return f.path }

// MayHave reports whether the file has a hash. It returns true, too, if that part of the file
// is damaged.
func (f *File) MayHave(hash uint64) bool {
	next := countUpTo(f.firsts, 0, math.MaxUint64, hash)
	if next == 0 {
		return false
	}
	block, err := f.block(next - 1)
	if err != nil {
		return true
	}
	end := uint64(math.MaxUint64)
	if next < f.blocks() {
		end = hashAt(f.firsts, next)
	}
	count := countUpTo(block, hashAt(block, 0), end, hash)
	return count > 0 && hashAt(block, count-1) == hash
}

func (f *File) blocks() int { return len(f.firsts) / hashBytes }

// block returns the hashes of a block.
func (f *File) block(index int) ([]byte, error) {
	block := f.content[index*blockBytes:]
	if checksum(block[:blockHashes*hashBytes]) != binary.LittleEndian.Uint64(block[blockHashes*hashBytes:]) {
		return nil, fmt.Errorf("block %d of %s %w", index, f.path, ErrDamaged)
	}
	return block[:blockHashes*hashBytes], nil
}

// Close closes the file, which must not be used any more.
func (f *File) Close() error { return f.unmap() }

// Check reads the file, and returns [ErrDamaged] if a part of it is damaged.
func (f *File) Check() error {
	for i := range f.blocks() {
		if _, err := f.block(i); err != nil {
			return err
		}
	}
	return nil
}
