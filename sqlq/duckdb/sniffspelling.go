package duckdb

import (
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// spelling is a way to write a value that no type but STRING takes.
type spelling struct {
	pattern string
	// format is the format string of PARSE_DATE, for dates; it is empty for other spellings.
	format string
}

const (
	decimalComma = `[+-]?[0-9]+,[0-9]+|[+-]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+`
	wholeNumber  = `[+-]?[0-9]+|[+-]?[0-9]{1,3}(\.[0-9]{3})+`
	leadingZero  = `0[0-9]+`
	withoutZone  = `[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+`
)

// spellings returns the ways to write values that are looked for. The order of day and month comes twice.
func spellings() []spelling {
	const day, month, year = `(0?[1-9]|[12][0-9]|3[01])`, `(0?[1-9]|1[0-2])`, `[0-9]{4}`
	return []spelling{
		{`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}`, "%Y-%m-%d"},
		{day + `\.` + month + `\.` + year, "%d.%m.%Y"},
		{year + `/` + month + `/` + day, "%Y/%m/%d"},
		{month + `/` + day + `/` + year, "%m/%d/%Y"},
		{day + `/` + month + `/` + year, "%d/%m/%Y"},
		{day + `-` + month + `-` + year, "%d-%m-%Y"},
		{month + `-` + day + `-` + year, "%m-%d-%Y"},
		{decimalComma, ""},
		{wholeNumber, ""},
		{leadingZero, ""},
		{withoutZone, ""},
	}
}

// of returns how many values have a spelling.
func (s *sample) of(pattern string) spelled {
	return s.spellings[slices.IndexFunc(s.spellings, func(found spelled) bool { return found.pattern == pattern })]
}

// spelling returns a remark on how the values of a STRING are spelled, with what a query makes of them; empty if there is none.
func (s *sample) spelling() string {
	if zeros := s.of(leadingZero); zeros.count > 0 && s.of(wholeNumber).count == s.values {
		return fmt.Sprintf("STRING, because numbers would lose the zeros of %s", sqlq.Quote(zeros.example))
	}
	if commas := s.of(decimalComma); commas.count > 0 && commas.count+s.of(wholeNumber).count == s.values {
		value := googlesql.QuoteName(s.column.Name)
		if strings.Contains(s.of(decimalComma).example+s.of(wholeNumber).example, ".") {
			value = "REPLACE(" + value + ", '.', '')"
		}
		return fmt.Sprintf("numbers with decimal commas, such as %s; in a query: CAST(REPLACE(%s, ',', '.') AS NUMERIC)", sqlq.Quote(commas.example), value)
	}
	return s.dates()
}

// dates returns a remark on dates that no DATE holds.
func (s *sample) dates() string {
	dates := slices.DeleteFunc(slices.Clone(s.spellings), func(found spelled) bool { return found.format == "" || found.count == 0 })
	slices.SortStableFunc(dates, func(a, b spelled) int { return int(b.count - a.count) })
	var chosen []spelled
	total, isAmbiguous := int64(0), false
	for _, found := range dates { // of both orders of day and month, the one that fits more values
		swapped := strings.NewReplacer("%d", "%m", "%m", "%d").Replace(found.format)
		if at := slices.IndexFunc(chosen, func(other spelled) bool { return other.format == swapped }); at >= 0 {
			isAmbiguous = isAmbiguous || chosen[at].count == found.count
			continue
		}
		chosen, total = append(chosen, found), total+found.count
	}
	if total != s.values {
		return ""
	}
	examples, parses := make([]string, len(chosen)), make([]string, len(chosen))
	for i, found := range chosen {
		examples[i], parses[i] = sqlq.Quote(found.example), fmt.Sprintf("SAFE.PARSE_DATE('%s', %s)", found.format, googlesql.QuoteName(s.column.Name))
	}
	text := fmt.Sprintf("dates such as %s; in a query: %s", examples[0], strings.TrimPrefix(parses[0], "SAFE."))
	if len(chosen) > 1 {
		text = fmt.Sprintf("dates in %d spellings, such as %s; in a query: COALESCE(%s)", len(chosen), sqlq.Join(examples), strings.Join(parses, ", "))
	}
	if isAmbiguous {
		text += "; is the day or the month first?"
	}
	return text
}

// ofTimes returns a remark on times without an offset.
func (s *sample) ofTimes() string {
	if found := s.of(withoutZone); s.column.Type == sqlq.Timestamp && found.count > 0 {
		return fmt.Sprintf("times without an offset, such as %s, are UTC", sqlq.Quote(found.example))
	}
	return ""
}
