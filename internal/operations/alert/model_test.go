package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/durable"
	"savedq/sqlq"
)

// Histories of checks, deliveries, removals, restarts, kills between every pair of durable steps and
// steps of the clock. Each target gets each message of an alert, in their order. It gets a message
// twice only if a kill was between its delivery and the record of it, and then with the same id.
func TestNoMessageIsLostOrRepeated(t *testing.T) {
	t.Parallel()
	for seed := range 150 {
		if h := newHistory(t, uint64(seed), &stepStore{Store: make(memoryStore)}); !h.run(120) {
			return
		}
	}
}

// The same with files.
func TestNoMessageInFilesIsLostOrRepeated(t *testing.T) {
	t.Parallel()
	for seed := range 12 {
		path := t.TempDir()
		directory, err := OpenDirectory(path)
		require.NoError(t, err)
		if h := newHistory(t, uint64(1000+seed), &stepStore{Store: directory, path: path}); !h.run(60) {
			return
		}
	}
}

var errKilled = errors.New("killed")

// stepStore is a store whose steps can end the process: before a change, with what is left of it, and after it.
type stepStore struct {
	Store
	step func(name string) error
	// path is the directory of the store; empty if it is in memory.
	path string
}

func (s *stepStore) Save(record *Record) error {
	part := filepath.Join(s.path, record.Key+fileSuffix+durable.PartSuffix)
	for _, step := range []string{"write", "sync file", "rename"} {
		if err := s.step(step); err != nil {
			if s.path != "" && step != "write" {
				return errors.Join(err, os.WriteFile(part, []byte("{"), 0o600))
			}
			return err
		}
	}
	return errors.Join(s.Store.Save(record), s.step("sync directory"))
}

func (s *stepStore) Remove(key string) error {
	if err := s.step("remove"); err != nil {
		return err
	}
	return errors.Join(s.Store.Remove(key), s.step("sync directory"))
}

// memoryStore keeps records as a directory does.
type memoryStore map[string][]byte

