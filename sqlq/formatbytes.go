package sqlq

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// ParseDuration parses a duration of Go, or a number of days such as 7d.
func ParseDuration(text string) (duration time.Duration, err error) {
	const day, dayBits = 24 * time.Hour, 16
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		var days uint64
		days, err = strconv.ParseUint(number, 10, dayBits)
		duration = time.Duration(days) * day
	} else {
		duration, err = time.ParseDuration(text)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 5m or 7d, up to %dd", text, 1<<dayBits-1)
	}
	return duration, nil
}
