package cli

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// byteSize is a number of bytes that is written like 10GiB, 500 MB or 1000.
type byteSize int64

// UnmarshalText parses a size. Units with an i are powers of 1024, others of 1000.
func (s *byteSize) UnmarshalText(text []byte) error {
	parts := regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(?:([KMGTP])(i?))?B?$`).FindSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%q is not a size such as 10GiB", text)
	}
	number, err := strconv.ParseFloat(string(parts[1]), 64)
	if err != nil {
		return fmt.Errorf("%q is not a size such as 10GiB", text)
	}
	base := 1000.0
	if len(parts[3]) > 0 {
		base = 1024
	}
	if unit := string(parts[2]); unit != "" {
		number *= math.Pow(base, float64(1+strings.Index("KMGTP", unit)))
	}
	if number >= math.MaxInt64 {
		return fmt.Errorf("%q is out of range", text)
	}
	*s = byteSize(number)
	return nil
}

// String returns the size in a readable unit.
func (s byteSize) String() string { return sqlq.FormatBytes(int64(s)) }
