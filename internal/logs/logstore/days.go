package logstore

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"savedq/internal/logs/parts"
)

// days are consecutive days in UTC, as numbers since 1970: those from one to before another. The zero value means all days.
type days struct{ from, to int64 }

const microsecondsPerDay = int64(24 * time.Hour / time.Microsecond)

// dayOf returns the number of the day of a time.
func dayOf(at time.Time) int64 {
	micros := at.UnixMicro()
	if micros < 0 {
		micros -= microsecondsPerDay - 1
	}
	return micros / microsecondsPerDay
}

// daysOf returns the days from the oldest to the newest event of a part, which has events.
func daysOf(part *parts.Part) (of days) {
	for i, source := range part.Sources {
		oldest, newest := dayOf(source.Oldest), dayOf(source.Newest)
		if i == 0 {
			of = days{oldest, newest + 1}
		}
		of = days{min(of.from, oldest), max(of.to, newest+1)}
	}
	return of
}

func (d days) count() int64 { return d.to - d.from }

func (d days) overlaps(other days) bool { return d.from < other.to && other.from < d.to }

func (d days) compare(other days) int { return cmp.Compare(d.from, other.from) }

// condition returns the SQL condition for the events of the days, or "".
func (d days) condition() string {
	if d == (days{}) {
		return ""
	}
	var conditions []string
	if d.from != everyDay().from {
		conditions = append(conditions, fmt.Sprintf("timestamp >= make_timestamp(%d)", d.from*microsecondsPerDay))
	}
	if d.to != everyDay().to {
		conditions = append(conditions, fmt.Sprintf("timestamp < make_timestamp(%d)", d.to*microsecondsPerDay))
	}
	return strings.Join(conditions, " AND ")
}

// everyDay has more days than DuckDB's timestamps. Their number is a power of two.
func everyDay() days { return days{-1 << 27, 1 << 27} }

// ranges divides all days into ranges. The parts of a range add up to no more than a number of bytes, unless a single day
// has more. A range with more bytes is halved, so its limits stay when other days get events. Each day of a part with
// several days counts with an equal share of the part's bytes.
func ranges(all []parts.Part, bytes int64) []days {
	pointers := make([]*parts.Part, len(all))
	for i := range all {
		pointers[i] = &all[i]
	}
	return halved(everyDay(), pointers, bytes)
}

func halved(of days, all []*parts.Part, most int64) []days {
	var within []*parts.Part
	bytes := 0.0
	for _, one := range all {
		part := daysOf(one)
		if part.overlaps(of) {
			within = append(within, one)
			bytes += float64(one.Bytes) * float64(min(part.to, of.to)-max(part.from, of.from)) / float64(part.count())
		}
	}
	switch half := of.from + of.count()/2; { //nolint:mnd // Half.
	case len(within) == 0:
		return nil
	case bytes <= float64(most) || of.count() == 1:
		return []days{of}
	default:
		return append(halved(days{of.from, half}, within, most), halved(days{half, of.to}, within, most)...)
	}
}

// overlapping returns the ranges that have some of the days.
func overlapping(ranges []days, of days) (found []days) {
	for _, one := range ranges {
		if one.overlaps(of) {
			found = append(found, one)
		}
	}
	return found
}

// separated returns the ranges that have days of some parts.
func separated(some []parts.Part, ranges []days) (found []days) {
	for _, one := range ranges {
		for i := range some {
			if daysOf(&some[i]).overlaps(one) {
				found = append(found, one)
				break
			}
		}
	}
	return found
}
