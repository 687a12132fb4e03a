// Package bloom is a Bloom filter of hashes.
package bloom

import "math/bits"

// Filter knows which hashes were certainly not added. It is a Bloom filter in blocks
// of half a cache line, so its memory is constant, and with more hashes it is wrong more often: in
// 32 MiB for about one hash in a million of 5 million, one in 3,000 of 15 million, and one in 7
// of 50 million. With one byte per hash it is wrong for about one in 30.
type Filter struct {
	blocks [][blockWords]uint32
}

const (
	blockWords = 8
	blockBytes = blockWords * 4
	// wordBits is the number of bits of a hash that name a bit of a word.
	wordBits = 5
)

// New returns an empty filter of about a number of bytes.
func New(bytes int) *Filter {
	return &Filter{blocks: make([][blockWords]uint32, max(bytes/blockBytes, 1))}
}

// Add adds a hash, whose bits must be random. It reports whether the filter may have had it already.
func (f *Filter) Add(hash uint64) (known bool) {
	block := f.block(hash)
	known = true
	for i := range block {
		bit := uint32(1) << (hash % (1 << wordBits))
		known = known && block[i]&bit != 0
		block[i] |= bit
		hash >>= wordBits
	}
	return known
}

// MayHave reports whether a hash may have been added.
func (f *Filter) MayHave(hash uint64) bool {
	block := f.block(hash)
	for i := range block {
		if block[i]&(1<<(hash%(1<<wordBits))) == 0 {
			return false
		}
		hash >>= wordBits
	}
	return true
}

// block returns the block of a hash, which the high bits name. The low 40 bits name the bits in it.
func (f *Filter) block(hash uint64) *[blockWords]uint32 {
	index, _ := bits.Mul64(hash, uint64(len(f.blocks)))
	return &f.blocks[index]
}
