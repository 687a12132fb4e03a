package googlesql

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
	seriesshape "savedq/sqlq/series/shape"
	"savedq/sqlq/sqltext"
)

// Shape returns the shape of a text (D31). env is what it can name; nil means that an engine runs the text itself, whose
// tables it knows. The error is an [*Error].
func Shape(written string, env *Environment) (_ *seriesshape.Text, err error) {
	defer recoverError(&err)
	p := newParser(scan(written), savedLimits())
	p.ranges = make(map[expression]textRange)
	s := &shaper{env: env, functions: newFunctionTable(), text: &seriesshape.Text{SQL: written, ParamPrefix: "@"}}
	s.text.Query = s.query(p.whole(), nil)
	s.text.Values = func(_ context.Context, x *seriesshape.Expression, sample seriesshape.Sample) (string, error) {
		return sampled(written, p.ranges, x, sample)
	}
	return s.text, nil
}

// sampled returns SQL of DuckDB for the values of an expression. Its columns are times: with a zone, or without.
func sampled(written string, ranges map[expression]textRange, x *seriesshape.Expression, sample seriesshape.Sample) (string, error) {
	within, isWritten := ranges[sourceOf(x)]
	if !isWritten {
		return "", errors.New("the expression is not a part of the text")
	}
	var changes []sqltext.Change
	x.Walk(func(part *seriesshape.Expression) bool {
		switch column := sample.Params[foldName(part.Param)]; {
		case len(part.Column) > 0:
			of := ranges[sourceOf(part)]
			changes = append(changes, sqltext.Change{Start: of.start, End: of.end, Text: sample.Column})
		case part.Param != "":
			of := scanToken(written, part.At)
			changes = append(changes, sqltext.Change{Start: of.start, End: of.end, Text: column})
		}
		return true
	})
	for i := range changes {
		changes[i].Start -= within.start
		changes[i].End -= within.start
	}
	text := "SELECT " + seriesshape.SampleRow + ", " + sqltext.Rewrite(written[within.start:within.end], changes...).Text + " AS " + seriesshape.SampleValue +
		" FROM " + seriesshape.SampleTable
	columns := []TableColumn{{Name: seriesshape.SampleRow, Type: sqlq.Int64}, {Name: sample.WindowParam, Type: sqlq.String}}
	for _, column := range sample.Params {
		if column != sample.WindowParam {
			columns = append(columns, TableColumn{Name: column, Type: sqlq.Timestamp})
		}
	}
	translate := func(typ sqlq.Type) (*sqlq.Translation, error) {
		all := append(slices.Clone(columns), TableColumn{Name: sample.Column, Type: typ})
		return Translate(text, Environment{Tables: []Table{{Name: seriesshape.SampleTable, Columns: all}}})
	}
	translation, err := translate(sqlq.Timestamp)
	if err != nil {
		translation, err = translate(sqlq.Datetime)
	}
	if err != nil {
		return "", err
	}
	return translation.SQL, nil
}

// sourceOf returns the expression that another one stands for; nil for none.
func sourceOf(x *seriesshape.Expression) expression {
	source, _ := x.Source.(expression)
	return source
}

// shaper makes the shape of a query.
type shaper struct {
	env       *Environment
	functions functionTable
	text      *seriesshape.Text
	// windows are the named windows of the SELECT.
	windows []namedWindow
}

// visibleTable is a common table expression that can be read.
type visibleTable struct {
	name string
	// isRead reports whether it was read.
	isRead bool
}

// isCommon reports whether a table of a name is a common table expression.
func isCommon(visible []*visibleTable, name string) bool {
	for _, table := range slices.Backward(visible) {
		if equalFold(table.name, name) {
			table.isRead = true
			return true
		}
	}
	return false
}

func (s *shaper) query(q *query, visible []*visibleTable) *seriesshape.Query {
	visible = slices.Clone(visible)
	var common []seriesshape.Common
	for _, table := range q.common {
		s.text.Common = append(s.text.Common, foldName(table.name.text))
		own, before := &visibleTable{name: table.name.text}, len(s.text.Tables)
		within := visible
		if q.recursive {
			within = append(slices.Clone(visible), own)
		}
		rows := s.query(table.query, within)
		if own.isRead { // in itself
			rows = &seriesshape.Query{At: rows.At, Other: &seriesshape.Other{What: "this", Tables: s.text.Tables[before:]}}
		}
		common = append(common, seriesshape.Common{Name: foldName(table.name.text), Query: rows})
		visible = append(visible, &visibleTable{name: table.name.text})
	}
	found := s.body(q.body, visible)
	if len(q.order) > 0 || q.limit != nil {
		if found.Order != nil || found.Limit != nil { // of a query in brackets
			from := &seriesshape.From{At: found.At, Query: found}
			found = &seriesshape.Query{At: found.At, Select: &seriesshape.Select{Items: []seriesshape.Item{{At: found.At, Star: &seriesshape.Star{}}}, From: from}}
		}
		found.Order = s.orders(q.order, visible)
		found.Limit = s.expressions(withoutNil(q.limit, q.skip), visible)
	}
	found.Common = append(common, found.Common...)
	return found
}

