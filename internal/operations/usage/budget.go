package usage

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// Budget limits the work of the engine for one caller. The zero value is no limit.
type Budget struct {
	// Hour and Day are what may be spent in each hour and day of UTC. A zero amount is no
	// limit.
	Hour, Day Amounts
}

// Amounts are what runs of the engine cost.
type Amounts struct {
	// Requests counts requests that started a run.
	Requests int64 `json:"requests,omitempty"`
	// Rows are what the runs returned.
	Rows int64 `json:"rows,omitempty"`
	// Bytes are what the engine bills for.
	Bytes int64 `json:"bytes,omitempty"`
	// EngineTime is how long the runs took.
	EngineTime time.Duration `json:"engine_ns,omitempty"`
}

func (a *Amounts) add(more Amounts) {
	a.Requests += more.Requests
	a.Rows += more.Rows
	a.Bytes += more.Bytes
	a.EngineTime += more.EngineTime
}

// Period is what a budget is for.
type Period string

// The periods of a budget, in UTC.
const (
	Hour Period = "hour"
	Day  Period = "day"
)

// Spending is what was spent of a part of a budget.
type Spending struct {
	Period         Period
	Spent, Allowed Amounts
	// ResetsAt is the end of the period.
	ResetsAt time.Time
}

// amount is one of [Amounts].
type amount struct {
	// key names the amount in a budget, and must says what its text has to be.
	key, must string
	of        func(*Amounts) *int64
	parse     func(text string) (number int64, ok bool)
	// write returns a number as parse reads it, and format as people read it.
	write, format func(int64) string
}

func amounts() []amount {
	const most, mostSeconds = 1e15, 1e9
	count := func(number int64) string { return strconv.FormatInt(number, 10) }
	whole := func(text string) (int64, bool) {
		number, err := strconv.ParseInt(text, 10, 64)
		return number, err == nil && number >= 1 && number <= most
	}
	size := func(text string) (int64, bool) {
		bytes, err := sqlq.ParseBytes(text)
		return bytes, err == nil && bytes >= 1
	}
	seconds := func(text string) (int64, bool) {
		number, err := strconv.ParseFloat(text, 64)
		return int64(math.Round(number * float64(time.Second))), err == nil && number >= 0.001 && number <= mostSeconds
	}
	writeSeconds := func(number int64) string {
		return strconv.FormatFloat(time.Duration(number).Seconds(), 'f', -1, 64)
	}
	formatSeconds := func(number int64) string { // with at most one decimal
		return strings.TrimSuffix(fmt.Sprintf("%.1f", time.Duration(number).Seconds()), ".0")
	}
	mustBeWhole := fmt.Sprintf("a whole number from 1 to %.0f", most)
	return []amount{
		{"requests", mustBeWhole, func(a *Amounts) *int64 { return &a.Requests }, whole, count, count},
		{"rows", mustBeWhole, func(a *Amounts) *int64 { return &a.Rows }, whole, count, count},
		{"bytes", "a size of at least 1 byte, such as 10GiB", func(a *Amounts) *int64 { return &a.Bytes }, size, count, sqlq.FormatBytes},
		{
			"engine_seconds", fmt.Sprintf("a number of seconds from 0.001 to %.0f", mostSeconds),
			func(a *Amounts) *int64 { return (*int64)(&a.EngineTime) }, seconds, writeSeconds, formatSeconds,
		},
	}
}

func amountKeys() []string {
	var keys []string
	for _, amount := range amounts() {
		keys = append(keys, amount.key)
	}
	return keys
}

// exceeded returns a RESOURCE_EXHAUSTED error if nothing is left of one of the amounts.
func (s *Spending) exceeded(now time.Time) error {
	for _, amount := range amounts() {
		spent, allowed := *amount.of(&s.Spent), *amount.of(&s.Allowed)
		if allowed == 0 || spent < allowed {
			continue
		}
		wait := max(s.ResetsAt.Sub(now), time.Nanosecond)
		return sqlq.Rejectf(sqlq.ResourceExhausted, wait, "the budget of %s per %s is used up: %s of %s; it resets in %d s, at %s; cached responses are free",
			strings.ReplaceAll(amount.key, "_", " "), s.Period, amount.format(spent), amount.format(allowed),
			httpstatus.WholeSeconds(wait), s.ResetsAt.Format(time.RFC3339))
	}
	return nil
}

// set sets an amount from its text.
func (a *Amounts) set(key, text string) error {
	for _, amount := range amounts() {
		if amount.key != key {
			continue
		}
		number, ok := amount.parse(text)
		if !ok {
			return fmt.Errorf("%s must be %s", key, amount.must)
		}
		*amount.of(a) = number
		return nil
	}
	return fmt.Errorf("unknown key %q; the keys are %s", key, strings.Join(amountKeys(), ", "))
}

// ParseAmounts returns the amounts with the keys and values of [ReadBudget].
func ParseAmounts(values map[string]string) (Amounts, error) {
	var amounts Amounts
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := amounts.set(key, values[key]); err != nil {
			return Amounts{}, err
		}
	}
	if len(values) == 0 {
		return Amounts{}, errors.New("must have an amount, such as requests=10000")
	}
	return amounts, nil
}

// emptyBudget is the message about a budget or a period without a limit.
const emptyBudget = "a budget must have a limit for hour or day, such as {day: {requests: 10000}}"

// ReadBudget reads a budget such as {hour: {requests: 1000}, day: {bytes: 10GiB}}. It records
// mistakes where they are.
func ReadBudget(node strictyaml.Node) Budget {
	var budget Budget
	readEach(node, []string{string(Hour), string(Day)}, func(period string, node strictyaml.Node) {
		amounts := &budget.Day
		if period == string(Hour) {
			amounts = &budget.Hour
		}
		readEach(node, amountKeys(), func(key string, node strictyaml.Node) {
			text, _ := node.Scalar()
			if err := amounts.set(key, text); err != nil {
				node.Mistakef("%s", err)
			}
		})
	})
	return budget
}

// readEach reads the values of a mapping, which must have at least one of the keys.
func readEach(node strictyaml.Node, keys []string, read func(key string, value strictyaml.Node)) {
	m := node.Mapping(keys...)
	if m == nil {
		return
	}
	limited := false
	for _, key := range keys {
		if m.Has(key) {
			limited = true
			read(key, m.At(key))
		}
	}
	if !limited {
		node.Mistakef(emptyBudget)
	}
}

// ParseBudget returns the budget that a claim of a signed token holds, as JSON in the form of
// [ReadBudget], which is YAML, too. It reports false for anything else.
func ParseBudget(claim []byte) (Budget, bool) {
	const mostClaimBytes = 64 << 10
	reader := &strictyaml.Reader{MostBytes: mostClaimBytes}
	m := reader.Read(append([]byte(`{"budget":`), append(claim, '}')...), "budget")
	if m == nil {
		return Budget{}, false
	}
	budget := ReadBudget(m.At("budget"))
	return budget, len(reader.Mistakes()) == 0
}

// YAML returns the budget as [ReadBudget] reads it, on one line.
func (b *Budget) YAML() string {
	var periods []string
	for _, part := range []Spending{{Period: Hour, Allowed: b.Hour}, {Period: Day, Allowed: b.Day}} {
		var parts []string
		for _, amount := range amounts() {
			if number := *amount.of(&part.Allowed); number > 0 {
				parts = append(parts, amount.key+": "+amount.write(number))
			}
		}
		if len(parts) > 0 {
			periods = append(periods, string(part.Period)+": {"+strings.Join(parts, ", ")+"}")
		}
	}
	return "{" + strings.Join(periods, ", ") + "}"
}
