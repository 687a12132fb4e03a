package sqlq

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// NowParam is the extra parameter that every query gets: the time of the run
// (D1). No saved query may declare it.
const NowParam = "now"

// Bind validates raw parameters, as they stand in a query string, against the declared ones
// and returns one argument per declared parameter, in declared order. Parameters that are not
// declared are ignored (D8), unless they ask for other rows (D37). A TIMESTAMP or a DATE can be relative to the time
// of the run, as in a default; [SavedQuery.CheckRelative] checks it against the limits of the parameter then. The
// error is an [*Error] that names the first faulty parameter.
func (q *SavedQuery) Bind(raw map[string][]string) ([]Arg, error) {
	if err := q.refuse(raw); err != nil {
		return nil, err
	}
	args := make([]Arg, len(q.Params))
	for i := range q.Params {
		param := &q.Params[i]
		value, err := param.bindAll(raw[param.Name])
		if err != nil {
			return nil, ParamErrorf(param.Name, "%s", err)
		}
		args[i] = Arg{Name: param.Name, Type: param.Type, Value: value}
	}
	return args, nil
}

// bindAll returns the value for the texts of a parameter, of which an array has any number
// and any other type at most one.
func (p *Param) bindAll(texts []string) (any, error) {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return nil, errors.New("is not valid UTF-8")
		}
		if strings.ContainsRune(text, 0) { // DuckDB would cut the text there
			return nil, errors.New("contains the character NUL (U+0000); remove it")
		}
	}
	switch {
	case p.Type.IsArray():
		return p.bindArray(texts)
	case len(texts) > 1:
		return nil, fmt.Errorf("is given %d times; give it once", len(texts))
	case len(texts) == 0 || texts[0] == "":
		return p.absent()
	case p.TakesRelative() && isRelativeText(texts[0]):
		return parseFromNowOf(texts[0])
	}
	return p.bindText(texts[0])
}

// TakesRelative reports whether a value can be a time relative to now. Allowed and Pattern are about the text of a value,
// and a relative time has another one at each run.
func (p *Param) TakesRelative() bool {
	return (p.Type == Timestamp || p.Type == Date) && len(p.Allowed) == 0 && p.Pattern == ""
}

// IsRelative reports whether a text is a time relative to now that the parameter takes.
func (p *Param) IsRelative(text string) bool {
	_, err := parseFromNowOf(text)
	return err == nil && p.TakesRelative()
}

// checkAt returns an error if the limits of the parameter do not allow the time that a relative one is in a run.
func (p *Param) checkAt(relative FromNow, now time.Time) error {
	moment, layout := relative.at(now.UTC().Truncate(time.Microsecond), p.Type), time.RFC3339Nano
	if p.Type == Date {
		layout = time.DateOnly
	}
	return p.checkBounds(moment, moment.Format(layout))
}

// CheckRelative returns an error if an argument that is relative to now exceeds the limits of its parameter at the time
// of a run. [SavedQuery.Bind] has checked all others. The error is an [*Error].
func (q *SavedQuery) CheckRelative(args []Arg, now time.Time) error {
	for i, arg := range args {
		if relative, ok := arg.Value.(FromNow); ok {
			if err := q.Params[i].checkAt(relative, now); err != nil {
				return ParamErrorf(arg.Name, "%s", err)
			}
		}
	}
	return nil
}

// bindArray returns the elements for texts. A single empty text is an absent parameter, and
// no text at all an empty array.
func (p *Param) bindArray(texts []string) (any, error) {
	if texts == nil || len(texts) == 1 && texts[0] == "" || len(texts) == 0 && p.Required {
		return p.absent()
	}
	if p.MaxItems > 0 && len(texts) > p.MaxItems {
		return nil, fmt.Errorf("has %d values; give at most %d", len(texts), p.MaxItems)
	}
	elements := make([]any, len(texts))
	for i, text := range texts {
		if text == "" {
			return nil, fmt.Errorf("has an empty value at position %d", i+1)
		}
		var err error
		if elements[i], err = p.bindText(text); err != nil {
			return nil, err
		}
	}
	return elements, nil
}

// absent returns the value of an absent parameter.
func (p *Param) absent() (any, error) {
	switch {
	case p.Required && len(p.Allowed) > 0:
		return nil, fmt.Errorf("is required; use one of %s", strings.Join(p.Allowed, ", "))
	case p.Required:
		return nil, errors.New("is required and must not be empty")
	case p.Type.IsArray() && len(p.Default) == 0:
		return []any{}, nil
	case p.Type.IsArray():
		return p.bindArray(p.Default)
	case len(p.Default) == 0:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case p.HasRelativeDefault():
		return ParseFromNow(p.Default[0])
	}
	return p.bindText(p.Default[0])
}

// HasRelativeDefault reports whether the default is a time relative to now.
func (p *Param) HasRelativeDefault() bool {
	return (p.Type == Timestamp || p.Type == Date) && len(p.Default) == 1 && isRelativeText(p.Default[0])
}

