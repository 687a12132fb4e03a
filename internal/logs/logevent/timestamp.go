package logevent

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"savedq/internal/text/jsontext"
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

// ReadTimestamp reads ISO 8601 text, or a number since the epoch, the magnitude of whose whole part
// gives its unit (D35, D41). With 18 digits or more it is in nanoseconds, whose last three are cut off.
func ReadTimestamp(raw jsontext.Value) (time.Time, error) {
	if len(raw) > longestTimestamp {
		return time.Time{}, errors.New("is too long for a timestamp; " + timestampForms)
	}
	switch raw[0] {
	case '"':
		timestamp, err := sqlq.ParseTimestamp(jsontext.Unquote(raw))
		if err != nil {
			return time.Time{}, err
		}
		return timestamp, checkTimestampRange(timestamp.UnixMicro())
	case '{', '[', 't', 'f':
		return time.Time{}, fmt.Errorf("is %s; %s", raw.Kind(), timestampForms)
	}
	if strings.ContainsAny(string(raw), "eE") {
		return time.Time{}, fmt.Errorf("%s is not a plain number; %s", raw, timestampForms)
	}
	const nanosecondDigits, finer = 18, 3
	whole, fraction, _ := strings.Cut(string(raw), ".")
	if len(strings.TrimPrefix(whole, "-")) >= nanosecondDigits {
		whole = whole[:len(whole)-finer]
	}
	number, err := strconv.ParseInt(whole, 10, 63) // so that -number is in range
	if err != nil {
		return time.Time{}, checkTimestampRange(maxTimestamp + 1)
	}
	unit := unitOf(number)
	part := fractionOf(fraction, unit)
	if whole[0] == '-' {
		part = -part
	}
	microseconds := number*unit + part
	return time.UnixMicro(microseconds).UTC(), checkTimestampRange(microseconds)
}

// unitOf returns the unit of a number in microseconds. Today's times have 10 digits in seconds, 13 in
// milliseconds and 16 in microseconds. One more digit does not change the unit.
func unitOf(number int64) int64 {
	const endOfSeconds, endOfMilliseconds = int64(1e11), int64(1e14)
	switch magnitude := max(number, -number); {
	case magnitude < endOfSeconds:
		return 1_000_000
	case magnitude < endOfMilliseconds:
		return 1_000
	default:
		return 1
	}
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
