package sqlq_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Times that are not parameters are absolute, or relative to a time that the caller names.
func TestParseAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.FixedZone("", 2*60*60))
	for text, want := range map[string]string{
		"now": "2026-11-20T08:30:00Z", "now-1d": "2026-11-19T08:30:00Z", "now+2h": "2026-11-20T10:30:00Z", "now 2h": "2026-11-20T10:30:00Z",
		"2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T12:00:00+01:00": "2026-01-31T11:00:00Z",
	} {
		moment, err := sqlq.ParseTimestampAt(text, now)
		require.NoError(t, err, text)
		assert.Equal(t, want, moment.Format(time.RFC3339), text)
	}
	for text, want := range map[string]string{"now": "2026-11-20", "now-9h": "2026-11-19", "now+1w": "2026-11-27", "2026-01-31": "2026-01-31"} {
		day, err := sqlq.ParseDateAt(text, now)
		require.NoError(t, err, text)
		assert.Equal(t, want+"T00:00:00Z", day.Format(time.RFC3339), text)
	}
	for _, text := range []string{"now-1y", "nowhere", "now-", "now-1", "now1d", "yesterday", ""} {
		_, err := sqlq.ParseTimestampAt(text, now)
		require.Error(t, err, text)
		_, err = sqlq.ParseDateAt(text, now)
		require.Error(t, err, text)
	}
}
