package googlesql

import (
	"regexp"
	"strings"
)

// numberFormat is the format of a number in CAST … FORMAT.
type numberFormat struct {
	// integer has the elements before the point: 0, 9 and commas.
	integer string
	// point is '.', V, which is not written, or empty; scale is how many digits are behind it.
	point string
	scale int
	// exponent is E or e; empty without one.
	exponent string
	// hex has x and X for the digits of a hexadecimal number, and zeros before the first that must be there; empty for others.
	hex string
	// zeros are how many digits are written at least.
	zeros int
	// sign is S, MI, PR or empty, and isSignFirst whether an S is before the digits.
	sign        string
	isSignFirst bool
	currency    string
	// isBlank means that spaces stand for a number without digits before the point, and isCompact that no spaces are around it.
	isBlank, isCompact bool
}

// mostNumberFormat is the longest format of a number.
const mostNumberFormat = 1024

var (
	numberElement = regexp.MustCompile(`(?i)^(?:FM|EEEE|MI|PR|[$09XDGSBVCL.,])`)
	decimalFormat = regexp.MustCompile(`^(S?)((?:[09][09,]*)?)(?:([.V])([09]*))?((?:EEEE|eeee)?)(S|MI|PR)?$`)
	hexFormat     = regexp.MustCompile(`^(S?)([0Xx]*[Xx][0Xx]*)(S|MI|PR)?$`)
)

// newNumberFormat reads a format of numbers. It fails for one that is none.
func newNumberFormat(format *literal) *numberFormat {
	f := &numberFormat{}
	bad := func(why string) {
		fail(format.place, "the format of CAST %s; a number takes 9, 0, X, '.', ',', $, S, MI, PR, EEEE, V, B and FM, such as '999,990.99'", why)
	}
	if len(format.text) > mostNumberFormat {
		bad("is longer than " + itoa(mostNumberFormat) + " characters")
	}
	var ordered strings.Builder // without the elements that can be anywhere
	once := func(isSet bool, name string) {
		if isSet {
			bad("has " + name + " twice")
		}
	}
	for rest := format.text; rest != ""; {
		element := numberElement.FindString(rest)
		if element == "" {
			bad("does not take " + rest)
		}
		rest = rest[len(element):]
		switch upper := strings.ToUpper(element); upper {
		case "FM":
			once(f.isCompact, upper)
			f.isCompact = true
		case "B":
			once(f.isBlank, upper)
			f.isBlank = true
		case "$", "L", "C":
			once(f.currency != "", "a currency")
			f.currency = map[string]string{"$": "$", "L": "$", "C": "USD"}[upper]
			if element == "c" {
				f.currency = "usd"
			}
		case "D":
			ordered.WriteString(".")
		case "G":
			ordered.WriteString(",")
		case "X", "EEEE":
			ordered.WriteString(ifElse(element[0] == upper[0], upper, strings.ToLower(element)))
		default:
			ordered.WriteString(upper)
		}
	}
	if match := hexFormat.FindStringSubmatch(ordered.String()); match != nil && !f.isBlank && f.currency == "" && len(match[2]) <= 16 {
		f.hex, f.sign, f.isSignFirst = match[2], match[1]+match[3], match[1] != ""
		if first := strings.IndexByte(f.hex, '0'); first >= 0 {
			f.zeros = len(f.hex) - first
		}
	} else if match := decimalFormat.FindStringSubmatch(ordered.String()); match != nil {
		f.integer, f.point, f.scale, f.exponent = match[2], match[3], len(match[4]), match[5]
		f.sign, f.isSignFirst = match[1]+match[6], match[1] != ""
		f.decimal()
	}
	switch {
	case f.hex == "" && f.integer == "" && f.scale == 0:
		bad("has no digits, or elements that cannot stand in this order")
	case len(f.sign) > 1 && f.sign[0] == 'S':
		bad("has a sign twice")
	case f.exponent != "" && (strings.Contains(f.integer, ",") || f.point == "V"):
		bad("has EEEE with ',' or V")
	}
	return f
}

// decimal finishes the format of a number that is not hexadecimal.
func (f *numberFormat) decimal() {
	if first := strings.IndexByte(f.integer, '0'); first >= 0 {
		f.zeros = strings.Count(f.integer[first:], "0") + strings.Count(f.integer[first:], "9")
	}
	if f.exponent != "" { // there is one digit before the point
		f.exponent = f.exponent[:1]
		if f.integer != "" && !strings.Contains(f.integer, ",") {
			f.integer, f.zeros = "9", 0
		}
	}
}

// digits are how many digits there can be before the point.
func (f *numberFormat) digits() int { return len(f.integer) - strings.Count(f.integer, ",") }

// widths has how many elements there are for a number of 1, 2 … digits before the point.
func (f *numberFormat) widths() []string {
	var widths []string
	for i := len(f.integer) - 1; i >= 0; i-- {
		if f.integer[i] != ',' {
			widths = append(widths, itoa(len(f.integer)-i))
		}
	}
	return widths
}

// signs are what is before and behind a number.
func (f *numberFormat) signs(isNegative bool) (before, behind string) {
	switch {
	case f.sign == "PR":
		return ifElse(isNegative, "<", " "), ifElse(isNegative, ">", " ")
	case f.sign == "MI":
		return "", ifElse(isNegative, "-", " ")
	case f.sign == "S" && f.isSignFirst:
		return ifElse(isNegative, "-", "+"), ""
	case f.sign == "S":
		return "", ifElse(isNegative, "-", "+")
	}
	return ifElse(isNegative, "-", " "), ""
}

// hashes replaces the digits of a part by #.
func hashes(part string) string { return strings.NewReplacer("0", "#", "9", "#").Replace(part) }

// special is the text of INF or NAN.
func (f *numberFormat) special(word string, isNegative bool) string {
	before, behind := f.signs(isNegative)
	if word == "NAN" { // which has no sign
		before, behind = strings.Repeat(" ", len(before)), strings.Repeat(" ", len(behind))
	}
	width, fraction := len(f.integer), strings.Repeat(" ", f.scale)
	point := ifElse(f.point == ".", ".", "")
	switch {
	case f.hex != "":
		word, fraction = strings.Repeat("#", len(f.hex)), ""
		before, behind = f.signs(isNegative)
	case f.exponent != "":
		width, fraction = len(f.integer)+len(f.point)+f.scale+4, ""
	case width < len(word):
		word, fraction = hashes(f.integer), point+strings.Repeat("#", f.scale)
	case point != "":
		fraction += " "
	}
	text := strings.Repeat(" ", max(width-len(word), 0)) + before + f.currency + word
	if f.isCompact {
		return strings.TrimSpace(text + strings.TrimSpace(fraction) + behind)
	}
	return text + fraction + behind
}
