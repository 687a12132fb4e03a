package clickhousesql

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// printer writes a resolved text in DuckDB's SQL.
type printer struct {
	env *Environment
	// known is the SQL of values that are columns where it is printed.
	known map[int]string
	// unnested names the subquery that a source with arrays beside it is read from, by the source's number.
	unnested map[int]string
	// sel is the SELECT that is printed.
	sel *selectRelation
	// printed counts bytes, and shares the expressions that can make long texts.
	printed, shares int
	names           int
}

const (
	mostPrintedBytes = 512 << 10
	// shareMark stands for the most bytes that an expression can make, until all of them are known.
	shareMark = "\x01"
)

// next returns a name that nothing else has.
func (p *printer) next(prefix string) string {
	p.names++
	return prefix + strconv.Itoa(p.names)
}

// sql writes a value. What ClickHouse has as 0 or 1 can be a BOOLEAN.
func (p *printer) sql(v *value) string {
	if known, ok := p.known[v.id]; ok {
		return known
	}
	text := p.write(v)
	if p.printed += len(text); p.printed > mostPrintedBytes {
		fail(v.place, "the SQL is too complex; nest fewer functions")
	}
	return text
}

func (p *printer) write(v *value) string {
	switch v.kind {
	case constantValue:
		return constantSQL(v)
	case parameterValue:
		return "CAST($" + v.text + " AS " + v.typ.duck() + ")"
	case columnValue:
		return p.column(v)
	case callValue:
		return p.call(v)
	case queryValue:
		return p.query(v)
	case windowValue:
		return p.window(v)
	case lambdaValue, variableValue, intervalValue:
	}
	panic(fmt.Sprintf("a value of kind %d has no SQL", v.kind))
}

func constantSQL(v *value) string {
	switch v.typ.kind {
	case stringKind:
		return quoteText(v.text)
	case intKind:
		return v.text + "::" + v.typ.duck()
	case dateKind:
		return "DATE '" + v.text[:10] + "'"
	case timeKind:
		return "TIMESTAMP '" + v.text + "'"
	case floatKind:
		return "'" + v.text + "'::DOUBLE"
	case boolKind, nothingKind, arrayKind, mapKind, tupleKind, intervalKind, lambdaKind:
	}
	return v.text
}

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// plain writes a value in the type that DuckDB has for ClickHouse's.
func (p *printer) plain(v *value) string {
	if _, ok := p.known[v.id]; v.isFlag && !ok {
		return "CAST(" + p.sql(v) + " AS BIGINT)"
	}
	return p.sql(v)
}

// number writes a value as a number.
func (p *printer) number(v *value) string {
	if v.typ.kind == boolKind {
		return "CAST(" + p.sql(v) + " AS BIGINT)"
	}
	return p.plain(v)
}

// float writes a value as a DOUBLE.
func (p *printer) float(v *value) string {
	if v.typ.kind == floatKind {
		return p.sql(v)
	}
	return "CAST(" + p.number(v) + " AS DOUBLE)"
}

// condition writes a value as a BOOLEAN.
func (p *printer) condition(v *value) string {
	_, isKnown := p.known[v.id]
	switch {
	case v.isNull():
		return "CAST(NULL AS BOOLEAN)"
	case v.isFlag && !isKnown, v.typ.kind == boolKind:
		return p.sql(v)
	case v.kind == constantValue:
		return strconv.FormatBool(strings.Trim(v.text, "0.e+-") != "")
	}
	return "(" + p.sql(v) + " <> 0)"
}

// as writes a value in another type that holds it.
func (p *printer) as(v *value, to *dataType) string {
	if v.isNull() {
		return "CAST(NULL AS " + to.duck() + ")"
	}
	if v.typ.duck() == to.duck() {
		return p.plain(v)
	}
	if v.typ.kind == tupleKind || v.typ.kind == arrayKind || v.typ.kind == intKind && to.kind == floatKind || v.typ.kind == dateKind || v.typ.kind == boolKind || v.typ.kind == intKind {
		return "CAST(" + p.number(v) + " AS " + to.duck() + ")"
	}
	return p.plain(v)
}

