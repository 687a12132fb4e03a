package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// durations parses durations as kong does, and days such as 90d.
func durations() kong.Option {
	return kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
			return err
		}
		duration, err := parseDuration(text)
		target.SetInt(int64(duration))
		return err
	}))
}

// parseDuration parses a duration of Go, or a number of days.
func parseDuration(text string) (time.Duration, error) {
	const day, dayBits = 24 * time.Hour, 16
	duration, err := time.ParseDuration(text)
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		var days uint64
		days, err = strconv.ParseUint(number, 10, dayBits)
		duration = time.Duration(days) * day
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 5m or 7d, up to %dd", text, 1<<dayBits-1)
	}
	return duration, nil
}
