package clickhousesql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// nativePrinter writes a resolved text in ClickHouse's SQL. All of it is from the tree: functions are rows of the table, columns have
// their tables before them, and of the text itself there are only constants and the names of the result's columns.
type nativePrinter struct {
	env *Environment
	// hasMaps means that log_attributes is a map where it is read, and not the JSON of metadata.
	hasMaps bool
	// variables are the names of the parameters of lambdas.
	variables map[int]string
	// sel is the SELECT that is printed.
	sel             *selectRelation
	printed, shares int
	names           int
}

// nativeSettings give the printed SQL its meaning, whatever the server and the engine set: a name with its table is the column, not an
// alias; what a join lacks is 0 or empty; a time has the type that ClickHouse documents.
const nativeSettings = "prefer_column_name_to_alias = 1, join_use_nulls = 0, group_by_use_nulls = 0, aggregate_functions_null_for_empty = 0, transform_null_in = 0, " +
	"enable_extended_results_for_datetime_functions = 0, enable_positional_arguments = 0, use_variant_as_common_type = 0, short_circuit_function_evaluation = 'enable'"

// clickHouse writes a resolved text.
func clickHouse(rel *relation, env *Environment) string {
	p := &nativePrinter{env: env, variables: make(map[int]string)}
	p.hasMaps = slices.ContainsFunc(env.Sources, func(table *sqlq.Table) bool { return table.ClickHouse.HasMap() })
	var sql string
	if len(rel.selects) == 1 {
		sql = p.selectSQL(rel.selects[0], rel.columns, true)
	} else {
		items := make([]string, len(rel.columns))
		for i, column := range rel.columns {
			items[i] = p.output(innerName(i), column) + " AS " + nativeName(column.name)
		}
		sql = "SELECT " + strings.Join(items, ", ") + "\nFROM (" + p.relation(rel) + ")"
	}
	return p.shared(sql + "\nSETTINGS " + nativeSettings)
}

// shared writes the shares of expressions that can make long texts.
func (p *nativePrinter) shared(sql string) string {
	if p.shares == 0 {
		return sql
	}
	return strings.ReplaceAll(sql, shareMark, strconv.Itoa(max(1, p.env.mostRowBytes()/p.shares)))
}

// innerName is the name of a column within the SQL, which no name of the text can be.
func innerName(index int) string { return "c" + strconv.Itoa(index+1) }

// nativeText is a string.
func nativeText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(text) + "'"
}

// nativeName is a name in quotes.
func nativeName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(name) + "`"
}

// relation writes the SELECTs of a subquery.
func (p *nativePrinter) relation(rel *relation) string {
	return rel.union(" UNION DISTINCT ", func(one *selectRelation) string { return p.selectSQL(one, rel.columns, false) })
}

// selectSQL writes a SELECT. The columns of the whole text have its names, and others numbers.
func (p *nativePrinter) selectSQL(sel *selectRelation, columns []sourceColumn, isWhole bool) string {
	outer := p.sel
	p.sel = sel
	defer func() { p.sel = outer }()
	var out strings.Builder
	out.WriteString("SELECT ")
	if sel.distinct {
		out.WriteString("DISTINCT ")
	}
	for i, v := range sel.items {
		if i > 0 {
			out.WriteString(",\n  ")
		}
		item, name := p.item(v, columns[i]), innerName(i)
		if isWhole {
			item, name = p.output(item, columns[i]), nativeName(columns[i].name)
		}
		out.WriteString(item + " AS " + name)
	}
	out.WriteString(p.from(sel))
	if sel.where != nil {
		out.WriteString("\nWHERE " + p.value(sel.where))
	}
	out.WriteString(p.grouped(sel))
	if order := each(sel.order, p.orderKey); order != nil {
		out.WriteString("\nORDER BY " + strings.Join(order, ", "))
	}
	if sel.limitBy != nil {
		out.WriteString(p.limit(sel.byLimit[0], sel.byLimit[1]) + " BY " + strings.Join(each(sel.limitBy, p.value), ", "))
	}
	out.WriteString(p.limit(sel.limit, sel.offset))
	return out.String()
}

