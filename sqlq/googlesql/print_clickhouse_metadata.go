package googlesql

import (
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// jsonMarker begins the texts that numbers of JSON become, so that ClickHouse does not write them anew.
const jsonMarker = `\xEE\x80\x80`

// jsonNumber is the number t as JSON has it: an integer with its digits, and others as a FLOAT64 with a point or an exponent.
const jsonNumber = "if(match(t, '[.eE]'), replaceRegexpOne(toString(toFloat64OrZero(t)), '^(-?[0-9]+)\\\\z', '\\\\1.0'), t)"

// markedJSON is JSON whose numbers are texts, if it has one that ClickHouse would write in another way.
func (p *clickhousePrinter) markedJSON(of string) string {
	const pieces = `'"(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+|-'`
	const isRewritten = `'(?:^|[:,[])\\s*(?:-0|-?[0-9]+[.eE]|-?[0-9]{18})'`
	return p.let(notNullJSON(of), func(text string) string {
		return "if(match(" + text + ", " + isRewritten + "), arrayStringConcat(arrayMap(t -> if(match(t, '^-?[0-9]'), concat('\"" + jsonMarker + "', " + jsonNumber + ", '\"'), t), extractAll(" + text + ", " + pieces + "))), " + text + ")"
	})
}

// unmarkedJSON is JSON with its numbers.
func unmarkedJSON(of string) string {
	return "replaceRegexpAll(" + of + `, '"` + jsonMarker + `([^"]*)"', '\\1')`
}

// unmarkedText is the text of a value of marked JSON: of a scalar, or the JSON of another.
func unmarkedText(of string) string {
	return "replaceRegexpAll(" + of + `, '"?` + jsonMarker + `([^"]*)"?', '\\1')`
}

// jsonRaw is the JSON at a place of other JSON; empty if there is none.
func (p *clickhousePrinter) jsonRaw(of, path string) string {
	return unmarkedJSON("JSONExtractRaw(" + p.markedJSON(of) + path + ")")
}

// jsonText is the text of a JSON scalar at a place; NULL for a null, and the JSON itself for arrays and objects if they are whole.
func (p *clickhousePrinter) jsonText(raw string, isWhole bool) string {
	return p.let(raw, func(r string) string {
		none := r + " IN ('', 'null')"
		if !isWhole {
			none += " OR startsWith(" + r + ", '{') OR startsWith(" + r + ", '[')"
		}
		return "multiIf(" + none + ", NULL, startsWith(" + r + ", '\"'), toNullable(JSONExtractString(" + r + ")), " + r + ")"
	})
}

// jsonMember is a member of JSON by its name.
func (p *clickhousePrinter) jsonMember(of, name string) string {
	return "nullIf(" + p.jsonRaw(of, ", "+name) + ", '')"
}

// jsonElement is an element of JSON by its index.
func (p *clickhousePrinter) jsonElement(of, index string) string {
	return p.lets([]string{of, index}, func(names []string) string {
		of, i := names[0], names[1]
		return "if(" + i + " >= 0 AND JSONType(" + notNullJSON(of) + ") = 'Array', nullIf(" + p.jsonRaw(of, ", assumeNotNull("+i+") + 1") + ", ''), NULL)"
	})
}

// isTyped reports whether a value of metadata is a scalar in the type that its uses give it where it is read.
func (d *dynamic) isTyped() bool {
	switch {
	case d.parent != nil:
		return false
	case d.layout == scalarLayout:
		return true
	}
	return (d.layout == typedLayout || d.layout == commonLayout || d.layout == carriedLayout) && d.shape.isScalar()
}

// jsonPlace is a place in JSON.
type jsonPlace struct {
	// of is the JSON, and path the arguments of the place there.
	of, path string
	// isMarked means that the JSON is marked; see [clickhousePrinter.markedJSON].
	isMarked bool
}

// at are the arguments of a function of JSON.
func (j jsonPlace) at() string { return notNullJSON(j.of) + j.path }

// marked is the JSON at the place, with marks; empty if there is none.
func (p *clickhousePrinter) marked(j jsonPlace) string {
	if !j.isMarked {
		return "JSONExtractRaw(" + p.markedJSON(j.of) + j.path + ")"
	}
	return ifElse(j.path == "", j.of, "JSONExtractRaw("+j.at()+")")
}

// isMarked reports whether a value is an element of an array of metadata. Their JSON is marked once, for all that is in it.
func (p *clickhousePrinter) isMarked(d *dynamic) bool {
	column, ok := d.base.(*reference)
	if !ok || d.layout != elementLayout {
		return false
	}
	array, ok := column.owner.(*arraySource)
	return ok && mappedArray(array) != nil
}

// read returns where a value of metadata is.
func (p *clickhousePrinter) read(d *dynamic) jsonPlace {
	if d.parent == nil {
		return jsonPlace{of: p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql, isMarked: p.isMarked(d)}
	}
	j := p.read(d.parent)
	if d.index.node == nil {
		j.path += ", " + clickhouseText(d.step)
		return j
	}
	index := p.expression(d.index)
	from := index.sql
	if strings.HasSuffix(d.kind, "ORDINAL") {
		from = "(" + from + " - 1)"
	}
	const none = "1000000000"
	return jsonPlace{isMarked: true, of: p.lets([]string{j.of, from}, func(names []string) string {
		j.of = names[0]
		i := names[1]
		at := "toInt64(if(ifNull(" + i + ", -1) >= 0, assumeNotNull(" + i + ") + 1, " + none + "))"
		if !strings.HasPrefix(d.kind, "SAFE_") {
			length := "if(JSONType(" + j.at() + ") = 'Object', 1, toInt64(JSONLength(" + j.at() + ")))"
			outside := "JSONType(" + j.at() + ") IN ('Array', 'Object') AND (" + i + " < 0 OR " + i + " >= " + length + ")"
			at = "toInt64(ifNull(" + p.raiseIf(outside, "Array index is out of bounds", i+" + 1") + ", " + none + "))"
		}
		return p.let(at, func(at string) string { // A plain object is as one in a list of one.
			element := j
			element.path += ", " + at
			return "if(JSONType(" + j.at() + ") = 'Object', if(" + at + " = 1, " + p.marked(j) + ", ''), " + p.marked(element) + ")"
		})
	})}
}

func notNullJSON(of string) string { return "ifNull(" + of + ", '')" }

// mapped returns the map with dotted keys that a value of metadata is in, and the key; it reports false for JSON.
func (p *clickhousePrinter) mapped(d *dynamic) (base, key string, ok bool) {
	if d.parent != nil {
		base, key, ok = p.mapped(d.parent)
		if ok && d.index.node == nil {
			key = strings.TrimPrefix(key+"."+d.step, ".")
		}
		return base, key, ok
	}
	switch {
	case d.layout == carriedLayout && !d.isTyped():
		if _, key, ok = p.mapped(d.of); ok {
			return p.node(d.base, nil).sql, key, true
		}
	case d.layout == jsonLayout:
		if column, isColumn := d.base.(*reference); isColumn {
			if table, isTable := column.owner.(*tableSource); isTable && p.isMap(table, column.name) {
				return p.reference(column), "", true
			}
		}
	case d.layout == elementLayout:
		if column, isColumn := d.base.(*reference); isColumn {
			if array, isArray := column.owner.(*arraySource); isArray {
				if of := mappedArray(array); of != nil {
					return p.mapped(of)
				}
			}
		}
	}
	return "", "", false
}

// mappedArray returns the value of metadata whose elements an array has; nil for others.
func mappedArray(array *arraySource) *dynamic {
	if elements, ok := array.array.node.(*elementsOf); ok {
		return elements.of.dyn
	}
	return nil
}

// isMapped reports whether an array is of metadata in a map, which has no arrays: it is joined with nothing.
func (p *clickhousePrinter) isMapped(array *arraySource) bool {
	of := mappedArray(array)
	if of == nil {
		return false
	}
	if table, _, ok := of.inTable(); ok && p.typedTables[table] {
		return true // with one element
	}
	_, _, ok := p.mapped(of)
	return ok
}

// dynamic writes a value of metadata as its uses have it: a scalar in its type, or JSON.
func (p *clickhousePrinter) dynamic(d *dynamic) string {
	switch {
	case d.isTyped():
		return p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql
	case !d.shape.isScalar():
		if base, _, ok := p.mapped(d); ok {
			return base
		}
		return p.dynamicJSON(d)
	}
	typed, _ := p.cast(p.dynamicValue(d), d.shape.scalarType())
	return typed.sql
}

// dynamicValue is a scalar as it is read: its text, or a number of a typed column.
func (p *clickhousePrinter) dynamicValue(d *dynamic) clickhouseValue {
	if column, ok := p.typedColumn(d); ok {
		return column
	}
	return clickhouseValue{sql: p.dynamicText(d), typ: scalar(stringKind)}
}

// dynamicText is the text of a scalar; NULL for a JSON null.
func (p *clickhousePrinter) dynamicText(d *dynamic) string {
	if d.isTyped() {
		return p.castToText(clickhouseValue{sql: p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql, typ: d.baseType()})
	}
	if column, ok := p.typedColumn(d); ok {
		return p.castToText(column)
	}
	if base, key, ok := p.mapped(d); ok {
		return "nullIf(" + base + "[" + clickhouseText(key) + "], '')"
	}
	j := p.read(d)
	if j.isMarked {
		return unmarkedText("JSONExtract(" + j.at() + ", 'Nullable(String)')")
	}
	return p.let(j.of, func(of string) string {
		j.of = of
		return "if(JSONType(" + j.at() + ") = 'Double', " + p.jsonText(p.jsonRaw(of, j.path), true) + ", JSONExtract(" + j.at() + ", 'Nullable(String)'))"
	})
}

// baseType is the type of a scalar where it is read.
func (d *dynamic) baseType() *dataType {
	if parameter, ok := d.base.(*parameter); ok {
		if parameter.shape != nil {
			return parameter.shape.paramType()
		}
		return parameter.typ
	}
	return d.shape.scalarType()
}

// dynamicJSON is a value of metadata as JSON; NULL if there is none.
func (p *clickhousePrinter) dynamicJSON(d *dynamic) string {
	if d.isTyped() {
		return p.json(clickhouseValue{sql: p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql, typ: d.baseType()}, jsonForm{})
	}
	if base, key, ok := p.mapped(d); ok {
		if d.shape.isScalar() && key != "" {
			return "if(" + base + "[" + clickhouseText(key) + "] = '', NULL, " + p.json(clickhouseValue{sql: base + "[" + clickhouseText(key) + "]", typ: scalar(stringKind)}, jsonForm{}) + ")"
		}
		if key != "" {
			fail(place(0), "an object in metadata of a map has no JSON on ClickHouse; read its fields")
		}
		object := "replaceAll(toJSONString(" + base + `), '\\/', '/')`
		if d.shape.root().isElement {
			return object
		}
		return "concat('[', " + object + ", ']')"
	}
	j := p.read(d)
	if j.path == "" {
		return ifElse(j.isMarked, unmarkedJSON(j.of), j.of)
	}
	return "nullIf(nullIf(" + unmarkedJSON(p.marked(j)) + ", ''), 'null')"
}

// dynamicAs is a value of metadata in a type.
func (p *clickhousePrinter) dynamicAs(d *dynamic, to *dataType) clickhouseValue {
	v := clickhouseValue{typ: to}
	switch to.kind {
	case dynamicKind:
		v.sql = p.dynamic(d)
	case jsonKind:
		v.sql = p.dynamicJSON(d)
	case stringKind:
		v.sql = p.dynamicText(d)
	case arrayKind:
		elements := p.dynamicArray(d, arrayOf(scalar(stringKind)))
		elements.typ = arrayOf(scalar(stringKind))
		v, _ = p.cast(elements, to)
	default:
		if d.isTyped() {
			base := clickhouseValue{sql: p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql, typ: d.baseType()}
			if converted, ok := p.cast(base, to); ok {
				return converted
			}
		}
		if column, ok := p.typedColumn(d); ok {
			if converted, ok := p.cast(column, to); ok {
				return converted
			}
		}
		v.sql = p.castFromText(clickhouseValue{sql: p.dynamicText(d), typ: scalar(stringKind)}, to)
	}
	return v
}

// dynamicArray is an array of metadata as an array of texts.
func (p *clickhousePrinter) dynamicArray(d *dynamic, typ *dataType) clickhouseValue {
	if _, _, ok := p.mapped(d); ok {
		return clickhouseValue{sql: "CAST(" + p.dynamicElements(d) + " AS Array(Nullable(String)))", typ: typ, isBare: true}
	}
	j := p.read(d)
	return clickhouseValue{typ: typ, sql: p.let(j.of, func(of string) string {
		j.of = of
		e := p.alias()
		texts := "arrayMap(" + e + " -> " + p.jsonText(unmarkedJSON("ifNull("+e+", '')"), true) + ", " + p.elementsAt(j) + ")"
		return "if(JSONType(" + j.at() + ") NOT IN ('Array', 'Object'), [], [CAST(" + texts + " AS Array(Nullable(String)))])"
	})}
}

// dynamicElements are the elements of an array of metadata as marked JSON.
func (p *clickhousePrinter) dynamicElements(d *dynamic) string {
	if base, key, ok := p.mapped(d); ok { // one that holds the keys, or the texts
		return "if(" + base + "[" + clickhouseText(key) + "] = '', [], [" + base + "[" + clickhouseText(key) + "]])"
	}
	return p.elementsAt(p.read(d))
}

// elementsAt are the elements of an array at a place of JSON, as marked JSON. A plain object is as one in a list of one.
func (p *clickhousePrinter) elementsAt(j jsonPlace) string {
	if !j.isMarked {
		j.of, j.isMarked = p.markedJSON(j.of), true
	}
	return p.let(j.of, func(of string) string {
		j.of = of
		return "if(JSONType(" + j.at() + ") = 'Object', [" + p.marked(j) + "], JSONExtractArrayRaw(" + j.at() + "))"
	})
}

// dynamicIsNull is the condition that a value of metadata is NULL, or a JSON null.
func (p *clickhousePrinter) dynamicIsNull(d *dynamic) string {
	if d.isTyped() {
		return "(" + p.node(d.base, &dataType{kind: dynamicKind, shape: d.shape}).sql + " IS NULL)"
	}
	if column, ok := p.typedColumn(d); ok {
		return "(" + column.sql + " IS NULL)"
	}
	if base, key, ok := p.mapped(d); ok {
		if d.shape.isScalar() {
			return "(" + base + "[" + clickhouseText(key) + "] = '')"
		}
		return "NOT arrayExists(k -> startsWith(k, " + clickhouseText(key+ifElse(key == "", "", ".")) + "), mapKeys(" + base + "))"
	}
	return "(JSONType(" + p.read(d).at() + ") = 'Null')"
}

// json is a value as JSON; NULL for NULL.
func (p *clickhousePrinter) json(v clickhouseValue, form jsonForm) string {
	if v.isNull() || v.typ.is(nullKind) {
		return "CAST(NULL AS Nullable(String))"
	}
	return p.let(v.sql, func(x string) string {
		v.sql = x
		return p.jsonOf(v, form)
	})
}

// jsonOf is as json, of a value that it can repeat.
func (p *clickhousePrinter) jsonOf(v clickhouseValue, form jsonForm) string {
	x, isNull := v.sql, p.isNullOf(v)
	quoted := func(text string) string { return "concat('\"', " + text + ", '\"')" }
	switch v.typ.kind { //nolint:exhaustive // The others are texts.
	case jsonKind:
		return v.sql
	case dynamicKind:
		if v.typ.shape.isScalar() {
			v.typ = v.typ.shape.scalarType()
			return p.jsonOf(v, form)
		}
		return v.sql
	case boolKind:
		return p.castToText(v)
	case int64Kind:
		if !form.quotesWide {
			return "toString(" + v.sql + ")"
		}
		return "if(" + x + " BETWEEN -9007199254740992 AND 9007199254740992, toString(" + x + "), " + quoted("toString("+x+")") + ")"
	case float64Kind, numberKind:
		number := clickhouseValue{sql: x, typ: v.typ}
		return "multiIf(isNaN(" + x + "), '\"NaN\"', isInfinite(" + x + "), if(" + x + " > 0, '\"Infinity\"', '\"-Infinity\"'), " + ifElse(form.sorts, p.jsonFloat(x), p.castToText(number)) + ")"
	case numericKind:
		if !form.quotesWide {
			return "toString(" + v.sql + ")"
		}
		return "if(" + x + " BETWEEN -9007199254740992 AND 9007199254740992 AND " + x + " = trunc(" + x + "), toString(" + x + "), " + quoted("toString("+x+")") + ")"
	case timestampKind:
		return quoted("replaceOne(" + clickhouseDatetimeText(x) + ", ' ', 'T'), 'Z'")
	case datetimeKind:
		return quoted("replaceOne(" + clickhouseDatetimeText(x) + ", ' ', 'T')")
	case dateKind, timeKind:
		return quoted(p.castToText(v))
	case bytesKind:
		return quoted("base64Encode(" + v.sql + ")")
	case intervalKind:
		return quoted(p.isoInterval(v))
	case arrayKind:
		e := p.alias()
		text := "concat('[', arrayStringConcat(arrayMap(" + e + " -> " + p.jsonOrNull(clickhouseValue{sql: e, typ: v.typ.elem}, form) + ", " + p.bare(v) + "), ','), ']')"
		return ifElse(isNull == "", text, "if("+isNull+", NULL, "+text+")")
	case structKind:
		order := make([]int, len(v.typ.fields))
		for i := range order {
			order[i] = i
		}
		if form.sorts {
			sortFields(order, v.typ.fields)
		}
		members := each(order, func(i, index int) string {
			return clickhouseText(ifElse(i > 0, ",", "{")+jsonQuote(v.typ.fields[index].name)+":") + ", " + p.jsonOrNull(p.field(v, index), form)
		})
		text := "concat(" + strings.Join(members, ", ") + ", '}')"
		return ifElse(isNull == "", text, "if("+isNull+", NULL, "+text+")")
	}
	// ClickHouse escapes the slash, too.
	return "if(" + x + " IS NULL, NULL, replaceAll(toJSONString(assumeNotNull(" + x + ")), '\\\\/', '/'))"
}

// jsonOrNull is a value as JSON, which is null for NULL.
func (p *clickhousePrinter) jsonOrNull(v clickhouseValue, form jsonForm) string {
	return "ifNull(" + p.json(v, form) + ", 'null')"
}

// jsonQuote is a text as JSON.
func jsonQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text) + `"`
}