// column writes a column.
func (p *printer) column(v *value) string {
	text := p.named(v.from, v.text)
	if joined, ok := v.from.(*arraySource); ok && joined.left && v.typ.zero() != "NULL" {
		return "coalesce(" + text + ", " + v.typ.zero() + ")"
	}
	if p.sel != nil && p.sel.from != nil && isOptional(p.sel.from, v.from) && !v.attributes {
		if zero := v.typ.zero(); zero != "NULL" {
			return "coalesce(" + text + ", " + zero + ")"
		}
	}
	return text
}

// call writes a call.
func (p *printer) call(v *value) string {
	text := ""
	switch f := v.function; {
	case f.aggregate:
		return p.aggregate(v)
	case f.write != nil:
		text = f.write(p, v)
	default:
		text = p.template(f.sql, v.args)
	}
	if v.function.size != "" && p.env.IsCallers {
		text = p.within(v, p.template(v.function.size, v.args), text)
	}
	return text
}

// within returns an expression with an error in its place if it makes too much.
func (p *printer) within(v *value, size, sql string) string {
	p.shares++
	return "CASE WHEN (" + size + ") > " + shareMark + " THEN " + raise(tooMuch(v)) + " ELSE " + sql + " END"
}

// tooMuch says that a call makes too much.
func tooMuch(v *value) string {
	return v.function.name + " makes too long a text or array of a row; shorten its arguments"
}

// raise is an error with a message.
func raise(message string) string { return "error(" + quoteText(googlesql.RaisedPrefix+message) + ")" }

// template fills a template with arguments.
func (p *printer) template(sql string, args []*value) string {
	var out strings.Builder
	for sql != "" {
		before, rest, found := strings.Cut(sql, "{")
		out.WriteString(before)
		if !found {
			break
		}
		hole, behind, _ := strings.Cut(rest, "}")
		sql = behind
		if hole == "*" {
			out.WriteString(p.list(args))
			continue
		}
		if message, isError := strings.CutPrefix(hole, "!"); isError {
			out.WriteString(raise(message))
			continue
		}
		digits := strings.TrimRight(hole, "?#~")
		index, err := strconv.Atoi(digits)
		if err != nil || index >= len(args) {
			panic("no argument for {" + hole + "}")
		}
		switch hole[len(digits):] {
		case "?":
			out.WriteString(p.condition(args[index]))
		case "#":
			out.WriteString(p.number(args[index]))
		case "~":
			out.WriteString(p.float(args[index]))
		default:
			out.WriteString(p.plain(args[index]))
		}
	}
	return out.String()
}

func (p *printer) list(args []*value) string {
	all := make([]string, len(args))
	for i, arg := range args {
		all[i] = p.plain(arg)
	}
	return strings.Join(all, ", ")
}

// query writes a subquery in an expression.
func (p *printer) query(v *value) string {
	inner := p.relation(v.query, false)
	switch v.text {
	case "EXISTS":
		return "EXISTS (" + inner + ")"
	case "IN":
		name := p.next("q")
		var columns, conditions []string
		for i, column := range v.query.columns {
			columns = append(columns, fmt.Sprintf("%s.c%d", name, i+1))
			if column.typ.nullable {
				conditions = append(conditions, columns[i]+" IS NOT NULL")
			}
		}
		selected := columns[0]
		if len(columns) > 1 {
			fields := make([]string, len(columns))
			for i, column := range columns {
				fields[i] = fmt.Sprintf("f%d := %s", i+1, column)
			}
			selected = "struct_pack(" + strings.Join(fields, ", ") + ")"
		}
		where := ""
		if conditions != nil {
			where = " WHERE " + strings.Join(conditions, " AND ")
		}
		return "(" + p.plain(v.args[0]) + " IN (SELECT " + selected + " FROM (" + inner + ") AS " + name + "(" + columnNames(len(columns)) + ")" + where + "))"
	}
	return "(" + inner + ")"
}

func columnNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = "c" + strconv.Itoa(i+1)
	}
	return strings.Join(names, ", ")
}

// relation writes a query. Its columns have the types that callers get if it is the whole one.
func (p *printer) relation(rel *relation, isWhole bool) string {
	return rel.union(" UNION ", func(one *selectRelation) string { return p.selectSQL(one, rel.columns, isWhole) })
}

