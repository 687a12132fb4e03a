package logevent

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"savedq/sqlq"
)

const (
	// minTimestamp and maxTimestamp are the first and last microsecond of the years 0001 to
	// 9999, the range of a warehouse's TIMESTAMP.
	minTimestamp = -62_135_596_800_000_000
	maxTimestamp = 253_402_300_799_999_999

	// longestTimestamp is longer than any timestamp of D11. Errors do not quote longer ones.
	longestTimestamp = 64

	timestampForms = "it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or an integer number of microseconds since 1970"
)

// readTimestamp reads ISO 8601 text or integer microseconds since the epoch.
func readTimestamp(value gjson.Result) (time.Time, error) {
	if len(value.Raw) > longestTimestamp {
		return time.Time{}, errors.New("is too long for a timestamp; " + timestampForms)
	}
	switch value.Type {
	case gjson.String:
		timestamp, err := sqlq.ParseTimestamp(text(value))
		if err != nil {
			return time.Time{}, err
		}
		return timestamp, checkTimestampRange(timestamp.UnixMicro())
	case gjson.Number, gjson.Null: // null does not get here
	case gjson.JSON, gjson.True, gjson.False:
		return time.Time{}, fmt.Errorf("is %s; %s", kindOf(value), timestampForms)
	}
	microseconds, err := strconv.ParseInt(value.Raw, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return time.Time{}, checkTimestampRange(maxTimestamp + 1)
	case err != nil:
		return time.Time{}, fmt.Errorf("%s is not an integer; %s", value.Raw, timestampForms)
	}
	return time.UnixMicro(microseconds).UTC(), checkTimestampRange(microseconds)
}

func checkTimestampRange(microseconds int64) error {
	if microseconds < minTimestamp || microseconds > maxTimestamp {
		return errors.New("is outside the years 0001 to 9999")
	}
	return nil
}
