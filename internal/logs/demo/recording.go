package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

// dayNDJSON is the recorded day. To change it, edit the output of "zstd -d day.ndjson.zst"
// and compress it with "zstd --ultra -22". A line with an object is a [recordedHour]. The
// lines after it are its events: a list with the metadata, in the warehouse's storage shape
// (D14), and a string with the message.
//
// Values that differ when an event happens again are markers in its texts:
//
//	~t2006-01-02~  the event's time in UTC, in a layout of package time
//	~xa16~         16 random hexadecimal digits. Each of the letters a to e stands for the
//	               same digits throughout an event; b, c and d have at most 12.
//	"~n240~"       a number around 240
//	"~u~"          the event's time in microseconds since the epoch, a number
//
//go:embed day.ndjson.zst
var dayNDJSON []byte

// recordedHour is what a project logged to a source in an hour of the day.
type recordedHour struct {
	Source  string `json:"source"`
	Project string `json:"project"`
	// On its weekdays, an hour replaces earlier ones: an incident is an hour of one weekday.
	Weekdays []time.Weekday `json:"weekdays"`
	Hour     int            `json:"hour"`
	// PerMinute is the rate of events on a working day. Every minute has AtLeast events.
	PerMinute float64 `json:"per_minute"`
	AtLeast   int     `json:"at_least"`

	// events is a sample of them.
	events []recordedEvent
}

// recordedEvent holds the texts of an event, with markers.
type recordedEvent struct {
	metadata []byte
	message  string
}

// slot is an hour of the week of a source.
type slot struct {
	source  string
	weekday time.Weekday
	hour    int
}

// decode returns the hours of the projects for each slot.
func decode(compressed []byte) (map[slot][]*recordedHour, error) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	day, err := decoder.DecodeAll(compressed, nil)
	if err != nil {
		return nil, err
	}
	hours, hour, event := make(map[slot][]*recordedHour), &recordedHour{}, recordedEvent{}
	for line := range bytes.Lines(day) {
		switch line[0] {
		case '{':
			hour = &recordedHour{}
			err = json.Unmarshal(line, hour)
			for _, weekday := range hour.Weekdays {
				slot := slot{hour.Source, weekday, hour.Hour}
				ofProject := func(other *recordedHour) bool { return other.Project == hour.Project }
				hours[slot] = append(slices.DeleteFunc(hours[slot], ofProject), hour)
			}
		case '[': // not parsed, because a day of metadata would take long
			event.metadata = bytes.TrimSpace(line)
		default:
			err = json.Unmarshal(line, &event.message)
			hour.events = append(hour.events, event)
		}
		if err != nil {
			return nil, err
		}
	}
	return hours, nil
}
