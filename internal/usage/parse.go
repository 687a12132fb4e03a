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

	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

// Names of the amounts of a budget.
const (
	requestsKey      = "requests"
	rowsKey          = "rows"
	bytesKey         = "bytes"
	engineSecondsKey = "engine_seconds"
)

// maxClaimBytes limits a claim.
const maxClaimBytes = 64 << 10

// maxAmount bounds an amount, in the unit of its key.
const maxAmount = 1e15

func periods() []string { return []string{string(Hour), string(Day)} }

func amountKeys() []string { return []string{requestsKey, rowsKey, bytesKey, engineSecondsKey} }

// emptyBudget is the message about a budget or a period without a limit.
const emptyBudget = "a budget must have a limit for hour or day, such as {day: {requests: 10000}}"

// ReadBudget reads a budget such as {hour: {requests: 1000}, day: {bytes: 10GiB}}. It records
// mistakes where they are.
func ReadBudget(node strictyaml.Node) Budget {
	var budget Budget
	m := node.Mapping(periods()...)
	if m == nil {
		return budget
	}
	for _, period := range periods() {
		if m.Has(period) {
			*budget.of(Period(period)) = readAmounts(m.At(period))
		}
	}
	if !m.Has(string(Hour)) && !m.Has(string(Day)) {
		node.Mistakef(emptyBudget)
	}
	return budget
}

func readAmounts(node strictyaml.Node) Amounts {
	var amounts Amounts
	m := node.Mapping(amountKeys()...)
	if m == nil {
		return amounts
	}
	limited := false
	for _, key := range amountKeys() {
		if !m.Has(key) {
			continue
		}
		limited = true
		text, _ := m.At(key).Scalar()
		if err := amounts.set(key, text); err != nil {
			m.At(key).Mistakef("%s", err)
		}
	}
	if !limited {
		node.Mistakef(emptyBudget)
	}
	return amounts
}

// ParseBudget returns the budget that a claim of a signed token holds, as JSON in the form of
// [ReadBudget], which is YAML, too. It reports false for anything else.
func ParseBudget(claim []byte) (Budget, bool) {
	reader := &strictyaml.Reader{MostBytes: maxClaimBytes}
	m := reader.Read(append([]byte(`{"budget":`), append(claim, '}')...), "budget")
	if m == nil {
		return Budget{}, false
	}
	budget := ReadBudget(m.At("budget"))
	return budget, len(reader.Mistakes()) == 0
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

// of returns the amounts of a period.
func (b *Budget) of(period Period) *Amounts {
	if period == Hour {
		return &b.Hour
	}
	return &b.Day
}

// set sets an amount from its text.
func (a *Amounts) set(key, text string) error {
	whole := func(into *int64) error {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil || number < 1 || number > maxAmount {
			return fmt.Errorf("%s must be a whole number from 1 to %.0f", key, maxAmount)
		}
		*into = number
		return nil
	}
	switch key {
	case requestsKey:
		return whole(&a.Requests)
	case rowsKey:
		return whole(&a.Rows)
	case bytesKey:
		bytes, err := sqlq.ParseBytes(text)
		if err != nil || bytes < 1 {
			return fmt.Errorf("%s must be a size of at least 1 byte, such as 10GiB", key)
		}
		a.Bytes = bytes
	case engineSecondsKey:
		const most = 1e9
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0.001 && seconds <= most) { // written so that NaN fails
			return fmt.Errorf("%s must be a number of seconds from 0.001 to %.0f", key, most)
		}
		a.EngineTime = time.Duration(math.Round(seconds * float64(time.Second)))
	default:
		return fmt.Errorf("unknown key %q; the keys are %s", key, strings.Join(amountKeys(), ", "))
	}
	return nil
}

// YAML returns the budget as [ReadBudget] reads it, on one line.
func (b *Budget) YAML() string {
	var parts []string
	for _, period := range periods() {
		if amounts := *b.of(Period(period)); amounts != (Amounts{}) {
			parts = append(parts, period+": {"+amounts.yaml()+"}")
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (a *Amounts) yaml() string {
	var parts []string
	add := func(key string, number int64) {
		if number > 0 {
			parts = append(parts, key+": "+strconv.FormatInt(number, 10))
		}
	}
	add(requestsKey, a.Requests)
	add(rowsKey, a.Rows)
	add(bytesKey, a.Bytes)
	if a.EngineTime > 0 {
		parts = append(parts, engineSecondsKey+": "+strconv.FormatFloat(a.EngineTime.Seconds(), 'f', -1, 64))
	}
	return strings.Join(parts, ", ")
}
