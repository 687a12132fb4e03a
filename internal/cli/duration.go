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
		if err != nil {
			return err
		}
		target.SetInt(int64(duration))
		return nil
	}))
}

// parseDuration parses a duration of Go, or a number of days.
func parseDuration(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		days, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number of days such as 90d", text)
		}
		return time.Duration(days) * day, nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 5m or 7d", text)
	}
	return duration, nil
}
