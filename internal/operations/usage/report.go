package usage

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// maxReportRows bounds a report.
const maxReportRows = 10_000

// Query asks for usage.
type Query struct {
	// From and To are the first and the last day.
	From, To time.Time
	// Token, Subject and Endpoint limit the report to one each; empty means all.
	Token, Subject, Endpoint string
	// By names what the rows are for. Totals of the rest are added up.
	By []Dimension
}

// Dimension is what usage is counted by.
type Dimension string

// The dimensions.
const (
	ByDay      Dimension = "day"
	ByToken    Dimension = "token"
	BySubject  Dimension = "subject"
	ByEndpoint Dimension = "endpoint"
)

// Dimensions returns all dimensions, in the order of columns.
func Dimensions() []Dimension { return []Dimension{ByDay, ByToken, BySubject, ByEndpoint} }

// Row is a row of a report. What it is not by is zero.
type Row struct {
	Day time.Time
	ID

	Endpoint string
	Totals
}

// Report returns the rows that a query asks for, the newest day first. truncated reports
// whether there were too many: those of older days are missing.
func (l *Ledger) Report(ctx context.Context, query Query) (rows []Row, truncated bool, err error) {
	l.now()
	today := l.today.Load()
	report := &report{query: query, rows: make(map[Row]Totals)}
	last := startOf(query.To)
	if last.After(today.start) {
		last = today.start
	}
	oldest := today.start.AddDate(0, 0, 1-KeptDays)
	for day := last; !day.Before(startOf(query.From)) && !day.Before(oldest); day = day.AddDate(0, 0, -1) {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		var lines []line
		if day.Equal(today.start) {
			lines = today.lines(true, false)
		} else if _, err := readFile(pathOf(l.config.Directory, day), func(read line) { lines = append(lines, read) }); err != nil {
			return nil, false, err
		}
		report.addDay(day, lines)
	}
	rows = make([]Row, 0, len(report.rows))
	for row, totals := range report.rows {
		row.Totals = totals
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(b.Day.Compare(a.Day), cmp.Compare(a.Token, b.Token), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	return rows, report.truncated, nil
}

// report collects rows.
type report struct {
	query Query
	// rows are the totals by the rows without them.
	rows      map[Row]Totals
	truncated bool
}

// addDay adds the rows of a day. Of the lines about one row, the last counts.
func (r *report) addDay(day time.Time, lines []line) {
	totals := make(map[Row]Totals)
	for _, line := range lines {
		if line.Totals != nil {
			totals[Row{Day: day, ID: line.ID, Endpoint: line.Endpoint}] = *line.Totals
		}
	}
	for row, totals := range totals {
		r.add(row, totals)
	}
}

// add adds a row, if the query asks for it.
func (r *report) add(row Row, totals Totals) {
	matches := func(filter, value string) bool { return filter == "" || filter == value }
	if !matches(r.query.Token, row.Token) || !matches(r.query.Subject, row.Subject) || !matches(r.query.Endpoint, row.Endpoint) {
		return
	}
	key := Row{}
	for _, dimension := range r.query.By {
		switch dimension {
		case ByDay:
			key.Day = row.Day
		case ByToken:
			key.Token = row.Token
		case BySubject:
			key.Subject = row.Subject
		case ByEndpoint:
			key.Endpoint = row.Endpoint
		}
	}
	sum, found := r.rows[key]
	if !found && len(r.rows) >= maxReportRows {
		r.truncated = true
		return
	}
	sum.add(totals)
	r.rows[key] = sum
}
