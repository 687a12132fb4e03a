package sqlq

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
