package runner

import "time"

// rememberedPayers bounds how many durations are known by payer.
const rememberedPayers = 4096

// durations knows how long the runs of each saved query usually take, also for each payer, whose arguments may differ
// from the durations of others.
type durations struct {
	queries map[durationKey]*mean
	payers  map[durationKey]*mean
}

type durationKey struct {
	query string
	kind  kind
	payer string
}

// mean is a moving average.
type mean struct {
	value time.Duration
	runs  int
}

func newDurations() durations {
	return durations{queries: make(map[durationKey]*mean), payers: make(map[durationKey]*mean)}
}

func keysOf(w *waiter) (query, payer durationKey) {
	query = durationKey{query: w.query, kind: w.kind}
	payer = query
	payer.payer = w.payer
	return query, payer
}

// usual returns how long such a run usually takes for its payer, or for others if the payer is new to it.
func (d *durations) usual(w *waiter) (took time.Duration, known bool) {
	query, payer := keysOf(w)
	for _, of := range []*mean{d.payers[payer], d.queries[query]} {
		if of != nil {
			return of.value, true
		}
	}
	return 0, false
}

// record adds a run.
func (d *durations) record(w *waiter, took time.Duration) {
	query, payer := keysOf(w)
	if d.payers[payer] == nil && len(d.payers) >= rememberedPayers {
		clear(d.payers)
	}
	add(d.queries, query, took)
	add(d.payers, payer, took)
}

func add(of map[durationKey]*mean, key durationKey, took time.Duration) {
	known := of[key]
	if known == nil || known.value == 0 {
		known = new(mean)
		of[key] = known
	}
	// The latest run weighs 1/8, as in TCP's estimate of the round-trip time, once there are 8.
	const memory = 8
	known.runs = min(known.runs+1, memory)
	known.value += (took - known.value) / time.Duration(known.runs)
}
