package cli

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
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

// maxDays is how many days a [time.Duration] can have.
const maxDays = int64(math.MaxInt64 / (24 * time.Hour))

func tooLong(text string) error {
	return fmt.Errorf("%s is too long; use at most %dd", text, maxDays)
}

// parseDuration parses a duration of Go, or a number of days.
func parseDuration(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		days, err := strconv.ParseInt(number, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) && number[0] != '-', err == nil && days > maxDays:
			return 0, tooLong(text)
		case err != nil || days < 0:
			return 0, fmt.Errorf("%q is not a number of days such as 90d", text)
		}
		return time.Duration(days) * day, nil
	}
	duration, err := time.ParseDuration(text)
	switch {
	case err == nil:
		return duration, nil
	case regexp.MustCompile(`^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`).MatchString(text):
		return 0, tooLong(text)
	}
	return 0, fmt.Errorf("%q is not a duration such as 30s, 5m or 7d", text)
}
