package googlesql

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A local time becomes the first time in UTC at which the zone's clock shows it, however far the clock is set back.
func TestFirstLocalTime(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t)
	for _, change := range []struct{ zone, utc string }{ // what was set back, and when
		{"Europe/Berlin", "2026-10-25 01:00:00"},
		{"America/New_York", "2026-11-01 06:00:00"},
		{"Australia/Lord_Howe", "2026-04-04 15:00:00"}, // half an hour
		{"Antarctica/Troll", "2026-10-25 01:00:00"},    // two hours
		{"Asia/Pyongyang", "2015-08-14 15:00:00"},      // half an hour, for good
		{"America/Caracas", "2007-12-09 07:00:00"},     // half an hour, for good
		{"Pacific/Kwajalein", "1969-09-30 13:00:00"},   // 23 hours
		{"Europe/Moscow", "2014-10-25 22:00:00"},       // an hour, for good
		{"Pacific/Apia", "2011-12-30 10:00:00"},        // forward, by a day
		{"Europe/Berlin", "2026-03-29 01:00:00"},       // forward, by an hour
	} {
		t.Run(change.zone+" "+change.utc, func(t *testing.T) {
			t.Parallel()
			location, err := time.LoadLocation(change.zone)
			require.NoError(t, err)
			at, err := time.Parse(time.DateTime, change.utc)
			require.NoError(t, err)
			firsts := make(map[string]string) // by local time
			var locals []string
			for utc := at.Add(-30 * time.Hour); utc.Before(at.Add(30 * time.Hour)); utc = utc.Add(15 * time.Minute) {
				local := utc.In(location).Format(time.DateTime)
				if firsts[local] == "" {
					firsts[local] = utc.Format(time.DateTime)
					locals = append(locals, local)
				}
			}
			translation, err := Translate(fmt.Sprintf("SELECT CAST(TIMESTAMP(CAST(x AS DATETIME), '%s') AS STRING) AS first FROM UNNEST(['%s']) AS x WITH OFFSET AS o ORDER BY o",
				change.zone, strings.Join(locals, "', '")), Environment{})
			require.NoError(t, err)
			rows, err := db.QueryContext(t.Context(), translation.SQL)
			require.NoError(t, err)
			defer func() { assert.NoError(t, rows.Close()) }()
			for i := 0; rows.Next(); i++ {
				var first string
				require.NoError(t, rows.Scan(&first))
				assert.Equal(t, firsts[locals[i]]+"+00", first, locals[i])
			}
			require.NoError(t, rows.Err())
		})
	}
}
