package cli

import (
	"log/slog"

	"savedq/internal/logging"
	"savedq/internal/requestlog"
)

// logFlags say what is logged, and how.
type logFlags struct {
	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"Least level that is logged: debug, which holds the values of arguments, info, warn or error. Default: ${default}."`
	LogFormat string     `enum:"auto,json,text" default:"auto" placeholder:"FORMAT" help:"Format of the log: ${enum}; auto is text on a terminal and JSON elsewhere. Default: ${default}."`
}

// log opens the log. Each line of a request has its id and the name of its token.
func (f *logFlags) log(term *terminal) *logging.Log {
	return logging.New(term.stderr, logging.Format(f.LogFormat), f.LogLevel, requestlog.LogHandler)
}
