package alert

import "time"

// laneKey names the messages of one alert to one target, which are delivered in their order.
type laneKey struct{ key, target string }

// lane is what a server knows of a lane besides the outbox. It is not stored.
type lane struct {
	// failures is how often in a row the first message could not be delivered, err why, and retryAt when to try again.
	failures int
	err      string
	retryAt  time.Time
	// repeat is a message to send again; nil for none.
	repeat *Entry
}

const (
	firstPause = time.Second
	// longestPause also limits how long a target can ask to wait.
	longestPause = 10 * time.Minute
	// mostFailures take about a day.
	mostFailures = 150
)

// pause returns how long to wait after a number of failures: twice as long each time, and at least
// as long as the target asked for. random is in [0, 1).
func pause(failures int, asked time.Duration, random float64) time.Duration {
	doubled := longestPause
	if failures < 10 {
		doubled = firstPause << max(0, failures-1)
	}
	jittered := time.Duration(float64(min(doubled, longestPause)) * (0.75 + 0.5*random))
	return max(jittered, min(asked, longestPause))
}

// due reports whether a lane can be tried. After the clock went back it can.
func (l *lane) due(now time.Time) bool {
	return !now.Before(l.retryAt) || l.retryAt.Sub(now) > 2*longestPause
}
