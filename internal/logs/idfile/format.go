// Package idfile stores sets of 64-bit hashes of ids in sorted files, which are read in place.
//
// A file consists of blocks, the first hash of each block, and a trailer. A block has up to 63
// hashes in ascending order, the last one repeated if there are fewer, and their checksum. All
// numbers are little-endian.
package idfile

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	hashBytes = 8
	// blockHashes is the number of hashes of a block, and blockBytes its length with the checksum.
	blockHashes = 63
	blockBytes  = (blockHashes + 1) * hashBytes
	// trailerBytes is the length of the number of hashes, the checksum of that and of the first
	// hashes, and the mark.
	trailerBytes = 3 * hashBytes
	mark         = "savedqi2"
)

func checksum(content []byte) uint64 {
	return uint64(crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))) // the table is made once
}

// blocksOf returns the number of blocks for a number of hashes.
func blocksOf(hashes int64) int64 { return (hashes + blockHashes - 1) / blockHashes }

func hashAt(content []byte, index int) uint64 {
	return binary.LittleEndian.Uint64(content[index*hashBytes:])
}