func withoutNil(all ...expression) []expression {
	return slices.DeleteFunc(all, func(x expression) bool { return x == nil })
}

func (s *shaper) body(body queryBody, visible []*visibleTable) *seriesshape.Query {
	at := int(body.offset())
	switch body := body.(type) {
	case *query:
		return s.query(body, visible)
	case *setQuery:
		set := &seriesshape.Set{Op: body.op, All: body.all, ByName: body.byName != nil, Left: s.body(body.left, visible), Right: s.body(body.right, visible)}
		return &seriesshape.Query{At: at, Set: set}
	case *selectQuery:
		return &seriesshape.Query{At: at, Select: s.selection(body, visible)}
	}
	fail(at, "this is no query")
	return nil
}

func (s *shaper) selection(q *selectQuery, visible []*visibleTable) *seriesshape.Select {
	outer := s.windows
	s.windows = q.windows
	defer func() { s.windows = outer }()
	found := &seriesshape.Select{
		From: s.from(q.from, visible), Where: s.expression(q.where, visible),
		Having: s.expression(q.having, visible), Qualify: s.expression(q.qualify, visible),
	}
	for _, item := range q.items {
		found.Items = append(found.Items, s.item(item, visible, q.asStruct || q.asValue))
	}
	if q.group != nil {
		found.GroupAll = q.group.all
		s.groups(q.group.sets, found, visible)
	}
	return found
}

// groups adds the expressions of GROUP BY.
func (s *shaper) groups(sets []groupSet, to *seriesshape.Select, visible []*visibleTable) {
	for _, set := range sets {
		to.GroupSets = to.GroupSets || set.kind != ""
		for _, list := range set.lists {
			to.Groups = append(to.Groups, s.expressions(list, visible)...)
		}
		s.groups(set.sets, to, visible)
	}
}

// item returns an item of a SELECT list. The columns of a value have no names.
func (s *shaper) item(item selectItem, visible []*visibleTable, isValue bool) seriesshape.Item {
	found := seriesshape.Item{At: int(item.place)}
	if !item.star {
		found.Expression = s.expression(item.x, visible)
		if !isValue {
			found.Name = foldName(cmp.Or(item.alias, impliedName(item.x)))
		}
		return found
	}
	found.Star = &seriesshape.Star{Renamed: make(map[string]string), IsOpaque: isValue}
	if path, isPath := item.x.(*pathExpr); isPath && len(path.names) == 1 {
		found.Star.Relation = foldName(path.names[0].text)
	} else if item.x != nil {
		found.Star.IsOpaque = true
		found.Star.Replaced = append(found.Star.Replaced, seriesshape.Item{Expression: s.expression(item.x, visible)})
	}
	for _, column := range item.except {
		found.Star.Except = append(found.Star.Except, foldName(column.text))
	}
	for _, replaced := range item.replace {
		found.Star.Replaced = append(found.Star.Replaced, seriesshape.Item{Name: foldName(replaced.alias), Expression: s.expression(replaced.x, visible)})
	}
	for _, renamed := range item.renamed {
		found.Star.Renamed[foldName(renamed.from.text)] = foldName(renamed.to.text)
	}
	return found
}

func (s *shaper) from(item fromItem, visible []*visibleTable) *seriesshape.From {
	if item == nil {
		return nil
	}
	found := &seriesshape.From{At: int(item.offset())}
	switch item := item.(type) {
	case *tableItem:
		found.Alias = foldName(or(item.alias, item.names[len(item.names)-1].text))
		found.Table = s.table(item, visible)
	case *unnestItem:
		found.Alias, found.Function = foldName(item.alias), s.expression(item.x, visible)
	case *queryItem:
		found.Alias, found.Query = foldName(item.alias), s.query(item.query, visible)
	case *pivotItem:
		found.Alias, found.Query = foldName(item.alias), s.pivot(item, visible)
	case *joinItem:
		found.Join = &seriesshape.Join{Kind: item.kind, Condition: "REGULAR", Left: s.from(item.left, visible), Right: s.from(item.right, visible), On: s.expression(item.on, visible)}
		if item.kind == "CROSS" {
			found.Join.Kind, found.Join.Condition = "INNER", "CROSS"
		}
		for _, column := range item.using {
			found.Join.Using = append(found.Join.Using, foldName(column.text))
		}
	}
	return found
}

