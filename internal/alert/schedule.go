package alert

import (
	"hash/fnv"
	"time"
)

// firstWithin is the time within which alerts are first checked after a start or a change.
const firstWithin = time.Minute

// offset returns the part of a period at which an alert is checked. It depends on the alert only, so
// that the alerts are spread over their period and stay at their times.
func offset(key string, period time.Duration) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(key))                      // a hash never returns an error
	return time.Duration(hash.Sum64() % uint64(period)) //nolint:gosec // A period is positive.
}

// first returns the time of the first check of an alert.
func first(key string, every time.Duration, now time.Time) time.Time {
	return now.Add(offset(key, min(every, firstWithin)))
}

// following returns the time of the first regular check after a time.
func following(key string, every time.Duration, now time.Time) time.Time {
	shifted := now.Add(-offset(key, every))
	return shifted.Truncate(every).Add(every + offset(key, every))
}
