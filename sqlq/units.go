package sqlq

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"
)

// Units is a NUMERIC in units of its ninth digit after the point, in two's complement of 128 bits. It has the layout of
// Arrow's decimals and DuckDB's.
type Units struct {
	Low  uint64
	High int64
}

// wordDigits is how many digits every uint64 can hold, and wordUnits the first number that has more.
const (
	wordDigits = 19
	wordUnits  = 1e19
)

// UnitsOf returns a number in units, and reports whether it has no more digits than a NUMERIC.
func UnitsOf(number Decimal) (units Units, ok bool) {
	digits, isNegative := strings.CutPrefix(string(number), "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if ExceedsNumeric(len(whole), len(fraction)) {
		return Units{}, false
	}
	digits = whole + fraction + strings.Repeat("0", NumericScale-len(fraction))
	split := max(0, len(digits)-wordDigits)
	var first uint64
	if split > 0 {
		if first, ok = parseDigits(digits[:split]); !ok {
			return Units{}, false
		}
	}
	last, ok := parseDigits(digits[split:])
	high, low := bits.Mul64(first, wordUnits)
	low, carry := bits.Add64(low, last, 0)
	units = Units{low, int64(high + carry)} //nolint:gosec // 38 digits have fewer bits.
	if isNegative {
		units = units.negated()
	}
	return units, ok
}

func parseDigits(digits string) (uint64, bool) {
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

func (u Units) negated() Units {
	low, borrow := bits.Sub64(0, u.Low, 0)
	return Units{low, -u.High - int64(borrow)} //nolint:gosec // It is a bit.
}

// Decimal returns the number.
func (u Units) Decimal() Decimal {
	sign := ""
	if u.High < 0 {
		sign, u = "-", u.negated()
	}
	first, last := bits.Div64(uint64(u.High), u.Low, wordUnits) //nolint:gosec // It is not negative.
	var digits [2 * wordDigits]byte
	for i := range wordDigits {
		digits[wordDigits-1-i], digits[len(digits)-1-i] = byte('0'+first%10), byte('0'+last%10)
		first, last = first/10, last/10
	}
	const point = len(digits) - NumericScale
	whole := bytes.TrimLeft(digits[:point-1], "0") // not the last, which 0.5 has, too
	fraction := bytes.TrimRight(digits[point:], "0")
	number := append(append(make([]byte, 0, len(digits)+len("-.")), sign...), digits[point-1-len(whole):point]...)
	if len(fraction) > 0 {
		number = append(append(number, '.'), fraction...)
	}
	return Decimal(number)
}
