package demo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// variation varies recorded events. It is reused for the events of a source.
type variation struct {
	*rand.Rand
	source *rand.ChaCha8
	// The rest belongs to the current event: its time, the digits of its markers, and the
	// factor of its numbers.
	time   time.Time
	digits [64]byte
	factor float64
	buffer []byte
}

func newVariation() *variation {
	source := rand.NewChaCha8([32]byte{})
	return &variation{Rand: rand.New(source), source: source} //nolint:gosec // Demo logs must be repeatable, not secret.
}

// seed starts the random sequence of a minute.
func (v *variation) seed(seed uint64, table string, minute time.Time) {
	var bytes [32]byte
	binary.LittleEndian.PutUint64(bytes[:], seed)
	binary.LittleEndian.PutUint64(bytes[8:], uint64(minute.Unix())) //nolint:gosec // The bits matter here, not the sign.
	copy(bytes[16:], table)
	v.source.Seed(bytes)
}

// around returns a random whole number, on average the mean; 0 for a negative one.
func (v *variation) around(mean float64) int {
	return int(max(mean, 0)*(0.6+0.8*v.Float64()) + v.Float64())
}

// event returns the event of a moment.
func (v *variation) event(moment moment, source *sqlq.Table) logevent.Event {
	v.time = moment.time
	var random [len(v.digits) / 2]byte
	_, _ = v.source.Read(random[:]) // it does not fail
	hex.Encode(v.digits[:], random[:])
	v.factor = 0.8 + 0.4*v.Float64()
	event := logevent.Event{ID: v.eventID(), Timestamp: v.time}
	v.buffer = v.appendVaried(v.buffer[:0], moment.recorded.metadata)
	event.Metadata = bytes.Clone(v.buffer)
	v.buffer = v.appendVaried(v.buffer[:0], []byte(moment.recorded.message))
	message := string(v.buffer)
	event.EventMessage = &message
	if source.ProjectMember == "" {
		event.Project = &moment.hour.Project
	}
	return event
}

// eventID returns a UUID of version 7. It begins with the event's time, so the ids of a
// source ascend with its events and a store's index grows at its end.
func (v *variation) eventID() string {
	id := uuid.Must(uuid.NewRandomFromReader(v.source))
	milliseconds := uint64(v.time.UnixMilli())
	binary.BigEndian.PutUint64(id[:], milliseconds<<16|7<<12|v.Uint64()&0xfff)
	return id.String()
}

// appendVaried appends a recorded text, with values in place of its markers.
func (v *variation) appendVaried(text, recorded []byte) []byte {
	for {
		literal, rest, found := bytes.Cut(recorded, []byte("~"))
		text = append(text, literal...)
		if !found {
			return text
		}
		marker, rest, _ := bytes.Cut(rest, []byte("~"))
		kind, argument := marker[0], string(marker[1:])
		switch kind {
		case 't':
			text = v.time.AppendFormat(text, argument)
		case 'x':
			count, _ := strconv.Atoi(argument[1:])
			text = append(text, v.digits[12*int(argument[0]-'a'):][:count]...)
		default:
			number := v.time.UnixMicro()
			if kind == 'n' {
				recorded, _ := strconv.ParseFloat(argument, 64)
				number = max(1, int64(recorded*v.factor))
			}
			// The quotes around the marker are only there because a marker is no number.
			text, rest = strconv.AppendInt(text[:len(text)-1], number, 10), rest[1:]
		}
		recorded = rest
	}
}
