package demo

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// dice is the random source of one minute. It is seeded for each minute, so its numbers
// depend only on the seed.
type dice struct {
	*rand.Rand
	generator *rand.PCG
}

func newDice() *dice {
	generator := rand.NewPCG(0, 0)
	return &dice{Rand: rand.New(generator), generator: generator} //nolint:gosec // Demo logs must be repeatable, not secret.
}

// seed starts the random sequence of a key and a minute.
func (d *dice) seed(key uint64, minute time.Time) {
	number := uint64(minute.Unix()) //nolint:gosec // The bits matter here, not the sign.
	d.generator.Seed(mix(key, number), mix(number, key))
}

// mix hashes two numbers into one. PCG needs it, because its sequences of neighbouring
// seeds begin alike. It is the finalizer of SplitMix64.
func mix(a, b uint64) uint64 {
	x := a ^ (b+0x9e3779b97f4a7c15)*0xd1342543de82ef95
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance reports true with a probability.
func (d *dice) chance(probability float64) bool { return d.Float64() < probability }

// between returns a whole number from low to high, both included.
func (d *dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// poisson returns a Poisson-distributed number. The method is Knuth's. Its cost grows with
// the mean, which stays below 50 here.
func (d *dice) poisson(mean float64) int {
	if mean <= 0 {
		return 0
	}
	limit, product, count := math.Exp(-mean), d.Float64(), 0
	for product > limit {
		product *= d.Float64()
		count++
	}
	return count
}

// logNormal returns a log-normal value: latencies and sizes of real systems have
// a median, and a tail that grows with the spread.
func (d *dice) logNormal(median, spread float64) float64 {
	return median * math.Exp(spread*d.NormFloat64())
}

// hex returns 4 to 16 lower-case hexadecimal digits.
func (d *dice) hex(digits int) string {
	const alphabet = "0123456789abcdef"
	var text [16]byte
	for i, bits := 0, d.Uint64(); i < digits; i, bits = i+1, bits>>4 {
		text[i] = alphabet[bits&15]
	}
	return string(text[:digits])
}

// uuid returns a random UUID (version 4).
func (d *dice) uuid() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], d.Uint64())
	binary.BigEndian.PutUint64(id[8:], d.Uint64())
	return stamp(id, 4)
}

// eventID returns a UUID of version 7: it begins with the event's time, so the
// ids of a source ascend with its events and a store's index grows at its end.
func (d *dice) eventID(at time.Time) string {
	var id uuid.UUID
	milliseconds := uint64(at.UnixMilli())
	binary.BigEndian.PutUint64(id[:8], milliseconds<<16|d.Uint64()&0xffff)
	binary.BigEndian.PutUint64(id[8:], d.Uint64())
	return stamp(id, 7)
}

// stamp writes the version and the variant of RFC 9562 into the UUID.
func stamp(id uuid.UUID, version byte) string {
	id[6] = id[6]&0x0f | version<<4
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// address returns an IP address in a range that RFC 5737 reserves for documentation.
func (d *dice) address() string {
	network := pick(d, []string{"192.0.2.", "198.51.100.", "203.0.113."})
	return network + strconv.Itoa(d.between(1, 254))
}

// pick returns one of the values, each as likely as the others.
func pick[T any](d *dice, values []T) T { return values[d.IntN(len(values))] }

// weighted is a set of values of which some are likelier than others.
type weighted[T any] struct {
	values []T
	// sums holds the sum of the weights up to and with each value.
	sums []int
}

// add appends a value that is drawn weight times as often as one of weight 1.
func (w *weighted[T]) add(weight int, value T) {
	sum := weight
	if len(w.sums) > 0 {
		sum += w.sums[len(w.sums)-1]
	}
	w.values = append(w.values, value)
	w.sums = append(w.sums, sum)
}

// draw returns one of the values. The sets are short, so looking from the front
// is as fast as anything cleverer.
func (w *weighted[T]) draw(d *dice) T {
	throw, index := d.IntN(w.sums[len(w.sums)-1]), 0
	for w.sums[index] <= throw {
		index++
	}
	return w.values[index]
}
