package googlejson

import (
	"strconv"
	"strings"
)

// mostPlainDigits is how many digits before the point a number has that is written without an exponent.
const mostPlainDigits = 15

// FloatText writes a finite FLOAT64 as the type JSON does: with the fewest digits that stand for it, and with a point or an
// exponent, so that it is no integer.
func FloatText(number float64) string {
	sign, rest := "", strconv.FormatFloat(number, 'e', -1, 64)
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, exponent, _ := strings.Cut(rest, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	power, _ := strconv.Atoi(exponent) // as it was written
	point := power + 1                 // how many digits are before the point
	switch {
	case number == 0:
		return sign + "0.0"
	case len(digits) <= point && point <= mostPlainDigits:
		return sign + digits + strings.Repeat("0", point-len(digits)) + ".0"
	case 0 < point && point <= mostPlainDigits:
		return sign + digits[:point] + "." + digits[point:]
	case -4 < point && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	return sign + rest
}