// union joins the SELECTs of a query, by ALL or by an operator that removes duplicates.
func (r *relation) union(distinct string, write func(one *selectRelation) string) string {
	parts := make([]string, len(r.selects))
	for i, one := range r.selects {
		parts[i] = write(one)
		if len(r.selects) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if r.distinct {
		return strings.Join(parts, distinct)
	}
	return strings.Join(parts, " UNION ALL ")
}

// selectSQL writes a SELECT.
func (p *printer) selectSQL(sel *selectRelation, columns []sourceColumn, isWhole bool) string {
	outerSelect, outerKnown := p.sel, p.known
	p.sel, p.known = sel, make(map[int]string)
	defer func() { p.sel, p.known = outerSelect, outerKnown }()
	maps.Copy(p.known, outerKnown) // of lambdas
	from := p.from(sel)
	where := ""
	if sel.where != nil {
		where = "\nWHERE " + p.condition(sel.where)
	}
	switch {
	case sel.grouped:
		from, where = p.grouped(sel, from, where)
	case p.sortsFirst(sel):
		from, where = p.sorted(sel, from, where)
	}
	if sel.windowed {
		from, where = p.windowed(sel, from, where), ""
	}
	items := make([]string, len(sel.items))
	for i, v := range sel.items {
		items[i] = p.item(v, columns[i], isWhole) + " AS " + quoteName(columns[i].name)
	}
	var out strings.Builder
	out.WriteString("SELECT ")
	if sel.distinct {
		out.WriteString("DISTINCT ")
	}
	out.WriteString(strings.Join(items, ",\n  "))
	out.WriteString(from)
	out.WriteString(where)
	if sel.limitBy != nil {
		out.WriteString(p.qualify(sel))
	}
	order := p.order(sel)
	if sel.distinct && order != "" {
		order = p.orderOfItems(sel)
	}
	out.WriteString(order)
	out.WriteString(p.limit(sel))
	return out.String()
}

// item writes a column of a result.
func (p *printer) item(v *value, column sourceColumn, isWhole bool) string {
	if v.attributes {
		if column.attributes && !isWhole {
			return p.sql(v)
		}
		if isWhole {
			return flattened(p.sql(v))
		}
		return mapped(p.sql(v))
	}
	text := p.as(v, column.typ)
	if isWhole {
		return output(text, column.typ)
	}
	return text
}

// output writes a column as callers get it.
func output(sql string, typ *dataType) string {
	switch {
	case typ.kind == nothingKind:
		return "CAST(NULL AS VARCHAR)"
	case typ.kind == intKind && typ.duck() == "UBIGINT":
		return "CAST(" + sql + " AS BIGINT)"
	case typ.kind == arrayKind && typ.declared() != sqlq.JSON:
		if inner := typ.elem(); inner.duck() == "UBIGINT" {
			return "CAST(" + sql + " AS BIGINT[])"
		}
	case typ.declared() == sqlq.JSON:
		return "to_json(" + asJSON(sql, typ, 0) + ")"
	}
	return sql
}

// asJSON writes a tuple as an array of JSON, wherever it is.
func asJSON(sql string, typ *dataType, depth int) string {
	switch typ.kind {
	case tupleKind:
		fields := make([]string, len(typ.inner))
		for i, inner := range typ.inner {
			fields[i] = asJSON("struct_extract("+sql+", 'f"+strconv.Itoa(i+1)+"')", inner, depth)
		}
		return "json_array(" + strings.Join(fields, ", ") + ")"
	case arrayKind:
		if hasTuple(typ.elem()) {
			name := "j" + strconv.Itoa(depth)
			return "list_transform(" + sql + ", lambda " + name + ": " + asJSON(name, typ.elem(), depth+1) + ")"
		}
	case stringKind, intKind, floatKind, boolKind, dateKind, timeKind, mapKind, nothingKind, intervalKind, lambdaKind:
	}
	return sql
}

func hasTuple(typ *dataType) bool {
	return typ.kind == tupleKind || typ.kind == arrayKind && hasTuple(typ.elem())
}

// grouped writes the groups in a subquery, and makes their keys and aggregates known.
func (p *printer) grouped(sel *selectRelation, from, where string) (string, string) {
	name := p.next("g")
	var items, keys []string
	known := make(map[int]string)
	for _, key := range sel.keys {
		if key.kind == callValue && key.function.name == "tuple" || known[key.id] != "" {
			continue
		}
		column := p.next("k")
		items = append(items, p.plain(key)+" AS "+column)
		keys = append(keys, strconv.Itoa(len(items)))
		known[key.id] = name + "." + column
	}
	for _, call := range sel.calls {
		if known[call.id] != "" {
			continue
		}
		column := p.next("a")
		items = append(items, p.plain(call)+" AS "+column)
		known[call.id] = name + "." + column
	}
	group := ""
	switch {
	case keys != nil:
		group = "\nGROUP BY " + strings.Join(keys, ", ")
	case len(items) == 0:
		items = append(items, "count(*) AS n")
	}
	inner := "SELECT " + strings.Join(items, ",\n  ") + from + where + group
	maps.Copy(p.known, known)
	where = ""
	if sel.having != nil {
		where = "\nWHERE " + p.condition(sel.having)
	}
	return "\nFROM (" + inner + ") AS " + name, where
}

// sortsFirst reports whether the rows are sorted and limited before expressions on their columns are computed.
func (p *printer) sortsFirst(sel *selectRelation) bool {
	if sel.limit == nil || len(sel.order) == 0 || sel.distinct || sel.limitBy != nil || len(sel.arrays) > 0 || sel.windowed {
		return false
	}
	for _, v := range sel.items {
		if v.kind != columnValue || v.attributes {
			return true
		}
	}
	return false
}

// sorted writes the first rows in a subquery, and makes their columns known.
func (p *printer) sorted(sel *selectRelation, from, where string) (string, string) {
	return p.moved(sel, "s", func(v *value) bool { return v.kind == columnValue }, from+where+p.order(sel)+p.limit(sel)), ""
}

// windowed writes window functions in a subquery with all that is read beside them: DuckDB has none in TRY, and each is there once.
func (p *printer) windowed(sel *selectRelation, from, where string) string {
	return p.moved(sel, "w", func(v *value) bool {
		_, isKnown := p.known[v.id]
		return isKnown || v.kind == columnValue || v.kind == windowValue
	}, from+where)
}

// moved writes a subquery with values of a SELECT, and makes them known.
func (p *printer) moved(sel *selectRelation, prefix string, isMoved func(v *value) bool, behind string) string {
	name := p.next(prefix)
	var items []string
	known, seen := make(map[int]string), make(map[int]bool)
	var collect func(v *value)
	collect = func(v *value) {
		if seen[v.id] {
			return
		}
		seen[v.id] = true
		if isMoved(v) {
			column := p.next("c")
			text := p.sql(v)
			if v.kind != columnValue {
				text = p.plain(v)
			}
			items = append(items, text+" AS "+column)
			known[v.id] = name + "." + column
			return
		}
		for _, arg := range v.args {
			collect(arg)
		}
	}
	for _, v := range slices.Concat(sel.items, sel.limitBy) {
		collect(v)
	}
	for _, one := range sel.order {
		collect(one.value)
	}
	if len(items) == 0 {
		items = append(items, "1")
	}
	inner := "SELECT " + strings.Join(items, ", ") + behind
	maps.Copy(p.known, known)
	return "\nFROM (" + inner + ") AS " + name
}

// order writes ORDER BY: NULL and NaN are behind the others, unless they are first.
func (p *printer) order(sel *selectRelation) string {
	var keys []string
	for _, one := range sel.order {
		keys = append(keys, p.orderKey(one, p.plain(one.value))...)
	}
	if keys == nil {
		return ""
	}
	return "\nORDER BY " + strings.Join(keys, ", ")
}

func (p *printer) orderKey(one orderValue, sql string) (keys []string) {
	direction, nulls, nan := "ASC", "NULLS LAST", "ASC"
	if one.descending {
		direction = "DESC"
	}
	if one.nullsFirst {
		nulls, nan = "NULLS FIRST", "DESC"
	}
	if one.typ.kind == floatKind {
		keys = append(keys, "isnan("+sql+") "+nan+" "+nulls)
	}
	return append(keys, sql+" "+direction+" "+nulls)
}

// orderOfItems writes ORDER BY with the places of columns.
func (p *printer) orderOfItems(sel *selectRelation) string {
	var keys []string
	for _, one := range sel.order {
		for i, v := range sel.items {
			if v.id == one.id {
				key := p.orderKey(orderValue{&value{typ: stringType()}, one.descending, one.nullsFirst}, strconv.Itoa(i+1))
				keys = append(keys, key...)
				break
			}
		}
	}
	return "\nORDER BY " + strings.Join(keys, ", ")
}

func (p *printer) limit(sel *selectRelation) string {
	text := ""
	if sel.limit != nil {
		text = "\nLIMIT " + p.plain(sel.limit)
	}
	if sel.offset != nil {
		text += "\nOFFSET " + p.plain(sel.offset)
	}
	return text
}

// qualify writes LIMIT BY.
func (p *printer) qualify(sel *selectRelation) string {
	by := make([]string, len(sel.limitBy))
	for i, v := range sel.limitBy {
		by[i] = p.plain(v)
	}
	number := "row_number() OVER (PARTITION BY " + strings.Join(by, ", ") + strings.ReplaceAll(p.order(sel), "\n", " ") + ")"
	offset := "0"
	if sel.byLimit[1] != nil {
		offset = p.plain(sel.byLimit[1])
	}
	return "\nQUALIFY " + number + " > " + offset + " AND " + number + " <= " + offset + " + " + p.plain(sel.byLimit[0])
}

// from writes FROM with what is joined.
func (p *printer) from(sel *selectRelation) string {
	if sel.from == nil && len(sel.arrays) == 0 {
		return ""
	}
	text := "\nFROM (SELECT 1) AS one"
	if sel.from != nil {
		text = "\nFROM " + p.source(sel.from)
	}
	sources := leaves(sel.from)
	for _, joined := range sel.arrays {
		text = p.unnest(text, sources, joined)
		sources = append(sources, joined)
	}
	return text
}

// unnest writes a row for each element of arrays in a subquery that has the columns of what it reads, too. As a lateral
// join, DuckDB would keep all rows in memory to join them with their elements.
func (p *printer) unnest(from string, sources []source, joined *arraySource) string {
	name := p.next("u")
	var items []string
	for _, one := range sources {
		for _, column := range one.columns() {
			if logs, isLogs := one.(*logsSource); isLogs && !logs.used[column.name] {
				continue
			}
			items = append(items, p.named(one, column.name)+" AS "+movedName(one, column.name))
		}
	}
	for i, array := range joined.of {
		elements := p.plain(array)
		if joined.left {
			elements = "CASE WHEN len(" + elements + ") > 0 THEN " + elements + " ELSE [NULL] END"
		}
		items = append(items, "unnest("+elements+") AS "+movedName(joined, joined.named[i]))
	}
	p.unnested[joined.number()] = name
	for _, one := range sources {
		p.unnested[one.number()] = name
	}
	return "\nFROM (SELECT " + strings.Join(items, ", ") + from + ") AS " + name
}

// named is a column of a source where it can be read.
func (p *printer) named(from source, column string) string {
	if moved := p.unnested[from.number()]; moved != "" {
		return moved + "." + movedName(from, column)
	}
	return fmt.Sprintf("t%d.%s", from.number(), quoteName(column))
}

// movedName is a column of a source in the subquery of unnest.
func movedName(from source, column string) string {
	return quoteName(fmt.Sprintf("t%d.%s", from.number(), column))
}

// leaves are the sources of FROM that have columns.
func leaves(from source) []source {
	switch from := from.(type) {
	case nil:
		return nil
	case *joinSource:
		return append(leaves(from.left), leaves(from.right)...)
	}
	return []source{from}
}

func (p *printer) source(from source) string {
	switch from := from.(type) {
	case *logsSource:
		return "(" + p.logs(from) + ") AS " + from.alias()
	case *querySource:
		return "(" + p.relation(from.rel, false) + ") AS " + from.alias()
	case *joinSource:
		left, right := p.source(from.left), p.source(from.right)
		if _, isJoin := from.right.(*joinSource); isJoin {
			right = "(" + right + ")"
		}
		if from.on == nil {
			return left + " CROSS JOIN " + right
		}
		before := p.sel
		p.sel = nil // conditions read the columns as they are
		on := p.condition(from.on)
		p.sel = before
		return left + " " + from.kind + " JOIN " + right + " ON " + on
	}
	return ""
}

// finish writes the shares of expressions that can make long texts.
func (p *printer) finish(sql string) string {
	if p.shares == 0 {
		return sql
	}
	return strings.ReplaceAll(sql, shareMark, strconv.Itoa(max(1, p.env.mostRowBytes()/p.shares)))
}
