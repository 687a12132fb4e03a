package clickhousesql

import (
	"slices"
	"strings"
)

// nativeForms write the calls that resolving has changed. All others are the function with its arguments.
func nativeForms() map[string]func(p *nativePrinter, v *value) string {
	of := func(sql string) func(*nativePrinter, *value) string {
		return func(*nativePrinter, *value) string { return sql }
	}
	lambda := (*nativePrinter).lambda
	now := sentParameter("now", "TIMESTAMP", false)
	return map[string]func(p *nativePrinter, v *value) string{
		"CAST": func(p *nativePrinter, v *value) string {
			return "CAST(" + p.value(v.args[0]) + ", " + nativeText(v.typ.String()) + ")"
		},
		"savedqTime":      (*nativePrinter).timeOfText,
		"savedqFlatten":   func(p *nativePrinter, v *value) string { return p.flattened(p.value(v.args[0])) },
		"savedqAttribute": func(p *nativePrinter, v *value) string { return p.attribute(p.value(v.args[0]), v.args[1].text) },
		"in":              (*nativePrinter).in,
		"nullIf": func(p *nativePrinter, v *value) string {
			return "if(" + p.value(v.args[1]) + ", NULL, " + p.value(v.args[0]) + ")"
		},
		"toTimeZone": func(p *nativePrinter, v *value) string { return p.value(v.args[0]) },
		"toTypeName": func(_ *nativePrinter, v *value) string { return nativeText(v.args[0].typ.String()) },
		"now":        of("CAST(" + now + ", 'DateTime')"),
		"now64": func(_ *nativePrinter, v *value) string {
			return "CAST(" + now + ", " + nativeText(v.typ.String()) + ")"
		},
		"today":     of("toDate(" + now + ")"),
		"yesterday": of("(toDate(" + now + ") - 1)"),
		"arrayMap":  lambda, "arrayFilter": lambda, "arrayExists": lambda, "arrayAll": lambda, "arrayCount": lambda, "arrayFirst": lambda, "mapFilter": lambda,
		"range": (*nativePrinter).numbers,
	}
}

// nestedForms are the functions that put arrays into others, so that nesting them can double what they make.
func nestedForms() []string { return []string{"tuple", "array", "map", "arrayConcat"} }

// call writes a call.
func (p *nativePrinter) call(v *value) string {
	name := v.function.name
	if form := nativeForms()[name]; form != nil {
		return form(p, v)
	}
	if v.function.aggregate {
		return p.aggregate(v)
	}
	args := each(v.args, p.value)
	if strings.HasSuffix(name, "OrDefault") && len(args) == 2 {
		args[1] = "CAST(" + args[1] + ", " + nativeText(v.typ.notNull().String()) + ")"
	}
	text := v.nativeName() + "(" + strings.Join(args, ", ") + ")"
	if !p.env.IsCallers {
		return text
	}
	switch {
	case v.function.size != "":
		return p.within(v, nativeSize(v.function.size, args), text)
	case name == "concat" || name == "concatWithSeparator":
		return p.within(v, "byteSize("+strings.Join(args, ", ")+")", text)
	case slices.Contains(nestedForms(), name):
		var sizes []string
		for i, arg := range v.args {
			if arg.typ.is(arrayKind, mapKind, tupleKind) {
				sizes = append(sizes, args[i])
			}
		}
		if sizes != nil {
			return p.within(v, "byteSize("+strings.Join(sizes, ", ")+")", text)
		}
	}
	return text
}

// nativeName is the name of the function as the text has it, if it is another name of the same.
func (v *value) nativeName() string {
	if v.written != v.function.name && slices.Contains(v.function.others, v.written) && v.written != "caseWithoutExpression" {
		return v.written
	}
	return v.function.name
}

// nativeSize is the template of a size in ClickHouse's SQL.
func nativeSize(template string, args []string) string {
	sql := strings.NewReplacer("strlen(CAST({0} AS VARCHAR))", "byteSize({0})", "strlen(", "length(", " // ", " DIV ").Replace(template)
	for i, arg := range args {
		sql = strings.ReplaceAll(sql, "{"+itoa(i)+"}", arg)
	}
	return sql
}

