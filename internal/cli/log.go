package cli

import (
	"fmt"
	"log/slog"

	"savedq/internal/observe/logging"
	"savedq/internal/observe/requestlog"
)

// logFlags configure the log.
type logFlags struct {
	LogLevel  logLevel `default:"info" placeholder:"LEVEL" help:"Lowest level to log: debug, info, warn or error. At debug, the log contains argument values. Default: ${default}."`
	LogFormat string   `enum:"auto,json,text" default:"auto" placeholder:"FORMAT" help:"Format of the log: ${enum}; auto is text on a terminal and JSON elsewhere. Default: ${default}."`
}

// logLevel is a level of the log.
type logLevel slog.Level

// UnmarshalText parses the name of a level, in any letter case.
func (l *logLevel) UnmarshalText(text []byte) error {
	if err := (*slog.Level)(l).UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is not a level; use debug, info, warn or error", text)
	}
	return nil
}

// log opens the log. Lines about a request carry its id and the name of its token.
func (f *logFlags) log(term *terminal) *logging.Log {
	return logging.New(term.stderr, logging.Format(f.LogFormat), slog.Level(f.LogLevel), requestlog.LogHandler)
}
