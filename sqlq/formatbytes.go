package sqlq

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// ParseBytes parses a number of bytes such as 10GiB, 500 MB or 1000. Units with an i are powers
// of 1024, others of 1000.
func ParseBytes(text string) (int64, error) {
	parts := regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(?:([KMGTP])(i?))?B?$`).FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%q is not a size such as 10GiB", text)
	}
	number, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size such as 10GiB", text)
	}
	base := 1000.0
	if parts[3] != "" {
		base = 1024
	}
	if unit := parts[2]; unit != "" {
		number *= math.Pow(base, float64(1+strings.Index("KMGTP", unit)))
	}
	if number >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is out of range", text)
	}
	return int64(number), nil
}

// FormatBytes formats a number of bytes for people: in the largest unit of 1024 that
// fits, with at most one decimal.
func FormatBytes(bytes int64) string {
	const step = 1024
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	size, unit := float64(bytes), 0
	for math.Round(size*10)/10 >= step && unit < len(units)-1 {
		size /= step
		unit++
	}
	return strconv.FormatFloat(math.Round(size*10)/10, 'f', -1, 64) + " " + units[unit]
}
