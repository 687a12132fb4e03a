// Package googlejson reads and changes JSON as GoogleSQL does.
package googlejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// mostJSONDepth is how deep brackets of JSON can be nested.
const mostJSONDepth = 500

// Parse returns the JSON that PARSE_JSON makes of a text: members in the order of their names, and of members with the
// same name, the first. It is an error if the text is not JSON, which DuckDB is less strict about, or has a number that no
// INT64, UINT64 or FLOAT64 holds exactly.
func Parse(text string) (string, error) { return parse(text, false) }

// ParseRounded is as [Parse], but rounds numbers to the nearest FLOAT64.
func ParseRounded(text string) (string, error) { return parse(text, true) }

func parse(text string, rounds bool) (string, error) {
	document, err := decode(text, rounds)
	if err != nil {
		return "", err
	}
	return encode(document)
}

var (
	errNoJSON = errors.New("a text is not valid JSON; SAFE.PARSE_JSON returns NULL for it")
	errDigits = errors.New("a number of JSON has more digits than an INT64 or a FLOAT64 holds; write it as a string, or PARSE_JSON(x, wide_number_mode => 'round')")
)

// decode returns JSON as a tree of map[string]any, []any, string, json.Number, bool and nil.
func decode(text string, rounds bool) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	p := &jsonParser{decoder: decoder, rounds: rounds}
	document, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoJSON
	}
	return document, nil
}

// encode writes a tree as JSON. Members are in the order of their names.
func encode(document any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return "", errNoJSON
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// jsonParser reads JSON token by token, because encoding/json would take the last of members with the same name.
type jsonParser struct {
	decoder *json.Decoder
	// rounds means that numbers with too many digits are rounded.
	rounds bool
}

func (p *jsonParser) value(depth int) (any, error) {
	token, err := p.decoder.Token()
	if err != nil || depth > mostJSONDepth {
		return nil, errNoJSON
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return p.members(depth)
		}
		return p.elements(depth)
	case json.Number:
		return p.number(token)
	}
	return token, nil
}

func (p *jsonParser) members(depth int) (any, error) {
	members := make(map[string]any)
	for p.decoder.More() {
		token, err := p.decoder.Token()
		name, isName := token.(string)
		if err != nil || !isName {
			return nil, errNoJSON
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, isThere := members[name]; !isThere {
			members[name] = value
		}
	}
	return members, p.end()
}

func (p *jsonParser) elements(depth int) (any, error) {
	elements := []any{}
	for p.decoder.More() {
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		elements = append(elements, value)
	}
	return elements, p.end()
}

// end reads a closing bracket.
func (p *jsonParser) end() error {
	if _, err := p.decoder.Token(); err != nil {
		return errNoJSON
	}
	return nil
}

// number returns an integer as it is written, and another number as a FLOAT64 is. It returns an error for one that would be rounded
// otherwise.
func (p *jsonParser) number(written json.Number) (any, error) {
	text := written.String()
	if isInteger(text) {
		return written, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	isExact := err == nil && significantDigits(text) == significantDigits(strconv.FormatFloat(value, 'e', -1, 64))
	if err != nil || math.IsInf(value, 0) || !isExact && !p.rounds {
		return nil, errDigits
	}
	return json.Number(FloatText(value)), nil
}

// isInteger reports whether a number is an INT64 or a UINT64.
func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		_, err = strconv.ParseUint(text, 10, 64)
	}
	return err == nil
}

// significantDigits returns the digits of a number between the first and the last that are not zero.
func significantDigits(number string) string {
	number, _, _ = strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(number), "0")
}
