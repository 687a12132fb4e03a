package demo

import "time"

// hours is how long the older of the sessions and connections have lasted.
const hours = 6 * time.Hour

// upTo returns a time span of whole seconds, from one second to the longest.
func (s *scene) upTo(longest time.Duration) time.Duration {
	return time.Duration(s.dice.between(1, int(longest/time.Second))) * time.Second
}