// each maps the elements of a list; none stay none.
func each[T any](list []T, to func(T) string) []string {
	var all []string
	for _, one := range list {
		all = append(all, to(one))
	}
	return all
}

// item writes a column of a SELECT. Metadata becomes a map where another SELECT of a UNION has one.
func (p *nativePrinter) item(v *value, column sourceColumn) string {
	if v.attributes && !column.attributes {
		return p.flattened(p.value(v))
	}
	return p.value(v)
}

// output writes a column as callers get it.
func (p *nativePrinter) output(sql string, column sourceColumn) string {
	switch {
	case column.attributes:
		return p.flattened(sql)
	case column.typ.kind == nothingKind:
		return "CAST(" + sql + ", 'Nullable(String)')"
	}
	return sql
}

// grouped writes GROUP BY and HAVING.
func (p *nativePrinter) grouped(sel *selectRelation) string {
	if !sel.grouped {
		return ""
	}
	var keys []string
	for _, key := range sel.keys {
		if key.kind == callValue && key.function.name == "tuple" { // its members are keys
			continue
		}
		if sql := p.value(key); !slices.Contains(keys, sql) {
			keys = append(keys, sql)
		}
	}
	text := ""
	if keys != nil {
		text = "\nGROUP BY " + strings.Join(keys, ", ")
	}
	switch {
	case sel.having != nil:
		text += "\nHAVING " + p.value(sel.having)
	case keys == nil && sel.calls == nil: // one group, which nothing else says
		text += "\nHAVING count() >= 0"
	}
	return text
}

func (p *nativePrinter) orderKey(one orderValue) string {
	text := p.value(one.value)
	if one.descending {
		text += " DESC"
	}
	if one.nullsFirst {
		text += " NULLS FIRST"
	}
	return text
}

func (p *nativePrinter) limit(limit, offset *value) string {
	text := ""
	if limit != nil {
		text = "\nLIMIT " + p.value(limit)
	}
	if offset != nil {
		text += "\nOFFSET " + p.value(offset)
	}
	return text
}

// from writes FROM with what is joined.
func (p *nativePrinter) from(sel *selectRelation) string {
	if sel.from == nil && len(sel.arrays) == 0 {
		return ""
	}
	var out strings.Builder
	if sel.from != nil {
		out.WriteString("\nFROM " + p.source(sel.from))
	} else {
		out.WriteString("\nFROM (SELECT 1 AS one) AS one")
	}
	for _, joined := range sel.arrays {
		if joined.left {
			out.WriteString("\nLEFT")
		}
		for i, array := range joined.of {
			out.WriteString(map[bool]string{true: "\nARRAY JOIN ", false: ", "}[i == 0] + p.value(array) + " AS " + joined.column(i))
		}
	}
	return out.String()
}

// column is the name of a column of an ARRAY JOIN.
func (a *arraySource) column(index int) string { return a.alias() + "_" + innerName(index) }

func (p *nativePrinter) source(from source) string {
	switch from := from.(type) {
	case *logsSource:
		return "(" + p.logs(from) + ") AS " + from.alias()
	case *querySource:
		return "(" + p.relation(from.rel) + ") AS " + from.alias()
	case *joinSource:
		left, right := p.source(from.left), p.source(from.right)
		if _, isJoin := from.right.(*joinSource); isJoin {
			right = "(" + right + ")"
		}
		if from.on == nil {
			return left + "\nCROSS JOIN " + right
		}
		return left + "\n" + from.kind + " JOIN " + right + " ON " + p.value(from.on)
	}
	panic(fmt.Sprintf("a %T has no SQL", from))
}

// value writes a value.
func (p *nativePrinter) value(v *value) string {
	text := p.write(v)
	if p.printed += len(text); p.printed > mostPrintedBytes {
		fail(v.place, "the SQL is too complex; nest fewer functions")
	}
	return text
}

