package sqlq

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a NUMERIC (D42): an exact decimal number, as the one text that it has everywhere.
// That has no exponent, no plus, no zeros before the first and after the last digit that counts,
// and no sign of zero. So equal numbers are equal strings, and each is a JSON number.
type Decimal string

const (
	// NumericScale is the most digits that a NUMERIC argument has after the point, and numericWhole before it. BigQuery's
	// NUMERIC and DuckDB's DECIMAL(38, 9) both hold exactly these.
	NumericScale = 9
	numericWhole = 29
	// mostDigits bounds the digits on either side of the point of any Decimal, so that a short text
	// with an exponent does not become a long one. BigQuery's BIGNUMERIC has at most 39.
	mostDigits = 400
)

// errDigits means that a number has more than [mostDigits].
var errDigits = errors.New("has too many digits")

// ParseDecimal returns the decimal number of a text such as -12.50 or 1.25e3, with all its digits.
func ParseDecimal(text string) (Decimal, error) {
	number, sign := text, ""
	if rest, isNegative := strings.CutPrefix(number, "-"); isNegative {
		number, sign = rest, "-"
	} else {
		number = strings.TrimPrefix(number, "+")
	}
	mantissa, exponent := number, 0
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[at+1:]); err != nil && !errors.Is(err, strconv.ErrRange) {
			return "", errNotDecimal(text)
		}
		mantissa = number[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(whole)+len(fraction) == 0 || !isDigits(whole) || !isDigits(fraction) {
		return "", errNotDecimal(text)
	}
	if exponent != 0 {
		if strings.Trim(whole+fraction, "0") == "" {
			return "0", nil
		}
		if exponent < -mostDigits-len(whole) || exponent > mostDigits+len(fraction) {
			return "", errDigits
		}
		whole, fraction = shifted(whole, fraction, exponent)
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	switch {
	case len(whole) > mostDigits || len(fraction) > mostDigits:
		return "", errDigits
	case whole == "" && fraction == "":
		return "0", nil
	case whole == "":
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return Decimal(sign + whole), nil
}

func errNotDecimal(text string) error {
	return fmt.Errorf("%s is not a decimal number; use for example 12.50", Quote(text))
}

func isDigits(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// shifted moves the point by places, to the right if they are positive.
func shifted(whole, fraction string, places int) (string, string) {
	if places > 0 {
		fraction += strings.Repeat("0", max(0, places-len(fraction)))
		return whole + fraction[:places], fraction[places:]
	}
	whole = strings.Repeat("0", max(0, -places-len(whole))) + whole
	return whole[:len(whole)+places], whole[len(whole)+places:] + fraction
}

// ParseNumeric returns the decimal number of an argument or a field, which has no more digits than a NUMERIC
// on every engine.
func ParseNumeric(text string) (Decimal, error) {
	number, err := ParseDecimal(text)
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(number), "-"), ".")
	if errors.Is(err, errDigits) || ExceedsNumeric(len(whole), len(fraction)) {
		return "", fmt.Errorf("%s has too many digits; use at most %d before and %d after the point", Quote(text), numericWhole, NumericScale)
	}
	return number, err
}

// ExceedsNumeric reports whether a number of digits before or after the point is more than a NUMERIC has on every engine.
func ExceedsNumeric(whole, fraction int) bool {
	return whole > numericWhole || fraction > NumericScale
}

// Compare returns -1, 0 or 1 as the number is less than, equal to or greater than another.
func (d Decimal) Compare(other Decimal) int { return d.rational().Cmp(other.rational()) }

// rational returns the number. The empty Decimal is 0.
func (d Decimal) rational() *big.Rat {
	number, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return new(big.Rat)
	}
	return number
}
