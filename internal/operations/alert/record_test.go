package alert

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // Tests read it only.

// declared returns an alert with a condition.
func declared(t *testing.T, comparison string, targets ...string) *Definition {
	t.Helper()
	query := &sqlq.SavedQuery{
		ID: uuid.MustParse("0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d13"), Name: "usage.errors", Columns: []sqlq.Column{{Name: "errors", Type: sqlq.Int64}},
		Params: []sqlq.Param{{Name: "project", Type: sqlq.String}},
	}
	condition, err := sqlq.ParseComparison(comparison, query.Columns)
	require.NoError(t, err)
	alert := sqlq.Alert{Name: "high", Title: "Errors <b> & more", Every: time.Minute, For: 1, Rows: 2, When: condition, Params: map[string][]string{"project": {"acme"}}}
	for _, target := range targets {
		alert.Notify = append(alert.Notify, sqlq.Named{Name: target})
	}
	query.Alerts = []sqlq.Alert{alert}
	return &Definition{Query: query, Alert: &query.Alerts[0]}
}

func everyTarget(string) bool { return true }

func met(at time.Time) Check { return Check{At: at, Outcome: sqlq.Met, Rows: noRows()} }

func unmet(at time.Time) Check { return Check{At: at, Outcome: sqlq.Unmet, Rows: noRows()} }

func idsOf(record *Record) []string {
	var ids []string
	for _, entry := range record.Outbox {
		ids = append(ids, entry.Target+" "+strings.TrimPrefix(entry.Message.ID, record.Key+"."))
	}
	return ids
}

func TestMessagesHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := declared(t, "errors > 5", "ops")
	record := newRecord(d).checked(d, met(noon), everyTarget).checked(d, met(noon.Add(time.Minute)), everyTarget).checked(d, unmet(noon.Add(2*time.Minute)), everyTarget)
	record = record.checked(d, met(noon), everyTarget) // the clock went back
	assert.Equal(t, []string{
		"ops 20261126T120000.000Z.firing.begin", "ops 20261126T120000.000Z.firing.end", "ops 20261126T120000.001Z.firing.begin",
	}, idsOf(record))
	assert.Equal(t, []State{Firing, OK, Firing}, []State{record.History[0].State, record.History[1].State, record.History[2].State})
}

// A target that is added while an alert fires is told of it, and only those are told of its end.
func TestTargetsOfAnEpisode(t *testing.T) {
	t.Parallel()
	first, both := declared(t, "errors > 5", "ops", "unknown"), declared(t, "errors > 5", "ops", "team")
	known := func(target string) bool { return target != "unknown" }
	record := newRecord(first).checked(first, met(noon), known)
	record = record.checked(both, met(noon.Add(time.Minute)), known)
	record = record.checked(first, unmet(noon.Add(2*time.Minute)), known)
	assert.Equal(t, []string{
		"ops 20261126T120000.000Z.firing.begin", "team 20261126T120000.000Z.firing.begin",
		"ops 20261126T120000.000Z.firing.end", "team 20261126T120000.000Z.firing.end",
	}, idsOf(record))
	assert.Equal(t, OK, record.Outbox[2].Message.Now)
}

// A change of the condition keeps the state, and the next check decides. A removed alert ends.
func TestChangedAndRemovedAlerts(t *testing.T) {
	t.Parallel()
	before, after := declared(t, "errors > 5", "ops"), declared(t, "errors > 6", "ops")
	book, err := OpenBook(Nowhere{}, everyTarget)
	require.NoError(t, err)
	use := func(definitions ...Definition) { require.NoError(t, book.Use(definitions, noon.Add(time.Hour))) }
	use(*before)
	require.NoError(t, book.Checked(before, met(noon)))
	use(*after)
	require.NoError(t, book.Checked(before, unmet(noon.Add(time.Minute))), "of the definition that is no longer in use")
	require.NoError(t, book.Checked(after, met(noon.Add(time.Minute))))
	assert.Equal(t, []string{"ops 20261126T120000.000Z.firing.begin"}, idsOf(book.records[after.Key()]))
	use()
	assert.Equal(t, []string{"ops 20261126T120000.000Z.firing.begin", "ops 20261126T120000.000Z.firing.end"}, idsOf(book.records[after.Key()]))
	assert.Equal(t, Removed, book.records[after.Key()].Outbox[1].Message.Now)
	for range 2 {
		require.NoError(t, book.Delivered(book.Due(noon)["ops"], noon))
	}
	assert.Empty(t, book.records, "nothing is left to deliver")
	use(*after)
	counts := book.Counts(noon)
	states, pending := counts.States, counts.Pending
	assert.Equal(t, map[State]int{Unknown: 1}, states)
	assert.Zero(t, pending)
}

