package alert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// openFiring returns a book in a store with an alert that fires.
func openFiring(t *testing.T, store Store) (*Book, *Definition) {
	t.Helper()
	d := declared(t, "errors > 5", "ops")
	book, err := OpenBook(store, everyTarget)
	require.NoError(t, err)
	require.NoError(t, book.Use([]Definition{*d}, noon))
	require.NoError(t, book.Checked(d, met(noon)))
	return book, d
}

// A message that waits is sent when the silence is over, and the deliverer wakes up for it.
func TestSilenceKeepsMessagesBack(t *testing.T) {
	t.Parallel()
	book, d := openFiring(t, make(memoryStore))
	until := noon.Add(time.Hour)
	require.NoError(t, book.Silence(d, &Silence{Until: until, Reason: "deploying", By: "ops", At: noon}))
	assert.Empty(t, book.Due(noon))
	assert.Equal(t, until, book.NextRetry(noon))
	assert.Equal(t, Counts{States: map[State]int{Firing: 1}, Silenced: 1, Pending: 1}, book.Counts(noon))
	assert.Len(t, book.Due(until), 1)
	assert.Zero(t, book.Counts(until).Silenced)
	<-book.changed
	require.NoError(t, book.Silence(d, nil))
	<-book.changed
	assert.Len(t, book.Due(noon), 1, "the silence was ended early")
}

// What begins in a silence is announced only if it lasts beyond it.
func TestStatesInASilence(t *testing.T) {
	t.Parallel()
	d := declared(t, "errors > 5", "ops")
	silenced := newRecord(d)
	silenced.Silence = &Silence{Until: noon.Add(time.Hour)}
	record := silenced.checked(d, met(noon), everyTarget)
	assert.Equal(t, []any{Firing, 0}, []any{record.Status.State, len(record.Outbox)}, "the state changes all the same")
	ended := record.checked(d, unmet(noon.Add(time.Minute)), everyTarget)
	assert.Empty(t, ended.Outbox)
	lasting := record.checked(d, met(noon.Add(time.Hour)), everyTarget)
	assert.Equal(t, []string{"ops 20261126T120000.000Z.firing.begin"}, idsOf(lasting))
}

// The begin of an episode is not sent again to targets that forget it, while the alert is silenced.
func TestSilenceStopsRepeats(t *testing.T) {
	t.Parallel()
	book, d := openFiring(t, make(memoryStore))
	require.NoError(t, book.Delivered(book.Due(noon)["ops"], noon))
	book.Repeat(d.Key(), "ops")
	require.NoError(t, book.Silence(d, &Silence{Until: noon.Add(time.Hour)}))
	assert.Empty(t, book.Due(noon))
	assert.True(t, book.Due(noon.Add(time.Hour))["ops"].Repeated)
}

// Silences and acknowledgements survive a restart. An acknowledgement ends with its state.
func TestNotesSurviveRestarts(t *testing.T) {
	t.Parallel()
	directory, err := OpenDirectory(t.TempDir())
	require.NoError(t, err)
	book, d := openFiring(t, directory)
	require.NoError(t, book.Silence(d, &Silence{Until: noon.Add(time.Hour), Reason: "deploying"}))
	require.NoError(t, book.Acknowledge(d, &Acknowledgement{By: "ops", At: noon}))
	book, err = OpenBook(directory, everyTarget)
	require.NoError(t, err)
	require.NoError(t, book.Use([]Definition{*d}, noon))
	listed := func(now time.Time) Listed {
		return book.List(func(*sqlq.SavedQuery, map[string][]string) bool { return true }, func(string) time.Time { return time.Time{} }, now)[0]
	}
	assert.Equal(t, []any{"deploying", "ops"}, []any{listed(noon).Silence.Reason, listed(noon).Acknowledged.By})
	assert.Nil(t, listed(noon.Add(time.Hour)).Silence, "it is over")
	require.NoError(t, book.Acknowledge(d, nil))
	assert.Nil(t, listed(noon).Acknowledged)
	require.NoError(t, book.Acknowledge(d, &Acknowledgement{By: "ops", At: noon}))
	require.NoError(t, book.Checked(d, unmet(noon.Add(time.Minute))))
	require.ErrorIs(t, book.Acknowledge(d, &Acknowledgement{}), ErrNothingToAcknowledge)
	require.NoError(t, book.Checked(d, met(noon.Add(2*time.Minute))))
	assert.Nil(t, listed(noon).Acknowledged, "of an earlier state")
	require.NoError(t, book.Use(nil, noon))
	require.ErrorIs(t, book.Silence(d, nil), ErrUnknown)
	found, known := book.Find(d.Query.Name, d.Alert.Name)
	assert.Equal(t, []any{Definition{}, false}, []any{found, known})
}

// countedStore counts what is stored.
type countedStore struct {
	Store
	saves int
}

func (s *countedStore) Save(record *Record) error {
	s.saves++
	return s.Store.Save(record)
}

// The values of the last checks are kept, and an alert in order is stored once in ten minutes.
func TestPoints(t *testing.T) {
	t.Parallel()
	store := &countedStore{Store: make(memoryStore)}
	d := declared(t, "errors > 500")
	book, err := OpenBook(store, everyTarget)
	require.NoError(t, err)
	require.NoError(t, book.Use([]Definition{*d}, noon))
	const checks = 300
	for i := range checks {
		check := unmet(noon.Add(time.Duration(i) * time.Minute))
		check.Value = new(float64(i))
		require.NoError(t, book.Checked(d, check))
	}
	assert.Equal(t, checks/10, store.saves)
	require.NoError(t, book.Flush())
	require.NoError(t, book.Flush(), "which stores nothing new")
	assert.Equal(t, checks/10+1, store.saves)
	book, err = OpenBook(store, everyTarget)
	require.NoError(t, err)
	points := book.records[d.Key()].Points
	assert.Len(t, points, mostPoints)
	assert.Equal(t, Point{At: noon.Add(299 * time.Minute), Value: new(299.0), Outcome: sqlq.Unmet}, points[mostPoints-1])
	other := declared(t, "errors > 600")
	require.NoError(t, book.Use([]Definition{*other}, noon))
	require.NoError(t, book.Checked(other, unmet(noon.Add(time.Hour))))
	assert.Len(t, book.records[d.Key()].Points, 1, "another condition starts with no points")
}
