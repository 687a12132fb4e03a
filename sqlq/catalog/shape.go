package catalog

import (
	"errors"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/series/shape"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/sqltree"
)

// findShape finds the tables of a series, and what in its SQL, in a dialect, prevents that rows are reused. The folder
// must have no mistakes.
func (b *builder) findShape(query *sqlq.SavedQuery, places *queryPlaces, dialect sqlq.Dialect) {
	if query.Cache == 0 {
		query.Series.Obstacles = append(query.Series.Obstacles, places.series.Mistakef("rows of the series cannot be reused: the saved query is not cached; set cache"))
	}
	if b.parser == nil {
		if b.parser, b.failed = sqltree.Open(); b.failed != nil {
			return
		}
	}
	isBounded := false
	text, err := b.shapeOf(query, dialect)
	written, _ := query.Written()
	at := sqlq.Place{File: query.SQLFile, Line: 1, Column: 1}
	var mistake *googlesql.Error
	if errors.As(err, &mistake) {
		at.Line, at.Column = sqlq.LineAndColumn(written, mistake.Offset)
	}
	switch {
	case err == nil:
		isBounded = shape.Find(b.ctx, b.parser, text, query)
	case mistake != nil || errors.Is(err, sqltree.ErrSyntax) || errors.Is(err, sqltree.ErrNotSelect) || errors.Is(err, sqltree.ErrNotOne) || errors.Is(err, errNoShape):
		query.Series.Obstacles = append(query.Series.Obstacles, at.Mistakef("rows of the series cannot be reused: %s", err))
	default:
		b.failed = err
	}
	used := make(map[string]bool)
	for _, use := range sqltext.Params(dialect, written) {
		used[use.Name] = true
	}
	if !isBounded && (!used[sqlq.FromParam] || !used[sqlq.ToParam]) {
		b.mistakes = append(b.mistakes, places.series.Mistakef("the tables of the series cannot be bounded: %s; or read only rows with timestamp >= %sfrom AND timestamp < %[2]sto",
			query.Series.Obstacles[len(query.Series.Obstacles)-1].Message, dialect.ParamPrefix()))
	}
}

// errNoShape means that nothing here reads the language of the SQL.
var errNoShape = errors.New("SQL of this engine is not read; write query.sql")

// shapeOf returns the shape of the SQL as its author wrote it.
func (b *builder) shapeOf(query *sqlq.SavedQuery, dialect sqlq.Dialect) (*shape.Text, error) {
	switch {
	case dialect.RunsGoogleSQL():
		written, _ := query.Written()
		if b.dialect.RunsGoogleSQL() {
			return googlesql.Shape(written, nil)
		}
		return googlesql.Shape(written, new(googlesql.EnvironmentOf(query)))
	case dialect.Name() != sqltree.Language:
		return nil, errNoShape
	}
	tree, err := sqltree.Parse(b.ctx, b.parser, query.SQL)
	if err != nil {
		return nil, err
	}
	return sqltree.Shape(b.parser, query.SQL, tree), nil
}
