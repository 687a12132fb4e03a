package filecheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

const (
	// maxDepth is how deep brackets can be nested. DuckDB 1.5.6 calls itself for each, and ends the process on 100,000.
	maxDepth = 200
	// maxKey is the longest key that can be the name of a column, and maxNumber the longest number.
	maxKey    = 1 << 10
	maxNumber = 1 << 10
	// keysShown is how many keys a fault names.
	keysShown = 5
)

// jsonScanner finds brackets and quotes that are not closed, brackets that are nested too deep, rows that are no objects, numbers that
// lose digits, and whether any object has a declared column. It leaves the form of numbers and escapes to DuckDB.
type jsonScanner struct {
	// lines means that each row is on a line.
	lines bool
	// columns are the innermost types of the declared columns.
	columns map[string]sqlq.Type
	line    int
	// open are the brackets that are open, and expects is what can come next.
	open    []byte
	expects expectation
	// rowDepth is how many brackets each row is in: one if the file is a list.
	rowDepth int
	inString bool
	escaped  bool
	// inScalar is within a number or a word, which scalar has as far as it is read.
	inScalar bool
	scalar   []byte
	// isKey means that the string is a key of a row. key has the last one, without quotes.
	isKey bool
	key   []byte
	// rows counts objects, and found reports whether one has a declared column.
	rows  int
	found bool
	keys  []string
}

// expectation is what can come next in JSON.
type expectation int

const (
	// expectRow is before a row outside of all brackets, or the bracket of a list of rows.
	expectRow expectation = iota
	expectValue
	// expectValueOrEnd and expectKeyOrEnd are after an opening bracket.
	expectValueOrEnd
	expectKeyOrEnd
	expectKey
	expectColon
	expectCommaOrEnd
	// expectNothing is after the list of rows.
	expectNothing
)

func newJSONScanner(lines bool, columns []sqlq.Column) *jsonScanner {
	s := &jsonScanner{lines: lines, columns: make(map[string]sqlq.Type), line: 1}
	for _, column := range columns {
		s.columns[column.Name] = column.Type.Innermost()
	}
	s.found = len(columns) == 0
	return s
}

// write implements scanner.
func (s *jsonScanner) write(part []byte) error {
	for i := 0; i < len(part); {
		if s.inString {
			count, err := s.inText(part[i:])
			if err != nil {
				return err
			}
			i += count
			continue
		}
		if err := s.step(part[i]); err != nil {
			return err
		}
		i++
		if s.inScalar { // the fast way through a number
			start := i
			for i < len(part) && isScalar(part[i]) {
				i++
			}
			if i > start {
				s.addScalar(part[start:i])
			}
		}
	}
	return nil
}

// isScalar reports whether a byte continues a number or a word.
func isScalar(char byte) bool {
	return '0' <= char && char <= '9' || 'a' <= char && char <= 'z' || char == '.' || char == '-' || char == 'E' || char == '+'
}

// inText consumes bytes of a string, at least one.
func (s *jsonScanner) inText(part []byte) (int, error) {
	for i, char := range part {
		if char >= '#' && char != '\\' && !s.escaped { // most
			continue
		}
		switch {
		case char == '\n' || char == '\r':
			return 0, faultf(s.line, "a string is not closed on its line")
		case s.escaped:
			s.escaped = false
		case char == '\\':
			s.escaped = true
		case char == '"':
			if s.isKey {
				s.addKey(part[:i])
			}
			s.inString = false
			s.ended()
			return i + 1, nil
		}
	}
	if s.isKey {
		s.addKey(part)
	}
	return len(part), nil
}

// addKey adds to a key that is being read.
func (s *jsonScanner) addKey(part []byte) {
	s.key = append(s.key, part[:min(len(part), maxKey+1-len(s.key))]...)
}

// ended notes the end of a string.
func (s *jsonScanner) ended() {
	if s.expects != expectColon {
		s.expects = expectCommaOrEnd
		return
	}
	if s.isKey && !s.found {
		s.lookForColumn()
	}
	s.isKey = false
}