func (p *nativePrinter) write(v *value) string {
	switch v.kind {
	case constantValue:
		return nativeConstant(v)
	case parameterValue:
		return p.parameter(v)
	case columnValue:
		return p.column(v)
	case variableValue:
		return p.variables[v.id]
	case intervalValue:
		return "toInterval" + strings.ToUpper(v.text[:1]) + v.text[1:] + "(" + p.value(v.args[0]) + ")"
	case queryValue:
		return p.query(v)
	case windowValue:
		return p.window(v)
	case callValue:
		return p.call(v)
	case lambdaValue:
	}
	panic(fmt.Sprintf("a value of kind %d has no SQL", v.kind))
}

func nativeConstant(v *value) string {
	switch v.typ.kind {
	case stringKind:
		return nativeText(v.text)
	case dateKind:
		return "toDate(" + nativeText(v.text[:len("2006-01-02")]) + ")"
	case timeKind:
		if v.typ.scale == wholeSeconds {
			return "toDateTime(" + nativeText(v.text[:len("2006-01-02 15:04:05")]) + ", 'UTC')"
		}
		return "toDateTime64(" + nativeText(v.text) + ", " + strconv.Itoa(v.typ.scale) + ", 'UTC')"
	case nothingKind, intKind, floatKind, boolKind, arrayKind, mapKind, tupleKind, intervalKind, lambdaKind:
	}
	return v.text
}

// parameter reads a parameter with the type that its value is sent as, and then as the one that the text says.
func (p *nativePrinter) parameter(v *value) string {
	sent, nullable := v.typ.declared(), v.typ.nullable
	if at := slices.IndexFunc(p.env.Params, func(param Param) bool { return param.Name == v.text }); at >= 0 {
		sent, nullable = p.env.Params[at].Type, nullable || p.env.Params[at].Nullable
	}
	text := sentParameter(v.text, sent, nullable)
	if as := v.typ.orNull(nullable); as.kind != timeKind || as.scale < 6 {
		return "CAST(" + text + ", " + nativeText(as.String()) + ")"
	}
	return text
}

// sentParameter is a parameter as an engine sends it.
func sentParameter(name string, sent sqlq.Type, nullable bool) string {
	if sent.IsArray() {
		return "{" + name + ":Array(" + sentType(sent.Element()) + ")}"
	}
	if nullable {
		return "{" + name + ":Nullable(" + sentType(sent) + ")}"
	}
	return "{" + name + ":" + sentType(sent) + "}"
}

func sentType(sent sqlq.Type) string {
	switch sent { //nolint:exhaustive // The others are texts.
	case sqlq.Int64:
		return "Int64"
	case sqlq.Float64:
		return "Float64"
	case sqlq.Numeric:
		return "Decimal(38, 9)"
	case sqlq.Bool:
		return "Bool"
	case sqlq.Timestamp, sqlq.Datetime:
		return "DateTime64(6, 'UTC')"
	case sqlq.Date:
		return "Date32"
	}
	return "String"
}

// column writes a column.
func (p *nativePrinter) column(v *value) string {
	switch from := v.from.(type) {
	case *arraySource:
		return from.column(slices.Index(from.named, v.text))
	case *querySource:
		at := slices.IndexFunc(from.rel.columns, func(column sourceColumn) bool { return column.name == v.text })
		return from.alias() + "." + innerName(at)
	case *logsSource:
		return from.alias() + "." + v.text
	}
	panic(fmt.Sprintf("a column of a %T has no SQL", v.from))
}

// query writes a subquery in an expression.
func (p *nativePrinter) query(v *value) string {
	inner := "(" + p.relation(v.query) + ")"
	switch v.text {
	case "EXISTS":
		return "exists(" + inner[1:]
	case "IN":
		return "in(" + p.value(v.args[0]) + ", " + inner + ")"
	}
	return inner
}

// raisedInPlace is an error in place of an expression where a condition holds.
func raisedInPlace(condition, message, sql string, typ *dataType) string {
	return "if(throwIf(" + condition + ", " + nativeText(googlesql.RaisedPrefix+message) + "), defaultValueOfTypeName(" + nativeText(typ.String()) + "), " + sql + ")"
}
