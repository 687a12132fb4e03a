package cli

import (
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

// durations parses durations as kong does, but with an example in the error.
func durations() kong.Option {
	return kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
			return err
		}
		duration, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 30s or 5m", text)
		}
		target.SetInt(int64(duration))
		return nil
	}))
}
