// Package googlejson reads JSON as PARSE_JSON of GoogleSQL does.
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

// Parse returns the JSON that PARSE_JSON makes of a text: of members with the same name, the first. It is an error if the
// text is not JSON, which DuckDB is less strict about, or has a number that no INT64, UINT64 or FLOAT64 holds exactly.
func Parse(text string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	p := &jsonParser{decoder: decoder}
	if err := p.value(0, true); err != nil {
		return "", err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", errNoJSON
	}
	return p.out.String(), nil
}

var (
	errNoJSON = errors.New("a text is not valid JSON; SAFE.PARSE_JSON returns NULL for it")
	errDigits = errors.New("a number of JSON has more digits than an INT64 or a FLOAT64 holds; write it as a string")
)

// jsonParser copies JSON.
type jsonParser struct {
	decoder *json.Decoder
	out     bytes.Buffer
}

// value copies the next value, or leaves it out.
func (p *jsonParser) value(depth int, isKept bool) error {
	token, err := p.decoder.Token()
	if err != nil || depth > mostJSONDepth {
		return errNoJSON
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return p.members(depth, isKept)
		}
		return p.elements(depth, isKept)
	case json.Number:
		if err := checkJSONNumber(token.String()); err != nil {
			return err
		}
	}
	return p.write(token, isKept)
}

func (p *jsonParser) members(depth int, isKept bool) error {
	names := make(map[string]bool)
	p.mark('{', isKept)
	for p.decoder.More() {
		token, err := p.decoder.Token()
		name, isName := token.(string)
		if err != nil || !isName {
			return errNoJSON
		}
		isFirst := !names[name]
		if isFirst && len(names) > 0 {
			p.mark(',', isKept)
		}
		names[name] = true
		if err := p.write(name, isKept && isFirst); err != nil {
			return err
		}
		p.mark(':', isKept && isFirst)
		if err := p.value(depth+1, isKept && isFirst); err != nil {
			return err
		}
	}
	return p.end('}', isKept)
}

func (p *jsonParser) elements(depth int, isKept bool) error {
	p.mark('[', isKept)
	for i := 0; p.decoder.More(); i++ {
		if i > 0 {
			p.mark(',', isKept)
		}
		if err := p.value(depth+1, isKept); err != nil {
			return err
		}
	}
	return p.end(']', isKept)
}

// end copies a closing bracket.
func (p *jsonParser) end(bracket byte, isKept bool) error {
	if _, err := p.decoder.Token(); err != nil {
		return errNoJSON
	}
	p.mark(bracket, isKept)
	return nil
}

func (p *jsonParser) mark(char byte, isKept bool) {
	if isKept {
		p.out.WriteByte(char)
	}
}

// write copies a value that is not nested.
func (p *jsonParser) write(token any, isKept bool) error {
	if !isKept {
		return nil
	}
	encoder := json.NewEncoder(&p.out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(token); err != nil {
		return errNoJSON
	}
	p.out.Truncate(p.out.Len() - len("\n"))
	return nil
}

// checkJSONNumber returns an error for a number that is rounded when it is read.
func checkJSONNumber(text string) error {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return nil
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) || significantDigits(text) != significantDigits(strconv.FormatFloat(value, 'e', -1, 64)) {
		return errDigits
	}
	return nil
}

// significantDigits returns the digits of a number between the first and the last that are not zero.
func significantDigits(number string) string {
	number, _, _ = strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(number), "0")
}