func sortFields(order []int, fields []field) {
	for i := range order {
		for j := i; j > 0 && fields[order[j-1]].name > fields[order[j]].name; j-- {
			order[j-1], order[j] = order[j], order[j-1]
		}
	}
}

// isoInterval is an INTERVAL as JSON has it.
func (p *clickhousePrinter) isoInterval(v clickhouseValue) string {
	mo, d, u := p.intervalParts(v)
	part := func(number, unit string) string {
		return "if((" + number + ") = 0, '', concat(toString(" + number + "), '" + unit + "'))"
	}
	return p.lets([]string{"toInt64(" + mo + ")", "toInt64(" + d + ")", "toInt64(" + u + ")"}, func(names []string) string {
		m, days, micros := names[0], names[1], names[2]
		seconds := micros + " % 60000000"
		return "if(" + m + " = 0 AND " + days + " = 0 AND " + micros + " = 0, 'P0Y', concat('P', " + part("intDiv("+m+", 12)", "Y") + ", " + part(m+" % 12", "M") + ", " + part(days, "D") + ", if(" + micros + " = 0, '', 'T'), " +
			part("intDiv("+micros+", 3600000000)", "H") + ", " + part("intDiv("+micros+", 60000000) % 60", "M") + ", if(" + seconds + " = 0, '', concat(if(" + seconds + " < 0, '-', ''), replaceRegexpOne(concat(toString(intDiv(abs(" + seconds +
			"), 1000000)), '.', leftPad(toString(abs(" + seconds + ") % 1000000), 6, '0')), '\\\\.?0*$', ''), 'S'))))"
	})
}