// States are in no backup. A server with a restored data directory tells what lasts once more, with a new id, and not
// that something ended meanwhile.
func TestStatesAfterARestore(t *testing.T) {
	t.Parallel()
	lasting, over := declared(t, "errors > 5", "ops"), declared(t, "errors > 5", "ops")
	over.Alert.Name = "over"
	const begin = "ops 20261126T120000.000Z.firing.begin"
	for name, test := range map[string]struct {
		restored bool
		want     []string
	}{
		"a restart": {false, []string{begin, begin, "ops 20261126T120000.000Z.firing.end"}},
		"a restore": {true, []string{"ops 20261126T130000.000Z.firing.begin"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(directory string) *Book {
				store, err := OpenDirectory(filepath.Join(directory, "alerts"))
				require.NoError(t, err)
				book, err := OpenBook(store, everyTarget)
				require.NoError(t, err)
				require.NoError(t, book.Use([]Definition{*lasting, *over}, noon))
				return book
			}
			data := t.TempDir()
			before := open(data)
			require.NoError(t, before.Checked(lasting, met(noon)))
			require.NoError(t, before.Checked(over, met(noon)))
			if test.restored {
				data = t.TempDir()
			}
			after := open(data)
			require.NoError(t, after.Checked(lasting, met(noon.Add(time.Hour))))
			require.NoError(t, after.Checked(over, unmet(noon.Add(time.Hour))))
			var ids []string
			for _, d := range []*Definition{lasting, over} {
				if record := after.records[d.Key()]; record != nil {
					ids = append(ids, idsOf(record)...)
				}
			}
			assert.Equal(t, test.want, ids)
		})
	}
}

// Checks of another condition do not count.
func TestCountOfAChangedCondition(t *testing.T) {
	t.Parallel()
	before, after := declared(t, "errors > 5"), declared(t, "errors > 6")
	before.Alert.For, after.Alert.For = 2, 2
	record := newRecord(before).checked(before, met(noon), everyTarget)
	assert.Equal(t, Pending, record.checked(after, met(noon.Add(time.Minute)), everyTarget).Status.State)
	assert.Equal(t, Firing, record.checked(before, met(noon.Add(time.Minute)), everyTarget).Status.State)
}

func TestRowsAreCut(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(1)}, {int64(2)}, {int64(3)}}}
	assert.Equal(t, Rows{Columns: []Column{{"n", sqlq.Int64}}, Rows: json.RawMessage(`[{"n":1},{"n":2}]`), Truncated: true}, rowsOf(result, 2))
	assert.Equal(t, Rows{Columns: []Column{{"n", sqlq.Int64}}, Rows: json.RawMessage(`[{"n":1},{"n":2},{"n":3}]`)}, rowsOf(result, 3))
	large := &sqlq.Result{Columns: []sqlq.Column{{Name: "s", Type: sqlq.String}}}
	for i := range 20 {
		large.Rows = append(large.Rows, []any{strconv.Itoa(i) + strings.Repeat("x", 10_000)})
	}
	cut := rowsOf(large, 20)
	assert.True(t, cut.Truncated)
	assert.Less(t, len(cut.Rows), mostRowBytes)
	assert.Greater(t, len(cut.Rows), mostRowBytes/2)
}

// Changes that a crash must not lose are stored; a check that changes nothing is not.
func TestOnlyChangesAreStored(t *testing.T) {
	t.Parallel()
	store := &countingStore{}
	book, err := OpenBook(store, everyTarget)
	require.NoError(t, err)
	d := declared(t, "errors > 5")
	require.NoError(t, book.Use([]Definition{*d}, noon))
	for i, outcome := range []Outcome{sqlq.Unmet, sqlq.Unmet, sqlq.Unmet, sqlq.Met, sqlq.Met, sqlq.Met, sqlq.Unmet} {
		require.NoError(t, book.Checked(d, Check{At: noon.Add(time.Duration(i) * time.Minute), Outcome: outcome, Rows: noRows()}))
	}
	assert.Equal(t, 3, store.saved)
	store.err = assert.AnError
	require.Error(t, book.Checked(d, met(noon.Add(8*time.Minute))))
	states := book.Counts(noon).States
	assert.Equal(t, map[State]int{OK: 1}, states, "what is not stored did not happen")
}

type countingStore struct {
	Nowhere

	saved int
	err   error
}

func (s *countingStore) Save(*Record) error {
	s.saved++
	return s.err
}