// table returns a table, a common table expression, or an array of the row to the left of it.
func (s *shaper) table(item *tableItem, visible []*visibleTable) *seriesshape.Table {
	written := tableName(item)
	parts := strings.Split(written, ".")
	found := &seriesshape.Table{At: int(item.place), Name: foldName(parts[len(parts)-1]), Spelled: parts[len(parts)-1]}
	if len(parts) > 1 {
		found.Schema = foldName(parts[0])
	} else if isCommon(visible, written) {
		return found
	}
	if s.env != nil {
		if known, isKnown := s.env.table(written); isKnown {
			found.Spelled, found.IsBounded = known.Name, true
			found.Columns = each(known.Columns, func(_ int, column TableColumn) string { return foldName(column.Name) })
		}
	}
	s.text.Tables = append(s.text.Tables, found)
	return found
}

// pivot returns the query that PIVOT stands for: it groups by all columns that it does not use.
func (s *shaper) pivot(item *pivotItem, visible []*visibleTable) *seriesshape.Query {
	star := &seriesshape.Star{}
	use := func(x *seriesshape.Expression) {
		x.Walk(func(part *seriesshape.Expression) bool {
			star.Except = append(star.Except, part.Column...)
			return true
		})
	}
	pivoted := &seriesshape.Select{
		Items: []seriesshape.Item{{At: int(item.place), Star: star}}, From: s.from(item.source, visible), GroupAll: true, Having: s.expression(item.by, visible),
	}
	use(pivoted.Having)
	for _, aggregate := range item.aggs {
		x := s.expression(aggregate.x, visible)
		use(x)
		pivoted.Items = append(pivoted.Items, seriesshape.Item{At: x.At, Expression: x})
	}
	return &seriesshape.Query{At: int(item.place), Select: pivoted}
}

func (s *shaper) orders(items []orderItem, visible []*visibleTable) []*seriesshape.Expression {
	return each(items, func(_ int, item orderItem) *seriesshape.Expression { return s.expression(item.x, visible) })
}

func (s *shaper) expressions(all []expression, visible []*visibleTable) []*seriesshape.Expression {
	return each(all, func(_ int, x expression) *seriesshape.Expression { return s.expression(x, visible) })
}

// expression returns an expression; nil for none.
func (s *shaper) expression(x expression, visible []*visibleTable) *seriesshape.Expression {
	if x == nil {
		return nil
	}
	found := &seriesshape.Expression{At: int(x.offset()), Source: x}
	parts := operands(x)
	switch x := x.(type) {
	case *pathExpr:
		found.Column = each(x.names, func(_ int, n name) string { return foldName(n.text) })
	case *param:
		found.Param = x.name
	case *literal:
		if number, err := strconv.Atoi(x.text); err == nil && x.kind == int64Kind {
			found.Number = &number
		}
	case *binaryExpr:
		if slices.Contains([]string{"AND", "=", "<", "<=", ">", ">="}, x.op) {
			found.Operator = x.op
		}
	case *castExpr:
		found.IsTimestamp = isTimestampType(x.to.name) && x.format == nil
	case *inExpr:
		found.Query = s.subquery(x.query, visible)
	case *arrayQueryExpr:
		found.Query = s.query(x.query, visible)
	case *existsExpr:
		found.Query = s.query(x.query, visible)
	case *queryExpr:
		found.Query = s.query(x.query, visible)
	case *callExpr:
		parts = s.call(x, found, visible)
	}
	found.Parts = s.expressions(parts, visible)
	return found
}

func (s *shaper) subquery(q *query, visible []*visibleTable) *seriesshape.Query {
	if q == nil {
		return nil
	}
	return s.query(q, visible)
}

func isTimestampType(name string) bool { return name == "TIMESTAMP" || name == "DATETIME" }

// call sets what a call is, and returns its parts.
func (s *shaper) call(x *callExpr, found *seriesshape.Expression, visible []*visibleTable) []expression {
	found.Function = foldName(x.name)
	found.IsTimestamp = isTimestampType(x.name) && len(x.args) == 1
	s.text.Approximate = s.text.Approximate || s.env == nil && strings.HasPrefix(x.name, "APPROX_") // they are exact where they are translated
	if x.over != nil {
		found.IsWindow = true
		found.Partitions = s.expressions(s.partition(x.over), visible)
	}
	return slices.DeleteFunc(operands(x), func(arg expression) bool { return s.isPart(x, arg) })
}

// partition returns what PARTITION BY of a window has, or of the named one that it is made from.
func (s *shaper) partition(w *window) []expression {
	for range s.windows {
		at := slices.IndexFunc(s.windows, func(named namedWindow) bool { return w.base != "" && equalFold(named.name.text, w.base) })
		if len(w.partition) > 0 || at < 0 {
			break
		}
		w = s.windows[at].window
	}
	return w.partition
}

// isPart reports whether an argument of a call is a part of a time, such as DAY, and no column.
func (s *shaper) isPart(x *callExpr, arg expression) bool {
	i := slices.Index(x.args, arg)
	if _, isNamed := asPart(arg); i < 0 || !isNamed {
		return false
	}
	return slices.ContainsFunc(s.functions[x.name], func(f *function) bool { return f.param(i) == "PART" })
}
