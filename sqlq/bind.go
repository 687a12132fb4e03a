package sqlq

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// NowParam is the extra parameter that every query gets: the time of the run
// (D1). No saved query may declare it.
const NowParam = "now"

// Bind validates raw parameters, as they stand in a query string, against the
// declared ones and returns one argument per declared parameter, in declared
// order. Parameters that are not declared are ignored (D8). The error is an
// [*Error] that names the first parameter at fault.
func (q *SavedQuery) Bind(raw map[string][]string) ([]Arg, error) {
	args := make([]Arg, len(q.Params))
	for i := range q.Params {
		param := &q.Params[i]
		values := raw[param.Name]
		if len(values) > 1 {
			return nil, ParamErrorf(param.Name, "is given %d times; give it once", len(values))
		}
		text := ""
		if len(values) == 1 {
			text = values[0]
		}
		if !utf8.ValidString(text) {
			return nil, ParamErrorf(param.Name, "is not valid UTF-8")
		}
		if strings.ContainsRune(text, 0) { // DuckDB would cut the text there
			return nil, ParamErrorf(param.Name, "contains the character NUL (U+0000); remove it")
		}
		value, err := param.bind(text)
		if err != nil {
			return nil, ParamErrorf(param.Name, "%s", err)
		}
		args[i] = Arg{Name: param.Name, Type: param.Type, Value: value}
	}
	return args, nil
}

// bind turns the text of a parameter into its value; an absent parameter is the
// empty text.
func (p *Param) bind(text string) (any, error) {
	if text == "" {
		switch {
		case p.Required && len(p.Allowed) > 0:
			return nil, fmt.Errorf("is required; use one of %s", strings.Join(p.Allowed, ", "))
		case p.Required:
			return nil, errors.New("is required and must not be empty")
		case p.Default == nil:
			return nil, nil //nolint:nilnil // nil is the value NULL.
		}
		text = *p.Default
	}
	if len(p.Allowed) > 0 && !slices.Contains(p.Allowed, text) {
		if p.Fallback == nil {
			return nil, fmt.Errorf("%s is not allowed; use one of %s", Quote(text), strings.Join(p.Allowed, ", "))
		}
		text = *p.Fallback
	}
	return p.Parse(text)
}

// Parse validates the text of a value and converts it to the parameter's type: string,
// int64, float64, bool or time.Time.
func (p *Param) Parse(text string) (any, error) {
	if p.MaxLength > 0 && utf8.RuneCountInString(text) > p.MaxLength {
		return nil, fmt.Errorf("is longer than %d characters", p.MaxLength)
	}
	if p.Pattern != "" && !matchesWhole(p.pattern, text) {
		return nil, fmt.Errorf("%s does not match the pattern %s", Quote(text), p.Pattern)
	}
	switch p.Type {
	case String:
		if p.Regex {
			return text, checkExpression(text)
		}
		return text, nil
	case Int64:
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a whole number of 64 bits", Quote(text))
		}
		return value, nil
	case Float64:
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || strings.ContainsAny(text, "_xX") { // Go's own spellings
			return nil, fmt.Errorf("%s is not a finite number", Quote(text))
		}
		return value, nil
	case Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%s is neither true nor false", Quote(text))
		}
		return text == "true", nil
	case Timestamp:
		return ParseTimestamp(text)
	case Datetime, Date, JSON: // only columns have these types
	}
	return nil, fmt.Errorf("has the type %s, which no parameter can have", p.Type)
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
