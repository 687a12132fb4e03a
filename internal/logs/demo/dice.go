package demo

import (
	"encoding/binary"
	"fmt"
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
	generator *rand.ChaCha8
}

func newDice() *dice {
	generator := rand.NewChaCha8([32]byte{})
	return &dice{Rand: rand.New(generator), generator: generator} //nolint:gosec // Demo logs must be repeatable, not secret.
}

// seed starts the random sequence of a key and a minute.
func (d *dice) seed(key uint64, minute time.Time) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], key)
	binary.LittleEndian.PutUint64(seed[8:], uint64(minute.Unix())) //nolint:gosec // The bits matter here, not the sign.
	d.generator.Seed(seed)
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

// hex returns 1 to 16 lower-case hexadecimal digits.
func (d *dice) hex(digits int) string { return fmt.Sprintf("%016x", d.Uint64())[:digits] }

// uuid returns a random UUID (version 4).
func (d *dice) uuid() uuid.UUID {
	return uuid.Must(uuid.NewRandomFromReader(d.generator)) // reading random numbers does not fail
}

// eventID returns a UUID of version 7. It begins with the event's time, so the ids of a
// source ascend with its events and a store's index grows at its end.
func (d *dice) eventID(at time.Time) string {
	id := d.uuid()
	milliseconds := uint64(at.UnixMilli())
	binary.BigEndian.PutUint64(id[:], milliseconds<<16|7<<12|d.Uint64()&0xfff)
	return id.String()
}

// address returns an IP address in a range that RFC 5737 reserves for documentation.
func (d *dice) address() string {
	network := pick(d, []string{"192.0.2.", "198.51.100.", "203.0.113."})
	return network + strconv.Itoa(d.between(1, 254))
}

// pick returns one of the values, each as likely as the others.
func pick[T any](d *dice, values []T) T { return values[d.IntN(len(values))] }
