package alert

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// Each check is an outcome, and perhaps the time since the one before; the states follow.
func TestStates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		needed       int
		checks, want string
	}{
		"at once":                             {1, "unmet met met unmet", "ok firing firing ok"},
		"after two":                           {2, "met met unmet met unmet", "pending firing ok pending ok"},
		"no data":                             {2, "no_data no_data met met", "pending no_data pending firing"},
		"a failure while firing":              {2, "met met failed met failed failed met", "pending firing firing firing firing failing pending"},
		"a failure while there is no data":    {2, "no_data no_data failed no_data unmet", "pending no_data no_data no_data ok"},
		"no data while firing":                {2, "met met no_data no_data", "pending firing firing no_data"},
		"no data while failing":               {2, "failed failed no_data failed", "pending failing pending pending"},
		"a step back does not fire twice":     {1, "met met@-2h met@3h", "firing firing firing"},
		"checks before a gap do not count":    {2, "met met@5m met", "pending pending firing"},
		"late checks count":                   {2, "met met@3m", "pending firing"},
		"checks after a step back are others": {2, "met met@-2h met", "pending pending firing"},
		"a small step back is none":           {2, "met met@-1s", "pending firing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
			status, states := Status{State: Unknown}, []string(nil)
			for check := range strings.FieldsSeq(test.checks) {
				outcome, gap, given := strings.Cut(check, "@")
				elapsed := time.Minute
				if given {
					elapsed, _ = time.ParseDuration(gap)
				}
				now = now.Add(elapsed)
				before := status
				status = status.after(Outcome(outcome), now, &sqlq.Alert{Every: time.Minute, For: test.needed})
				if before.State == status.State {
					assert.Equal(t, before.Since, status.Since)
				} else {
					assert.Equal(t, now, status.Since)
				}
				states = append(states, string(status.State))
			}
			assert.Equal(t, test.want, strings.Join(states, " "))
		})
	}
}
