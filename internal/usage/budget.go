package usage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// Budget limits the work of the engine for one caller. The zero value is no limit.
type Budget struct {
	// Hour and Day are what may be spent in each hour and day of UTC. A zero amount is no
	// limit.
	Hour, Day Amounts
}

// Amounts are what runs of the engine cost.
type Amounts struct {
	// Requests counts requests that started a run.
	Requests int64 `json:"requests,omitempty"`
	// Rows are what the runs returned.
	Rows int64 `json:"rows,omitempty"`
	// Bytes are what the engine bills for.
	Bytes int64 `json:"bytes,omitempty"`
	// EngineTime is how long the runs took.
	EngineTime time.Duration `json:"engine_ns,omitempty"`
}

func (a *Amounts) add(more Amounts) {
	a.Requests += more.Requests
	a.Rows += more.Rows
	a.Bytes += more.Bytes
	a.EngineTime += more.EngineTime
}

// Period is what a budget is for.
type Period string

// The periods of a budget, in UTC.
const (
	Hour Period = "hour"
	Day  Period = "day"
)

// Spending is what was spent of a part of a budget.
type Spending struct {
	Period         Period
	Spent, Allowed Amounts
	// ResetsAt is the end of the period.
	ResetsAt time.Time
}

// exceeded returns a RESOURCE_EXHAUSTED error if nothing is left of one of the amounts.
func (s *Spending) exceeded(now time.Time) error {
	count := func(number int64) string { return strconv.FormatInt(number, 10) }
	for _, amount := range []struct {
		name           string
		spent, allowed int64
		format         func(int64) string
	}{
		{"requests", s.Spent.Requests, s.Allowed.Requests, count},
		{"rows", s.Spent.Rows, s.Allowed.Rows, count},
		{"bytes", s.Spent.Bytes, s.Allowed.Bytes, sqlq.FormatBytes},
		{"engine seconds", int64(s.Spent.EngineTime), int64(s.Allowed.EngineTime), formatSeconds},
	} {
		if amount.allowed == 0 || amount.spent < amount.allowed {
			continue
		}
		wait := max(s.ResetsAt.Sub(now), time.Nanosecond)
		return sqlq.Rejectf(sqlq.ResourceExhausted, wait, "the budget of %s per %s is used up: %s of %s; it resets in %d s, at %s; cached responses are free",
			amount.name, s.Period, amount.format(amount.spent), amount.format(amount.allowed), httpstatus.WholeSeconds(wait), s.ResetsAt.Format(time.RFC3339))
	}
	return nil
}

// formatSeconds formats nanoseconds as seconds with at most one decimal.
func formatSeconds(nanoseconds int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", time.Duration(nanoseconds).Seconds()), ".0")
}
