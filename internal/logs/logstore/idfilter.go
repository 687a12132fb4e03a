package logstore

import "math/bits"

// idFilter knows which ids were certainly not added. It is a Bloom filter in blocks
// of half a cache line, so its memory is constant, and with more ids it is wrong more often: in
// 32 MiB for about one id in a million of 5 million ids, one in 3,000 of 15 million, and one in 7
// of 50 million.
type idFilter struct {
	blocks [][filterWords]uint32
}

const (
	filterWords      = 8
	filterBlockBytes = filterWords * 4
)

func newIDFilter(size int) *idFilter {
	return &idFilter{blocks: make([][filterWords]uint32, max(size/filterBlockBytes, 1))}
}

// add adds the hash of an id. It reports whether the filter may have had it already.
func (f *idFilter) add(hash uint64) (known bool) {
	index, _ := bits.Mul64(hash, uint64(len(f.blocks)))
	block := &f.blocks[index]
	known = true
	// An odd factor per word turns the low half of the hash into one bit of the word.
	for i, factor := range [filterWords]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31} {
		const wordBits = 5
		bit := uint32(1) << (uint32(hash) * factor >> (32 - wordBits)) //nolint:gosec // The low half is meant.
		known = known && block[i]&bit != 0
		block[i] |= bit
	}
	return known
}