// isMap reports whether a column of a table is a map with dotted keys.
func (p *clickhousePrinter) isMap(n *tableSource, name string) bool {
	return n.table.ClickHouse.HasMap() && slices.ContainsFunc(n.table.Columns, func(c TableColumn) bool { return c.IsMetadata && equalFold(c.Name, name) })
}

// table writes a table. The engine says what its rows are, in front of the query.
func (p *clickhousePrinter) table(n *tableSource) string {
	name := n.table.Name
	if p.typedTables[n] {
		name = sqlq.TypedRows(name)
	}
	return mark(n.at) + clickhouseName(name) + " AS " + clickhouseTable(n.alias)
}

// path is the place of the constant path of a call as arguments of JSONExtract, and the condition that each index is of an array.
func (c *clickhouseCall) path(of string) (path, isThere string) {
	if len(c.args) < 2 {
		return "", ""
	}
	written := c.call.args[1]
	for _, step := range c.steps(written) {
		if !step.IsIndex {
			path += ", " + clickhouseText(step.Name)
			continue
		}
		condition := "JSONType(" + notNullJSON(of) + path + ") = 'Array'"
		isThere += ifElse(isThere == "", "", " AND ") + condition
		path += ", " + strconv.Itoa(step.Index+1)
	}
	return path, isThere
}

// part is the JSON at the path of a call; empty if there is none.
func (c *clickhouseCall) jsonPart() string {
	of := c.args[0].sql
	path, isThere := c.path(of)
	raw := c.p.jsonRaw(of, path)
	if isThere != "" {
		raw = "if(" + isThere + ", " + raw + ", '')"
	}
	return raw
}
