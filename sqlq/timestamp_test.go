package sqlq_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// D11: what is read, and what it means.
func TestParseTimestampReadsISO8601(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"2026-11-20":                          "2026-11-20T00:00:00Z",
		"2026-11-20T10:20":                    "2026-11-20T10:20:00Z",
		"2026-11-20 10:20":                    "2026-11-20T10:20:00Z",
		"2026-11-20T10:20:30":                 "2026-11-20T10:20:30Z",
		"2026-11-20T10:20:30Z":                "2026-11-20T10:20:30Z",
		"2026-11-20T10:20Z":                   "2026-11-20T10:20:00Z",
		"2026-11-20T10:20:30.5Z":              "2026-11-20T10:20:30.5Z",
		"2026-11-20T10:20:30.123456Z":         "2026-11-20T10:20:30.123456Z",
		"2026-11-20T10:20:30.123456789Z":      "2026-11-20T10:20:30.123456Z",
		"2026-11-20T10:20:30.999999999+00:00": "2026-11-20T10:20:30.999999Z",
		"2026-11-20T10:20:30+02:00":           "2026-11-20T08:20:30Z",
		"2026-11-20T10:20:30-0530":            "2026-11-20T15:50:30Z",
		"2026-11-20T10:20:30+02":              "2026-11-20T08:20:30Z",
		"2026-11-20T10:20:30 02:00":           "2026-11-20T08:20:30Z",
		"2026-11-20 10:20:30 0200":            "2026-11-20T08:20:30Z",
		"2026-11-20 10:20 02":                 "2026-11-20T08:20:00Z",
		"2024-02-29T23:59:59-01:00":           "2024-03-01T00:59:59Z",
		"2026-01-01T00:30:00+01:00":           "2025-12-31T23:30:00Z",
		"1969-12-31T23:59:59.9999999Z":        "1969-12-31T23:59:59.999999Z",
		"0001-01-01":                          "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999999Z":         "9999-12-31T23:59:59.999999Z",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := sqlq.ParseTimestamp(text)
			require.NoError(t, err)
			assert.Equal(t, want, got.Format(time.RFC3339Nano))
			assert.Equal(t, time.UTC, got.Location())
		})
	}
}

// D11: anything else is an error with a good example.
func TestParseTimestampRejectsOtherFormats(t *testing.T) {
	t.Parallel()
	tests := []string{
		"yesterday", "2026", "2026-11", "2026-11-2", "20261120", "2026-13-01", "2026-02-29", "2026-11-31", "2026-00-10",
		"2026-11-20T", "2026-11-20T10", "2026-11-20T10:60", "2026-11-20T24:00", "2026-11-20T10:20:60", "2026-11-20T10:20:30.",
		"2026-11-20T10:20:30.1234567890Z", "2026-11-20T10:20:30,5Z", "2026-11-20T10:20:30z", "2026-11-20t10:20:30Z",
		"2026-11-20T10:20:30+2", "2026-11-20T10:20:30+24:00", "2026-11-20T10:20:30+02:60", "2026-11-20T10:20:30++02:00",
		"2026-11-20T10:20:30ZZ", "2026-11-20T10:20:30  02:00", " 2026-11-20", "2026-11-20 ", "2026-11-20Z", "-2026-11-20",
		"0000-12-31", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "２０２６-11-20", "1763632800000000", "",
	}
	for _, text := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := sqlq.ParseTimestamp(text)
			require.ErrorContains(t, err, "use for example 2026-11-20T10:00:00Z")
		})
	}
}

func FuzzParseTimestamp(f *testing.F) {
	for _, seed := range []string{"2026-11-20T10:20:30.123456789 02:00", "2024-02-29", "0001-01-01T00:00+23:59", "2026-11-20T10:20:30-0530"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		timestamp, err := sqlq.ParseTimestamp(text)
		if err != nil {
			return
		}
		assert.Equal(t, timestamp, timestamp.Truncate(time.Microsecond))
		again, err := sqlq.ParseTimestamp(timestamp.Format(time.RFC3339Nano))
		require.NoError(t, err)
		assert.Equal(t, timestamp, again)
	})
}
