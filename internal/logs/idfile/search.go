package idfile

import "sort"

// countUpTo returns how many of the ascending hashes of content are at most a hash. Hashes are
// spread evenly, here between two others, so it looks first where the hash would be, then at
// places ever farther away, until it has passed the hash. These are few places, close together,
// so that they are in the processor's cache.
func countUpTo(content []byte, from, to, hash uint64) int {
	low, high := 0, len(content)/hashBytes // all before low are at most hash, all from high on are larger
	if high == 0 || hash < from {
		return 0
	}
	place := max(min(int(float64(hash-from)/float64(to-from)*float64(high)), high-1), 0)
	if hashAt(content, place) <= hash {
		for step := 1; place < high; step *= 2 {
			if hashAt(content, place) > hash {
				high = place
				break
			}
			low = place + 1
			place += step
		}
	} else {
		for step := 1; place >= 0; step *= 2 {
			if hashAt(content, place) <= hash {
				low = place + 1
				break
			}
			high = place
			place -= step
		}
	}
	return low + sort.Search(high-low, func(i int) bool { return hashAt(content, low+i) > hash })
}
