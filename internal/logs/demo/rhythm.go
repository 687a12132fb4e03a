package demo

import (
	"math"
	"time"
)

// With these numbers rhythm averages exactly 1 over a week, for any peak hour. So only the
// streams' rates determine how many events a week has. The square of a raised cosine
// averages 3/8 over a day.
const (
	// night is the traffic of the quietest minute.
	night = 0.35
	// swing is the additional traffic of the busiest minute.
	swing = (1 - night) / (3.0 / 8)
	// weekend is the factor for Saturdays and Sundays; workday compensates for it.
	weekend = 0.6
	workday = (7 - 2*weekend) / 5
)

// rhythm returns the traffic of a minute relative to the average of the week, for a
// project with a peak hour. Nights are quiet, afternoons are busy, and weekends dip.
func rhythm(minute time.Time, peakHour float64) float64 {
	hour := float64(minute.Hour()) + float64(minute.Minute())/60
	bump := (1 + math.Cos((hour-peakHour)*math.Pi/12)) / 2
	level := night + swing*bump*bump
	if day := minute.Weekday(); day == time.Saturday || day == time.Sunday {
		return level * weekend
	}
	return level * workday
}

// incident is an hour of the week in which a project's database is overloaded: requests
// are slow and many fail. Any seven days include sixty minutes of it.
type incident int

// newIncident chooses an office hour of a working day.
func newIncident(key uint64) incident {
	return incident((1+key%5)*24 + 9 + key/5%8)
}

func (i incident) covers(at time.Time) bool { return int(at.Weekday())*24+at.Hour() == int(i) }
