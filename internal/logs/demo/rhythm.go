package demo

import (
	"math"
	"time"
)

// The rhythm's numbers make its average over a week exactly 1, for any hour of
// the peak, so that the size of a week depends on the streams' rates alone. The
// square of a raised cosine averages 3/8 over a day.
const (
	// night is what is left of the average traffic in the quietest minute.
	night = 0.35
	// swing is what the busiest minute of a day has beyond that.
	swing = (1 - night) / (3.0 / 8)
	// weekend is the share of its traffic that a day keeps on Saturday and
	// Sunday; workday makes up for the rest.
	weekend = 0.6
	workday = (7 - 2*weekend) / 5
)

// rhythm returns how busy a project whose day peaks at the hour given is in the
// minute: 1 is the average of the week. Nights are quiet, afternoons busy, and
// weekends dip.
func rhythm(minute time.Time, peakHour float64) float64 {
	hour := float64(minute.Hour()) + float64(minute.Minute())/60
	bump := (1 + math.Cos((hour-peakHour)*math.Pi/12)) / 2
	level := night + swing*bump*bump
	if day := minute.Weekday(); day == time.Saturday || day == time.Sunday {
		return level * weekend
	}
	return level * workday
}

// incident is an hour in which a project's database is out of breath: requests
// are slow and many fail. It comes back every week at the same time, so that any
// seven days hold exactly sixty minutes of it.
type incident struct {
	weekday time.Weekday
	hour    int
}

// newIncident chooses an office hour of a working day.
func newIncident(key uint64) incident {
	return incident{
		weekday: time.Monday + time.Weekday(key%5),
		hour:    9 + int(key/5%8),
	}
}

func (i incident) covers(at time.Time) bool {
	return at.Weekday() == i.weekday && at.Hour() == i.hour
}
