package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/series"
)

// Without known changes there is a whole run in each caching time, and the next run is whole after
// the clock was set back. Requests cannot show that, because entries expire by a clock that is
// never set back.
func TestWholeIsDue(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{Cache: 15 * time.Minute, Warm: 5 * time.Minute}
	whole := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	entry := &cache.Entry{Series: &series.State{Whole: whole}}
	for passed, want := range map[time.Duration]bool{0: false, 10 * time.Minute: false, 11 * time.Minute: true, time.Hour: true, -time.Second: true, -time.Hour: true} {
		assert.Equal(t, want, wholeIsDue(query, entry, whole.Add(passed)), passed)
	}
}
