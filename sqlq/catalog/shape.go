package catalog

import (
	"errors"

	"savedq/sqlq"
	"savedq/sqlq/series/shape"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/sqltree"
)

// findShape finds the tables of a series, and what in its SQL prevents that rows are reused. The folder
// must have no mistakes.
func (b *builder) findShape(query *sqlq.SavedQuery, places *queryPlaces) {
	if query.Cache == 0 {
		query.Series.Obstacles = append(query.Series.Obstacles, places.series.Mistakef("rows of the series cannot be reused: the saved query is not cached; set cache"))
	}
	if b.parser == nil {
		if b.parser, b.failed = sqltree.Open(); b.failed != nil {
			return
		}
	}
	text := sqltext.ForParser(b.dialect, query.SQL)
	tree, err := sqltree.Parse(b.ctx, b.parser, text.Text)
	isBounded := false
	switch {
	case err == nil:
		isBounded = shape.Find(b.ctx, b.parser, tree, text, query)
	case errors.Is(err, sqltree.ErrSyntax) || errors.Is(err, sqltree.ErrNotSelect) || errors.Is(err, sqltree.ErrNotOne):
		query.Series.Obstacles = append(query.Series.Obstacles, sqlq.Place{File: query.SQLFile, Line: 1, Column: 1}.Mistakef("rows of the series cannot be reused: %s", err))
	default:
		b.failed = err
	}
	used := make(map[string]bool)
	for _, use := range sqltext.Params(b.dialect, query.SQL) {
		used[use.Name] = true
	}
	if !isBounded && (!used[sqlq.FromParam] || !used[sqlq.ToParam]) {
		b.mistakes = append(b.mistakes, places.series.Mistakef("the tables of the series cannot be bounded: %s; or read only rows with timestamp >= %sfrom AND timestamp < %[2]sto",
			query.Series.Obstacles[len(query.Series.Obstacles)-1].Message, b.dialect.ParamPrefix()))
	}
}