// within returns an expression with an error in its place if it makes too much.
func (p *nativePrinter) within(v *value, size, sql string) string {
	p.shares++
	return raisedInPlace("toFloat64("+size+") > "+shareMark, tooMuch(v), sql, v.typ)
}

// aggregate writes an aggregate function with its suffixes.
func (p *nativePrinter) aggregate(v *value) string {
	args := each(v.args, p.value)
	name, params := v.nativeName(), each(v.params, p.value)
	if v.function.name == "groupConcat" {
		name = v.function.name
		if len(v.args) > 2 || len(v.args) == 2 && !strings.HasPrefix(v.text, "If") { // the separator as an argument
			params, args = args[1:2:2], slices.Concat(args[:1], args[2:])
		}
	}
	name += v.text
	if params != nil {
		name += "(" + strings.Join(params, ", ") + ")"
	}
	distinct := ""
	if v.distinct {
		distinct = "DISTINCT "
	}
	return name + "(" + distinct + strings.Join(args, ", ") + ")"
}

// lambda writes a function of a lambda and of what it is applied to.
func (p *nativePrinter) lambda(v *value) string {
	last := len(v.args) - 1
	args := each(v.args[:last], p.value)
	names := make([]string, len(v.variables))
	for i, variable := range v.variables {
		p.names++
		names[i] = "x" + itoa(p.names)
		p.variables[variable.id] = names[i]
	}
	return v.function.name + "((" + strings.Join(names, ", ") + ") -> " + p.value(v.args[last]) + ", " + strings.Join(args, ", ") + ")"
}

// in writes IN with a list.
func (p *nativePrinter) in(v *value) string {
	x := p.value(v.args[0])
	list := v.args[1:]
	switch {
	case v.args[0].isNull():
		return "CAST(NULL, 'Nullable(UInt8)')"
	case len(list) == 0 && v.args[0].typ.nullable:
		return "if(isNull(" + x + "), NULL, 0)"
	case len(list) == 0:
		return "toUInt8(0)"
	case slices.ContainsFunc(list, func(v *value) bool { return !v.isConstant || v.kind == queryValue }):
		equal := each(list, func(v *value) string { return "equals(" + x + ", " + p.value(v) + ")" })
		if len(equal) == 1 {
			return equal[0]
		}
		return "or(" + strings.Join(equal, ", ") + ")"
	}
	return "in(" + x + ", tuple(" + strings.Join(each(list, p.value), ", ") + "))"
}

// timeOfText writes a function that reads a time of a text.
func (p *nativePrinter) timeOfText(v *value) string {
	otherwise := ""
	if v.text != "" {
		otherwise = "Or" + v.text
	}
	x := p.value(v.args[0])
	switch {
	case v.to.kind == dateKind:
		return "toDate" + otherwise + "(" + x + ")"
	case strings.HasPrefix(v.written, "toDateTime"):
		return "toDateTime" + otherwise + "(" + x + ")"
	case v.to.scale == wholeSeconds:
		return "parseDateTimeBestEffort" + otherwise + "(" + x + ")"
	}
	return "parseDateTime64BestEffort" + otherwise + "(" + x + ", " + itoa(v.to.scale) + ")"
}

// numbers writes range, whose elements are counted before they are made.
func (p *nativePrinter) numbers(v *value) string {
	args := each(v.args, p.value)
	from, to, step := "0", args[0], "1"
	if len(args) > 1 {
		from, to = to, args[1]
	}
	if len(args) > 2 {
		step = args[2]
	}
	text := "range(" + strings.Join(args, ", ") + ")"
	condition := step + " < 1 OR (toFloat64(" + to + ") - toFloat64(" + from + ")) / greatest(" + step + ", 1) > " + itoa(mostRange)
	return raisedInPlace("ifNull("+condition+", 0)", "range makes at most 10000 elements", text, v.typ)
}
