package reference

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMessagesOf(t *testing.T) {
	t.Parallel()
	const name = "f.go"
	for call, want := range map[string]message{
		`logger.Info("started")`: {level: "info", text: "started"},
		`s.config.Logger.ErrorContext(ctx, "broken", slog.Any("error", err))`:             {level: "error", text: "broken", keys: []string{"error"}},
		`l.LogAttrs(ctx, slog.LevelDebug, "served", slog.String(key, v), slog.Int(k, 1))`: {level: "debug", text: "served", keys: []string{"rows"}},
		`l.LogAttrs(ctx, failure.Level(), "failed")`:                                      {level: "error or warn", text: "failed"},
		`slog.NewRecord(now, slog.LevelInfo, constant, 0)`:                                {level: "info", text: "a constant"},
		`slog.New(handler).Warn("dropped", attrs...)`:                                     {level: "warn", text: "dropped"},
		`k.warn(ctx, err, "not deleted")`:                                                 {level: "warn", text: "not deleted"},
		`logger.Warn("the variable "+other.Name+" is weak")`:                              {level: "warn", text: "the variable … is weak"},
	} {
		source := "package p\nconst constant, key = \"a constant\", \"rows\"\nfunc f() { " + call + " }"
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		assert.Equal(t, []message{want}, messagesOf(file), call)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, "package p\nfunc f() { http.Error(w, \"gone\", 410); return err.Error() }", parser.SkipObjectResolution)
	require.NoError(t, err)
	assert.Empty(t, messagesOf(file))
}