// bindText returns the value for a text that is not empty.
func (p *Param) bindText(text string) (any, error) {
	if len(p.Allowed) > 0 && !p.allows(text) {
		if p.Fallback == nil {
			return nil, fmt.Errorf("%s is not allowed; use one of %s", Quote(text), strings.Join(p.Allowed, ", "))
		}
		text = *p.Fallback
	}
	return p.Parse(text)
}

// allows reports whether a value is among the allowed ones: the same text, or an equal NUMERIC.
func (p *Param) allows(text string) bool {
	if p.Type.Element() != Numeric {
		return slices.Contains(p.Allowed, text)
	}
	number, err := ParseNumeric(text)
	return err == nil && slices.ContainsFunc(p.Allowed, func(allowed string) bool {
		other, _ := ParseNumeric(allowed) // the catalog has validated it
		return other == number
	})
}

// Parse validates the text of a value, or of an element of an array, and returns the value:
// a string, int64, float64, [Decimal], bool or time.Time.
func (p *Param) Parse(text string) (any, error) {
	if p.MaxLength > 0 && utf8.RuneCountInString(text) > p.MaxLength {
		return nil, fmt.Errorf("is longer than %d characters", p.MaxLength)
	}
	if p.Pattern != "" && !matchesWhole(p.pattern, text) {
		if p.PatternMessage != "" {
			return nil, fmt.Errorf("%s is not valid; %s", Quote(text), p.PatternMessage)
		}
		return nil, fmt.Errorf("%s does not match the pattern %s", Quote(text), p.Pattern)
	}
	value, err := p.parse(text)
	if err == nil {
		err = p.checkBounds(value, text)
	}
	if err != nil {
		return nil, err
	}
	return value, nil
}

// checkBounds returns an error if a value, which has the text, is less than the minimum or more than the maximum.
func (p *Param) checkBounds(value any, text string) error {
	switch {
	case p.Min != nil && compare(value, p.Min.Value) < 0:
		return fmt.Errorf("%s is less than the minimum, %s", Quote(text), p.Min.Text)
	case p.Max != nil && compare(value, p.Max.Value) > 0:
		return fmt.Errorf("%s is more than the maximum, %s", Quote(text), p.Max.Text)
	}
	return nil
}

func (p *Param) parse(text string) (any, error) {
	switch p.Type.Element() {
	case String:
		if p.Regex {
			return text, checkExpression(text)
		}
		return text, nil
	case Int64:
		value, err := strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, fmt.Errorf("%s is too large or too small; use a whole number from -2^63 to 2^63-1", Quote(text))
		case err != nil:
			return nil, fmt.Errorf("%s is not a whole number", Quote(text))
		}
		return value, nil
	case Float64:
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || strings.ContainsAny(text, "_xX") { // Go's own spellings
			return nil, fmt.Errorf("%s is not a finite number", Quote(text))
		}
		return value, nil
	case Numeric:
		return ParseNumeric(text)
	case Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%s is neither true nor false", Quote(text))
		}
		return text == "true", nil
	case Timestamp:
		return ParseTimestamp(text)
	case Date:
		return ParseDate(text)
	case Datetime, JSON, Struct: // only columns have these types
	}
	return nil, fmt.Errorf("has the type %s, which no parameter can have", p.Type)
}

// compare compares two values of a type. Booleans have no order: they are equal or not.
func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case Decimal:
		return a.Compare(b.(Decimal))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	if a == b {
		return 0
	}
	return 1
}

// BoundValue stands for the value of a token in [Param.BoundPattern].
const BoundValue = "{value}"

// Literal returns the expression that a value of a token becomes if it binds a parameter with
// Regex. It matches the value literally, and never the longer one of somebody else.
func (p *Param) Literal(value string) string {
	pattern := p.BoundPattern
	if pattern == "" {
		pattern = "^" + BoundValue + "$"
	}
	return strings.ReplaceAll(pattern, BoundValue, regexp.QuoteMeta(value))
}

// EqualValues reports whether two values of parameters, which are no arrays, are equal.
func EqualValues(a, b any) bool {
	if a, isTime := a.(time.Time); isTime {
		b, isTime := b.(time.Time)
		return isTime && a.Equal(b)
	}
	return a == b
}

// SetPattern sets the pattern that the whole value must match. The error says why it does
// not compile.
func (p *Param) SetPattern(expression string) error {
	pattern, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	pattern.Longest() // finds all of a value if it matches all of it
	p.Pattern, p.pattern = expression, pattern
	return nil
}

// matchesWhole reports whether the pattern matches all of the text, and not only a part.
func matchesWhole(pattern *regexp.Regexp, text string) bool {
	at := pattern.FindStringIndex(text)
	return at != nil && at[0] == 0 && at[1] == len(text)
}

// Quote quotes a value of a caller for a message, cut to 64 characters.
func Quote(text string) string {
	const most = 64
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return strconv.Quote(text)
}