func (s memoryStore) Load() ([]*Record, error) {
	var records []*Record
	for _, text := range s {
		record := &Record{}
		if err := json.Unmarshal(text, record); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

func (s memoryStore) Save(record *Record) (err error) {
	s[record.Key], err = json.Marshal(record)
	return err
}

func (s memoryStore) Remove(key string) error {
	delete(s, key)
	return nil
}

// history is a server with its targets, and what the targets must get.
type history struct {
	t      *testing.T
	random *rand.Rand
	now    time.Time
	store  *stepStore
	// killIn is after how many steps the process is killed; negative for never. killedAt is the step.
	killIn   int
	killedAt string

	book      *Book
	deliverer *Deliverer
	alerts    []*expected
	// received are the ids that each lane received, and kept those whose delivery may be repeated.
	received map[string][]string
	kept     map[string]bool
	log      []string
}

// expected is an alert with the messages that follow from the rules, as another implementation of them
// finds.
type expected struct {
	Definition

	declared bool
	state    State
	last     Outcome
	count    int
	checked  time.Time
	// announced is the state that the targets know of, and silencedUntil when the silence ends.
	announced     State
	silencedUntil time.Time
	messages      []string
}

func newHistory(t *testing.T, seed uint64, store *stepStore) *history {
	t.Helper()
	h := &history{
		t: t, random: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC), store: store, killIn: -1,
		received: make(map[string][]string), kept: make(map[string]bool), log: []string{fmt.Sprintf("seed %d", seed)},
	}
	for i := range 2 {
		query := &sqlq.SavedQuery{ID: uuid.NewSHA1(uuid.Nil, []byte{byte(i)}), Name: fmt.Sprintf("query.%d", i)}
		query.Alerts = []sqlq.Alert{{
			Name: "high", Every: time.Minute, For: 1 + h.random.IntN(3), When: sqlq.Condition{Kind: sqlq.AnyRow}, Notify: []sqlq.Named{{Name: "ops"}, {Name: "team"}},
		}}
		h.alerts = append(h.alerts, &expected{Definition: Definition{Query: query, Alert: &query.Alerts[0]}, declared: true})
	}
	store.step = h.step
	h.start()
	return h
}

// step is a step of the store.
func (h *history) step(name string) error {
	if h.killedAt != "" {
		return errKilled
	}
	if h.killIn == 0 {
		h.killedAt = name
		return errKilled
	}
	h.killIn--
	return nil
}

// start starts the process, over and over if it is killed meanwhile.
func (h *history) start() {
	for {
		book, err := OpenBook(h.store, func(string) bool { return true })
		require.NoError(h.t, err)
		h.book = book
		h.deliverer = &Deliverer{
			Book: book, Targets: func() Targets { return Targets{"ops": {Name: "ops"}, "team": {Name: "team"}} }, Sender: (*historySender)(h),
			Clock: func() time.Time { return h.now }, Random: h.random.Float64, Observer: unobserved{}, Logger: slog.New(slog.DiscardHandler),
		}
		if err := h.book.Use(h.definitions(), h.now); err == nil {
			return
		}
		h.restart()
	}
}

func (h *history) restart() {
	h.log = append(h.log, "killed at "+h.killedAt)
	h.killedAt, h.killIn = "", -1
}

func (h *history) definitions() []Definition {
	var declared []Definition
	for _, alert := range h.alerts {
		if alert.declared {
			declared = append(declared, alert.Definition)
		}
	}
	return declared
}

// run goes through a history, and compares what the targets got. It reports whether it is right.
func (h *history) run(steps int) bool {
	for range steps {
		h.killIn = -1
		if h.random.IntN(4) == 0 {
			h.killIn = h.random.IntN(6)
		}
		h.advance()
		switch alert := h.alerts[h.random.IntN(len(h.alerts))]; h.random.IntN(13) {
		case 0, 1, 2, 3, 4, 5:
			h.check(alert)
		case 6, 7, 8, 9:
			h.deliver()
		case 10:
			h.redeclare(alert)
		case 11:
			h.log = append(h.log, "stopped")
			h.start()
		case 12:
			h.silence(alert)
		}
		if h.killedAt != "" {
			h.restart()
			h.start()
		}
	}
	h.killIn = -1
	for range 100 {
		h.now = h.now.Add(time.Hour)
		h.deliver()
	}
	return h.compare()
}

// advance moves the clock, mostly by a minute, and sometimes by hours, not at all or back.
func (h *history) advance() {
	steps := []time.Duration{time.Minute, time.Minute, time.Minute, 0, -time.Minute, 59 * time.Second, 61 * time.Second, 30 * time.Second, time.Millisecond, -time.Second, -time.Hour, 48 * time.Hour}
	h.now = h.now.Add(steps[h.random.IntN(len(steps))])
}

func (h *history) check(alert *expected) {
	outcome := []Outcome{sqlq.Met, sqlq.Unmet, sqlq.NoData, Failed}[h.random.IntN(4)]
	if h.random.IntN(2) == 0 && alert.last != "" {
		outcome = alert.last
	}
	h.log = append(h.log, fmt.Sprintf("%s %s %s", h.now.Format(time.RFC3339Nano), alert.Query.Name, outcome))
	err := h.book.Checked(&alert.Definition, Check{At: h.now, Outcome: outcome, Rows: noRows()})
	if err == nil || h.killedAt == "sync directory" {
		alert.expect(outcome, h.now)
	}
}

// expect adds the messages that follow from a check.
func (e *expected) expect(outcome Outcome, now time.Time) {
	if !e.declared {
		return
	}
	gap := now.Sub(e.checked)
	e.count++
	if outcome != e.last || gap < -time.Minute || gap > 4*time.Minute {
		e.count = 1
	}
	e.last, e.checked = outcome, now
	to := map[Outcome]State{sqlq.Met: Firing, sqlq.NoData: NoData, Failed: Failing}[outcome]
	says := map[State]int{Failing: 0, NoData: 1, Firing: 2, "": 2}
	switch {
	case to != "" && e.count >= e.Alert.For:
		e.become(to)
	case to == e.state, to != "" && says[to] < says[e.state] && e.state != "":
	default:
		e.become("")
	}
	if e.state != e.announced && !now.Before(e.silencedUntil) {
		e.announced = e.state
		e.messages = append(e.messages, string(e.state)+".begin")
	}
}

// silence silences an alert for a time, or ends its silence.
func (h *history) silence(alert *expected) {
	var silence *Silence
	if h.random.IntN(3) > 0 {
		silence = &Silence{Until: h.now.Add(time.Duration(h.random.IntN(120)) * time.Minute)}
	}
	h.log = append(h.log, fmt.Sprintf("%s %s silence %v", h.now.Format(time.RFC3339Nano), alert.Query.Name, silence))
	err := h.book.Silence(&alert.Definition, silence)
	if !alert.declared {
		require.ErrorIs(h.t, err, ErrUnknown)
		return
	}
	if err == nil || h.killedAt == "sync directory" {
		alert.silencedUntil = time.Time{}
		if silence != nil {
			alert.silencedUntil = silence.Until
		}
	}
}

func (e *expected) become(state State) {
	if state == e.state {
		return
	}
	if e.announced != "" {
		e.messages = append(e.messages, string(e.announced)+".end")
	}
	e.state, e.announced = state, ""
}

// redeclare removes an alert, or declares it again. The folders have changed even if the process is killed.
func (h *history) redeclare(alert *expected) {
	alert.declared = !alert.declared
	h.log = append(h.log, fmt.Sprintf("%s declared=%t", alert.Query.Name, alert.declared))
	if !alert.declared {
		alert.become("")
		alert.last, alert.count, alert.checked, alert.silencedUntil = "", 0, time.Time{}, time.Time{}
	}
	_ = h.book.Use(h.definitions(), h.now)
}

func (h *history) deliver() {
	for _, target := range []string{"ops", "team"} {
		due, found := h.book.Due(h.now)[target]
		if !found || h.killedAt != "" {
			continue
		}
		for _, alert := range h.alerts {
			if alert.Key() == due.Key {
				assert.False(h.t, h.now.Before(alert.silencedUntil), "a message of a silenced alert:\n%s", strings.Join(h.log, "\n"))
			}
		}
		h.deliverer.Deliver(context.Background(), due)
		// Before the record is in its place, the next process does not know that the message arrived.
		if h.killedAt != "" && h.killedAt != "sync directory" {
			h.kept[target+due.Message.ID] = true
		}
	}
}

// historySender is the targets of a history.
type historySender history

func (s *historySender) Send(_ context.Context, target *Target, message *Message) error {
	if s.random.IntN(3) == 0 {
		return &SendError{Reason: "no"}
	}
	key, _, _ := strings.Cut(message.ID, ".")
	name := key + " " + target.Name
	s.log = append(s.log, name+" received "+message.ID)
	s.received[name] = append(s.received[name], message.ID)
	return nil
}

// compare compares what each lane received with what it must have.
func (h *history) compare() bool {
	right := true
	for _, alert := range h.alerts {
		for _, target := range []string{"ops", "team"} {
			var got []string
			var before string
			for _, id := range h.received[alert.Query.ID.String()+" "+target] {
				if id == before && h.kept[target+id] {
					continue
				}
				before = id
				parts := strings.Split(id, ".")
				got = append(got, strings.Join(parts[len(parts)-2:], "."))
			}
			right = assert.Equal(h.t, alert.messages, got, "%s to %s:\n%s", alert.Query.Name, target, strings.Join(h.log, "\n")) && right
			ids := slices.Compact(slices.Clone(h.received[alert.Query.ID.String()+" "+target]))
			slices.Sort(ids)
			right = assert.Len(h.t, slices.Compact(ids), len(alert.messages), "ids differ") && right
		}
	}
	return right
}

// unobserved observes nothing.
type unobserved struct{}

func (unobserved) AlertChecked(string, Outcome) {}
func (unobserved) AlertMessage(string, string)  {}
