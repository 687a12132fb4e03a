package logevent

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

const (
	// minTimestamp and maxTimestamp are the first and last microsecond of the years 0001 to
	// 9999, the range of a warehouse's TIMESTAMP.
	minTimestamp = -62_135_596_800_000_000
	maxTimestamp = 253_402_300_799_999_999

	// longestTimestamp is longer than any timestamp of D11. Errors do not quote longer ones.
	longestTimestamp = 64

	timestampForms = "it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"
)

// readTimestamp reads ISO 8601 text, or a number since the epoch, the magnitude of whose whole part
// gives its unit (D35, D41).
func readTimestamp(raw value) (time.Time, error) {
	if len(raw) > longestTimestamp {
		return time.Time{}, errors.New("is too long for a timestamp; " + timestampForms)
	}
	switch raw[0] {
	case '"':
		timestamp, err := sqlq.ParseTimestamp(unquote(raw))
		if err != nil {
			return time.Time{}, err
		}
		return timestamp, checkTimestampRange(timestamp.UnixMicro())
	case '{', '[', 't', 'f':
		return time.Time{}, fmt.Errorf("is %s; %s", raw.kind(), timestampForms)
	}
	whole, fraction, _ := strings.Cut(string(raw), ".")
	number, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return time.Time{}, checkTimestampRange(maxTimestamp + 1)
	case err != nil || strings.ContainsAny(fraction, "eE"):
		return time.Time{}, fmt.Errorf("%s is not a plain number; %s", raw, timestampForms)
	}
	part := fractionOf(fraction, unitOf(number))
	if whole[0] == '-' {
		part = -part
	}
	microseconds := toMicroseconds(number) + part
	return time.UnixMicro(microseconds).UTC(), checkTimestampRange(microseconds)
}

// toMicroseconds converts a number of an unknown unit (D35).
func toMicroseconds(number int64) int64 {
	if unit := unitOf(number); unit > 0 {
		return number * unit
	}
	return time.Unix(0, number).UnixMicro() // without what is finer
}

// unitOf returns the unit of a number in microseconds; 0 for nanoseconds. Today's times have 10
// digits in seconds, 13 in milliseconds, 16 in microseconds and 19 in nanoseconds. One digit more
// still is of the same unit.
func unitOf(number int64) int64 {
	const endOfSeconds, endOfMilliseconds, endOfMicroseconds = int64(1e11), int64(1e14), int64(1e17)
	switch magnitude := max(number, -number); {
	case magnitude < 0: // the least integer, which has no magnitude
	case magnitude < endOfSeconds:
		return 1_000_000
	case magnitude < endOfMilliseconds:
		return 1_000
	case magnitude < endOfMicroseconds:
		return 1
	}
	return 0
}

// fractionOf returns the microseconds of the digits after the point of a number of a unit, cut to
// whole ones.
func fractionOf(digits string, unit int64) int64 {
	microseconds := int64(0)
	for _, digit := range digits {
		unit /= 10
		microseconds += int64(digit-'0') * unit
	}
	return microseconds
}

func checkTimestampRange(microseconds int64) error {
	if microseconds < minTimestamp || microseconds > maxTimestamp {
		return errors.New("is outside the years 0001 to 9999")
	}
	return nil
}
