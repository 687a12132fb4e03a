package googlejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// LaxBool returns the BOOL that LAX_BOOL makes of JSON; nil for NULL.
func LaxBool(text string) (any, error) {
	document, err := decode(text, true)
	switch of := document.(type) {
	case bool:
		return of, nil
	case json.Number:
		number, err := of.Float64()
		return number != 0, err
	case string:
		switch strings.ToLower(of) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return nil, err
}

// LaxInt64 returns the INT64 that LAX_INT64 makes of JSON; nil for NULL.
func LaxInt64(text string) (any, error) {
	document, err := decode(text, true)
	switch of := document.(type) {
	case bool:
		if of {
			return int64(1), nil
		}
		return int64(0), nil
	case json.Number:
		return rounded(of.String()), nil
	case string:
		if number := strings.TrimSpace(of); numberPattern.MatchString(number) {
			return rounded(number), nil
		}
	}
	return nil, err
}

var numberPattern = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// rounded returns the integer that is nearest to a number, and away from zero half way; nil if it is no INT64.
func rounded(number string) any {
	const least, most = 1e-10, 1e19 // beyond these, the exact number could have any number of digits
	near, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.Abs(near) > most:
		return nil
	case math.Abs(near) < least:
		return int64(0)
	}
	exact, isNumber := new(big.Rat).SetString(number)
	if !isNumber {
		return nil
	}
	half := big.NewRat(int64(exact.Sign()), 2)
	exact.Add(exact, half)
	whole := new(big.Int).Quo(exact.Num(), exact.Denom())
	if !whole.IsInt64() {
		return nil
	}
	return whole.Int64()
}

// LaxFloat64 returns the FLOAT64 that LAX_FLOAT64 makes of JSON; nil for NULL.
func LaxFloat64(text string) (any, error) {
	document, err := decode(text, true)
	switch of := document.(type) {
	case json.Number:
		return of.Float64()
	case string:
		of = strings.TrimSpace(of)
		number, notNumber := strconv.ParseFloat(of, 64)
		if notNumber == nil && (numberPattern.MatchString(of) || wordPattern.MatchString(of)) {
			return number, nil
		}
	}
	return nil, err
}

// wordPattern matches the numbers that are words.
var wordPattern = regexp.MustCompile(`(?i)^([+-]?inf(inity)?|nan)$`)

// LaxString returns the STRING that LAX_STRING makes of JSON; nil for NULL.
func LaxString(text string) (any, error) {
	document, err := decode(text, true)
	switch of := document.(type) {
	case bool:
		return strconv.FormatBool(of), nil
	case string:
		return of, nil
	case json.Number:
		if isInteger(of.String()) {
			return of.String(), nil
		}
		number, err := of.Float64()
		return floatText(number), err
	}
	return nil, err
}

// floatText writes a number with 15 digits, or with 17 if it needs more. Zero has no sign.
func floatText(number float64) string {
	if number == 0 {
		return "0"
	}
	short := fmt.Sprintf("%.15g", number)
	if parsed, err := strconv.ParseFloat(short, 64); err != nil || parsed != number {
		return fmt.Sprintf("%.17g", number)
	}
	return short
}

// IsExactFloat64 reports whether a number of JSON is a FLOAT64 with all its digits.
func IsExactFloat64(text string) (any, error) {
	document, err := decode(text, true)
	of, isNumber := document.(json.Number)
	if err != nil || !isNumber {
		return nil, err
	}
	number, err := of.Float64()
	return significantDigits(of.String()) == significantDigits(strconv.FormatFloat(number, 'f', -1, 64)), err
}

// Pretty returns JSON with a line for each member and each element. Lines are indented by the brackets around them, so that their
// length is limited by the depth.
func Pretty(text string) (any, error) {
	if depthOf(text) > mostJSONDepth {
		return nil, fmt.Errorf("JSON with brackets in more than %d levels cannot be indented; TO_JSON_STRING(x) writes it in one line", mostJSONDepth)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		return nil, errNoJSON
	}
	return out.String(), nil
}

// depthOf returns how deep the brackets of valid JSON are nested.
func depthOf(text string) (most int) {
	depth, isString := 0, false
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case isString && char == '\\':
			i++
		case char == '"':
			isString = !isString
		case isString:
		case char == '[' || char == '{':
			depth++
			most = max(most, depth)
		case char == ']' || char == '}':
			depth--
		}
	}
	return most
}