// name returns the last key of a row.
func (s *jsonScanner) name() string {
	name := string(s.key)
	if strings.Contains(name, `\`) {
		_ = json.Unmarshal([]byte(`"`+name+`"`), &name) // or DuckDB finds that it is no JSON
	}
	return name
}

// lookForColumn notes whether the last key of a row is a column.
func (s *jsonScanner) lookForColumn() {
	name := s.name()
	if _, s.found = s.columns[name]; s.found {
		return
	}
	if len(s.keys) <= keysShown && !slices.Contains(s.keys, name) {
		s.keys = append(s.keys, name)
	}
}

// step consumes a byte outside of strings.
func (s *jsonScanner) step(char byte) error {
	switch char {
	case ' ', '\t', '\r', '\n':
		return s.space(char)
	case '{', '[', '"':
		if s.inScalar {
			return s.unexpected()
		}
	}
	switch char {
	case '{', '[':
		return s.opens(char)
	case '}', ']':
		return s.closes(char)
	case '"':
		return s.quotes()
	case ',', ':':
		return s.separates(char)
	}
	return s.plain(char)
}

// space consumes white space. A line of NDJSON ends with its row.
func (s *jsonScanner) space(char byte) error {
	if err := s.endScalar(); err != nil || char != '\n' {
		return err
	}
	if s.lines && len(s.open) > 0 {
		return faultf(s.line, "its object is not closed on its line")
	}
	if s.lines {
		s.expects = expectRow
	}
	s.line++
	return nil
}

// opens consumes an opening bracket.
func (s *jsonScanner) opens(char byte) error {
	depth := len(s.open)
	switch {
	case s.expects == expectRow && char == '[' && !s.lines && s.rows == 0:
		s.rowDepth = 1
	case s.expects == expectRow && char == '[':
		return s.noObject()
	case s.expects == expectNothing && s.lines:
		return faultf(s.line, "a line has more than one object; lines end with \\n")
	case s.expects != expectRow && s.expects != expectValue && s.expects != expectValueOrEnd:
		return s.unexpected()
	case depth == s.rowDepth && char == '[':
		return s.noObject()
	case depth == s.rowDepth+maxDepth:
		return faultf(s.line, "brackets are nested more than %d levels deep", maxDepth)
	}
	if depth == s.rowDepth && char == '{' {
		s.rows++
	}
	s.open = append(s.open, char)
	s.expects = expectValueOrEnd
	if char == '{' {
		s.expects = expectKeyOrEnd
	}
	return nil
}

// closes consumes a closing bracket.
func (s *jsonScanner) closes(char byte) error {
	last := len(s.open) - 1
	if last < 0 || s.open[last] != char-2 { // in ASCII, a closing bracket is two after the opening one
		return s.unexpected()
	}
	empty := expectValueOrEnd
	if char == '}' {
		empty = expectKeyOrEnd
	}
	if s.expects != expectCommaOrEnd && s.expects != empty {
		return s.unexpected()
	}
	if err := s.endScalar(); err != nil {
		return err
	}
	s.open, s.expects = s.open[:last], expectCommaOrEnd
	switch {
	case last > 0:
	case s.rowDepth == 1 || s.lines:
		s.expects = expectNothing
	default:
		s.expects = expectRow
	}
	return nil
}

// quotes consumes the quote that opens a string.
func (s *jsonScanner) quotes() error {
	switch s.expects {
	case expectKey, expectKeyOrEnd:
		s.expects = expectColon
		if s.isKey = len(s.open) == s.rowDepth+1; s.isKey {
			s.key = s.key[:0]
		}
	case expectValue, expectValueOrEnd:
		if len(s.open) == s.rowDepth {
			return s.noObject()
		}
		s.expects = expectCommaOrEnd
	case expectRow:
		return s.noObject()
	default:
		return s.unexpected()
	}
	s.inString = true
	return nil
}

// separates consumes a comma or a colon.
func (s *jsonScanner) separates(char byte) error {
	if err := s.endScalar(); err != nil {
		return err
	}
	switch {
	case char == ':' && s.expects == expectColon:
		s.expects = expectValue
	case char == ',' && s.expects == expectCommaOrEnd && s.open[len(s.open)-1] == '{':
		s.expects = expectKey
	case char == ',' && s.expects == expectCommaOrEnd:
		s.expects = expectValue
	default:
		return s.unexpected()
	}
	return nil
}

// plain consumes a byte of a number or a word.
func (s *jsonScanner) plain(char byte) error {
	switch {
	case s.inScalar:
		s.addScalar([]byte{char})
		return nil
	case s.expects == expectRow:
		return s.noObject()
	case s.expects != expectValue && s.expects != expectValueOrEnd:
		return s.unexpected()
	case len(s.open) == s.rowDepth:
		return s.noObject()
	}
	s.inScalar, s.expects = true, expectCommaOrEnd
	s.scalar = append(s.scalar[:0], char)
	return nil
}

// addScalar adds to a number or a word that is being read.
func (s *jsonScanner) addScalar(part []byte) {
	s.scalar = append(s.scalar, part[:min(len(part), maxNumber+1-len(s.scalar))]...)
}

// endScalar ends a number or a word, if one is being read. DuckDB reads a number with a point or an exponent as a FLOAT64, so one that
// has other digits than its FLOAT64 is a fault, unless its column is one.
func (s *jsonScanner) endScalar() error {
	if !s.inScalar {
		return nil
	}
	s.inScalar = false
	if len(s.scalar) <= len("1e1") || !isFraction(s.scalar) || !isShortened(string(s.scalar)) {
		return nil
	}
	typ, isColumn := s.columns[s.name()]
	if !isColumn || typ == sqlq.Float64 {
		return nil
	}
	detail := fmt.Sprintf("its column %s has the value %s, which %s cannot hold exactly", s.name(), sqlq.Quote(string(s.scalar)), typ)
	return &FaultError{Line: s.line, Kind: tablefiles.Value, Detail: detail}
}

// isFraction reports whether a number has a point or an exponent.
func isFraction(number []byte) bool {
	for _, char := range number {
		if char == '.' || char|0x20 == 'e' {
			return true
		}
	}
	return false
}

// isShortened reports whether the nearest FLOAT64 of a number has other digits.
func isShortened(number string) bool {
	const always = 15 // digits survive
	digits := significant(number)
	if len(digits) <= always && !strings.ContainsAny(number, "eE") { // with an exponent, it can become 0
		return false
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil { // a word, or a number that DuckDB keeps as a text
		return len(number) > maxNumber
	}
	return digits != significant(strconv.FormatFloat(value, 'e', -1, 64))
}

// significant returns the digits of a number between the first and the last that are not zero.
func significant(number string) string {
	if end := strings.IndexAny(number, "eE"); end >= 0 {
		number = number[:end]
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, number), "0")
}

// end implements scanner.
func (s *jsonScanner) end() error {
	switch {
	case s.inString:
		return faultf(s.line, "it ends inside of a string; is the file cut short?")
	case len(s.open) > 0:
		return faultf(s.line, "it ends before all brackets are closed; is the file cut short?")
	case s.rows > 0 && !s.found:
		fault := faultf(0, "none of its objects has a column of the table")
		fault.Detail = s.keysText()
		return fault
	}
	return nil
}

// keysText returns the keys that objects have in the place of columns.
func (s *jsonScanner) keysText() string {
	if len(s.keys) == 0 {
		return "; they are empty"
	}
	names := make([]string, min(len(s.keys), keysShown))
	for i := range names {
		names[i] = sqlq.Quote(s.keys[i])
	}
	more := ""
	if len(s.keys) > keysShown {
		more = " and others"
	}
	return "; their keys are " + strings.Join(names, ", ") + more
}

func (s *jsonScanner) noObject() error { return faultf(s.line, "a row is not an object") }

func (s *jsonScanner) unexpected() error { return faultf(s.line, "it is not valid JSON") }
