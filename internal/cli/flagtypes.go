package cli

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"savedq/sqlq"
)

// byteSize is a number of bytes that is written like 10GiB, 500 MB or 1000.
type byteSize int64

// UnmarshalText parses a size; see [sqlq.ParseBytes].
func (s *byteSize) UnmarshalText(text []byte) error {
	bytes, err := sqlq.ParseBytes(string(text))
	if err == nil {
		*s = byteSize(bytes)
	}
	return err
}

// String returns the size in a readable unit.
func (s byteSize) String() string { return sqlq.FormatBytes(int64(s)) }

// or returns the size of a flag, or another one if it is not set.
func (s *byteSize) or(unset int64) int64 {
	if s == nil {
		return unset
	}
	return int64(*s)
}

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

// basePath is what begins all paths of a server, such as /savedq; empty for nothing.
type basePath string

// basePaths matches paths that need no escaping.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// UnmarshalText accepts a path, with or without a slash at its end.
func (p *basePath) UnmarshalText(text []byte) error {
	value := strings.TrimSuffix(string(text), "/")
	if !basePaths.MatchString(value) || value != "" && path.Clean(value) != value {
		return fmt.Errorf("%q is not a path such as /savedq: it must begin with a slash, and each part, not . or .., must have only letters, digits and the characters ._~-", text)
	}
	*p = basePath(value)
	return nil
}
