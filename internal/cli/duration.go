package cli

import (
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"savedq/sqlq"
)

// durations parses durations as kong does, and days such as 90d.
func durations() kong.Option {
	return kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
			return err
		}
		duration, err := sqlq.ParseDuration(text)
		target.SetInt(int64(duration))
		return err
	}))
}
