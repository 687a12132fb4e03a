package duckjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// errShape is JSON that is not of the type that it should have.
var errShape = errors.New("JSON contradicts its type")

// ConvertTimes converts the times in the output of DuckDB's to_json for a value of the
// type (D13). A TIMESTAMP, with a zone or without, becomes a number of microseconds since
// the epoch, and an infinite TIMESTAMP or DATE becomes null. Keys of maps stay strings.
func ConvertTimes(text string, of *Type) (string, error) {
	if !of.hasTimes() {
		return text, nil
	}
	c := converter{rest: text}
	c.output.Grow(len(text))
	if err := c.value(of); err != nil {
		return "", err
	}
	if c.rest != "" {
		return "", errShape
	}
	return c.output.String(), nil
}

// converter moves text from rest to output.
type converter struct {
	rest   string
	output strings.Builder
}

// value moves a value of the type.
func (c *converter) value(of *Type) error {
	if of == nil || !of.hasTimes() || strings.HasPrefix(c.rest, "null") {
		return c.plain()
	}
	switch of.Name {
	case "LIST":
		return c.elements("[]", func(int) error { return c.value(of.Element) })
	case "MAP":
		return c.elements("{}", func(int) error {
			_, err := c.key()
			return errors.Join(err, c.value(of.Element))
		})
	case "STRUCT":
		return c.elements("{}", func(i int) error {
			if i >= len(of.Fields) {
				return errShape
			}
			_, err := c.key()
			return errors.Join(err, c.value(of.Fields[i].Type))
		})
	case "UNION":
		return c.elements("{}", func(int) error {
			name, err := c.key()
			return errors.Join(err, c.value(of.member(name)))
		})
	}
	return c.time(of.Name == "DATE")
}

// member returns the type of a union's member.
func (t *Type) member(name string) *Type {
	for _, field := range t.Fields {
		if field.Name == name {
			return field.Type
		}
	}
	return nil
}

// elements moves a list or an object; element moves the i-th of its elements.
func (c *converter) elements(brackets string, element func(i int) error) error {
	if !c.move(brackets[:1]) {
		return errShape
	}
	if c.move(brackets[1:]) {
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		if c.move(brackets[1:]) {
			return nil
		}
		if !c.move(",") {
			return errShape
		}
	}
}

// key copies the key of an object and its colon, and returns the key unquoted.
func (c *converter) key() (name string, err error) {
	if !strings.HasPrefix(c.rest, `"`) {
		return "", errShape
	}
	text := c.rest[:stringLength(c.rest)]
	if err := json.Unmarshal([]byte(text), &name); err != nil {
		return "", errShape
	}
	if c.move(text); !c.move(":") {
		return "", errShape
	}
	return name, nil
}

// plain moves a value as it is.
func (c *converter) plain() error {
	depth := 0
	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '"':
			i += stringLength(c.rest[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if i+1 == len(c.rest) || depth <= 0 && (depth < 0 || strings.IndexByte(",]}", c.rest[i+1]) >= 0) {
			if depth != 0 {
				return errShape
			}
			c.move(c.rest[:i+1])
			return nil
		}
	}
	return errShape
}

// move moves a text from the front; false where another one stands there.
func (c *converter) move(text string) bool {
	rest, ok := strings.CutPrefix(c.rest, text)
	if ok {
		c.rest = rest
		c.output.WriteString(text)
	}
	return ok
}

// time moves a time and converts it.
func (c *converter) time(isDate bool) error {
	if !strings.HasPrefix(c.rest, `"`) {
		return errShape
	}
	length := stringLength(c.rest)
	text := strings.Trim(c.rest[:length], `"`)
	switch {
	case text == "infinity" || text == "-infinity":
		c.output.WriteString("null")
	case isDate:
		c.output.WriteString(c.rest[:length])
	default:
		at, err := parseTimestamp(text)
		if err != nil {
			return err
		}
		c.output.WriteString(at)
	}
	c.rest = c.rest[length:]
	return nil
}

// parseTimestamp returns the microseconds of a time such as 2026-03-01 10:20:30.123456+00,
// which is in UTC because the session is. It truncates nanoseconds. A TIMESTAMP_S that
// microseconds cannot represent is null.
func parseTimestamp(text string) (microseconds string, err error) {
	day, clock, _ := strings.Cut(strings.TrimSuffix(text, "+00"), " ")
	clock, isBC := strings.CutPrefix(clock, "(BC) ")
	year, monthAndDay, _ := strings.Cut(day, "-")
	years, err := strconv.Atoi(year)
	if err != nil {
		return "", fmt.Errorf("%w: a time that cannot be read", errShape)
	}
	if isBC {
		years = 1 - years
	}
	inYear, err := time.Parse("2006-01-02 15:04:05", "2000-"+monthAndDay+" "+clock)
	if err != nil {
		return "", fmt.Errorf("%w: a time that cannot be read", errShape)
	}
	at := time.Date(years, inYear.Month(), inYear.Day(), inYear.Hour(), inYear.Minute(), inYear.Second(), inYear.Nanosecond(), time.UTC)
	const perSecond = 1_000_000
	if seconds := at.Unix(); seconds >= math.MaxInt64/perSecond || seconds <= math.MinInt64/perSecond {
		return "null", nil
	}
	return strconv.FormatInt(at.UnixMicro(), 10), nil
}
