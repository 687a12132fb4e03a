package clickhousesql

import (
	"strconv"
	"strings"
)

// aggregateRows are aggregate functions. Their forms have {0} for the argument, {d} for DISTINCT, and {f} for the condition of If.
func aggregateRows() []function {
	rows := []function{
		{name: "count", args: "[Any], ...", result: "UInt64", doc: "The number of rows, or of those where the argument is not NULL.", anyCase: true, nulls: true},
		{name: "sum", args: "Number", result: "like 1", doc: "The sum.", anyCase: true, typ: typeOfSum},
		{name: "avg", args: "Number", result: "Float64", doc: "The average; NaN over nothing.", anyCase: true},
		{name: "min", args: "Any", result: "like 1", doc: "The least value; 0 or an empty text over nothing.", anyCase: true},
		{name: "max", args: "Any", result: "like 1", doc: "The greatest value.", anyCase: true},
		{name: "any", others: []string{"any_value", "anyLast", "first_value", "last_value", "anyHeavy"}, args: "Any", result: "like 1", doc: "Some value."},
		{name: "argMin", others: []string{"arg_min"}, args: "Any, Any", result: "like 1", doc: "The first argument where the second is least."},
		{name: "argMax", others: []string{"arg_max"}, args: "Any, Any", result: "like 1", doc: "The first argument where the second is greatest."},
		{name: "uniq", others: []string{"uniqExact", "uniqCombined", "uniqCombined64", "uniqHLL12", "uniqTheta"}, args: "Any, ...", result: "UInt64", doc: "The number of distinct values. It is exact here."},
		{name: "quantile", others: []string{"quantileTDigest", "quantileBFloat16", "quantileTiming", "quantileInterpolatedWeighted"}, params: "level", args: "Number", result: "Float64", doc: "The value at a level such as 0.95, interpolated. It is exact here."},
		{name: "quantileExact", others: []string{"quantileExactHigh", "quantileDD"}, params: "level", args: "Number", result: "like 1", doc: "The value at a level, which is one of the values."},
		{name: "quantiles", others: []string{"quantilesTDigest"}, params: "level, …", args: "Number", result: "Array(Float64)", doc: "The values at several levels.", nulls: true},
		{name: "median", args: "Number", result: "Float64", doc: "`quantile(0.5)`"},
		{name: "stddevPop", others: []string{"STDDEV_POP", "stddevPopStable"}, args: "Number", result: "Float64", doc: "The standard deviation."},
		{name: "stddevSamp", others: []string{"STDDEV_SAMP", "stddevSampStable"}, args: "Number", result: "Float64", doc: "The standard deviation of a sample."},
		{name: "varPop", others: []string{"VAR_POP", "varPopStable"}, args: "Number", result: "Float64", doc: "The variance."},
		{name: "varSamp", others: []string{"VAR_SAMP", "varSampStable"}, args: "Number", result: "Float64", doc: "The variance of a sample."},
		{name: "groupArray", others: []string{"array_agg", "groupArraySample"}, params: "most", args: "Any", result: "Array(like 1)", doc: "The values as an array, of which the parameter limits the length.", nulls: true, typ: typeOfGroupArray},
		{name: "groupUniqArray", others: []string{"groupArrayDistinct"}, params: "most", args: "Any", result: "Array(like 1)", doc: "The distinct values as an array.", nulls: true, typ: typeOfGroupArray},
		{name: "topK", others: []string{"approx_top_k", "approx_top_count"}, params: "n", args: "Any", result: "Array(like 1)", doc: "The most frequent values. They are exact here.", nulls: true, typ: typeOfGroupArray},
		{name: "groupConcat", others: []string{"group_concat", "string_agg"}, params: "separator", args: "Scalar, [const String]", result: "String", doc: "The texts with a separator between them."},
		{name: "countDistinct", args: "Any, ...", result: "UInt64", doc: "`count(DISTINCT x)`"},
		{name: "corr", args: "Number, Number", result: "Float64", doc: "The correlation."},
	}
	for i := range rows {
		rows[i].aggregate = true
	}
	return rows
}

func typeOfSum(_ *resolver, c *call) *dataType {
	t := c.values[0].typ
	if t.kind == floatKind {
		return floatType()
	}
	return intType(64, t.kind == intKind && t.signed)
}

func typeOfGroupArray(_ *resolver, c *call) *dataType {
	return arrayOf(c.values[0].typ.notNull())
}

// aggregate writes an aggregate. Over nothing, it has what ClickHouse has.
func (p *printer) aggregate(v *value) string { return p.aggregateOver(v, "") }

// aggregateOver writes an aggregate over a window, which is empty for groups.
func (p *printer) aggregateOver(v *value, over string) string {
	args := v.args
	filter := ""
	if strings.HasPrefix(v.text, "If") {
		filter = " FILTER (WHERE " + p.condition(args[len(args)-1]) + ")"
		args = args[:len(args)-1]
	}
	filter += over
	distinct := ""
	if v.distinct {
		distinct = "DISTINCT "
	}
	if len(args) == 1 && args[0].isNull() && v.function.name != "count" {
		return v.typ.zero()
	}
	orZero := func(text, zero string) string {
		if strings.Contains(v.text, "OrNull") || v.typ.nullable {
			return text
		}
		return "coalesce(" + text + ", " + zero + ")"
	}
	const nan = "'nan'::DOUBLE"
	switch name := v.function.name; name {
	case "count", "uniq", "countDistinct":
		return p.countOf(v, args, name != "count" || v.distinct, filter)
	case "sum":
		if v.typ.kind == floatKind {
			return orZero("sum("+distinct+p.float(args[0])+")"+filter, "0::DOUBLE")
		}
		return orZero("CAST(sum("+distinct+p.number(args[0])+")"+filter+" AS "+v.typ.duck()+")", v.typ.zero())
	case "avg":
		return orZero("avg("+distinct+p.float(args[0])+")"+filter, nan)
	case "min", "max":
		x := p.plain(args[0])
		if args[0].typ.kind == floatKind {
			return orZero("coalesce("+name+"(CASE WHEN NOT isnan("+x+") THEN "+x+" END)"+filter+", "+name+"("+x+")"+filter+")", v.typ.zero())
		}
		return orZero(name+"("+x+")"+filter, v.typ.zero())
	case "any":
		return orZero("any_value("+p.plain(args[0])+")"+filter, v.typ.zero())
	case "argMin", "argMax":
		function := map[string]string{"argMin": "arg_min", "argMax": "arg_max"}[name]
		return orZero(function+"("+p.plain(args[0])+", "+p.plain(args[1])+")"+filter, v.typ.zero())
	case "corr", "stddevPop", "stddevSamp", "varPop", "varSamp":
		function := map[string]string{"corr": "corr", "stddevPop": "stddev_pop", "stddevSamp": "stddev_samp", "varPop": "var_pop", "varSamp": "var_samp"}[name]
		floats := make([]string, len(args))
		for i, arg := range args {
			floats[i] = p.float(arg)
		}
		return orZero(function+"("+strings.Join(floats, ", ")+")"+filter, nan)
	case "quantile", "median", "quantiles", "quantileExact":
		return p.quantile(v, args[0], filter, orZero)
	}
	return p.collected(v, args, filter)
}

func (p *printer) countOf(v *value, args []*value, isDistinct bool, filter string) string {
	counted := "*"
	switch {
	case len(args) == 1 && args[0].attributes:
		counted = p.sql(args[0])
	case len(args) == 1:
		counted = p.plain(args[0])
	case len(args) > 1:
		var nulls []string
		for _, arg := range args {
			if arg.typ.nullable {
				nulls = append(nulls, p.plain(arg)+" IS NOT NULL")
			}
		}
		counted = "row(" + p.list(args) + ")"
		if nulls != nil {
			counted = "CASE WHEN " + strings.Join(nulls, " AND ") + " THEN " + counted + " END"
		}
	}
	if isDistinct {
		counted = "DISTINCT " + counted
	}
	text := "CAST(count(" + counted + ")" + filter + " AS UBIGINT)"
	if strings.Contains(v.text, "OrNull") {
		return "nullif(" + text + ", 0)"
	}
	return text
}

// levels are the parameters of a quantile.
func (v *value) levels(least, most int) []string {
	if len(v.params) < least || len(v.params) > most {
		fail(v.place, "%s takes a level from 0 to 1, as in %[1]s(0.95)(x)", v.function.name)
	}
	var levels []string
	for _, param := range v.params {
		level, err := strconv.ParseFloat(param.text, 64)
		if param.kind != constantValue || err != nil || level < 0 || level > 1 {
			fail(param.place, "a level is a constant from 0 to 1")
		}
		levels = append(levels, strconv.FormatFloat(level, 'f', -1, 64))
	}
	return levels
}

func (p *printer) quantile(v *value, x *value, filter string, orZero func(text, zero string) string) string {
	number := p.float(x)
	if x.typ.kind == floatKind {
		number = "CASE WHEN NOT isnan(" + number + ") THEN " + number + " END"
	}
	const mostLevels = 100
	switch v.function.name {
	case "quantiles":
		levels := v.levels(1, mostLevels)
		none := "[" + strings.TrimSuffix(strings.Repeat("'nan'::DOUBLE, ", len(levels)), ", ") + "]"
		return "coalesce(quantile_cont(" + number + ", [" + strings.Join(levels, ", ") + "])" + filter + ", " + none + ")"
	case "quantileExact":
		level := "0.5"
		if levels := v.levels(0, 1); levels != nil {
			level = levels[0]
		}
		sorted := "list(" + p.plain(x) + " ORDER BY " + p.plain(x) + ")" + filter
		count := "count(" + p.plain(x) + ")" + filter
		return orZero("list_extract("+sorted+", CAST(least(floor("+level+"::DOUBLE * "+count+"), "+count+" - 1) AS BIGINT) + 1)", v.typ.zero())
	}
	level := "0.5"
	if levels := v.levels(0, 1); levels != nil {
		level = levels[0]
	}
	return orZero("quantile_cont("+number+", "+level+")"+filter, "'nan'::DOUBLE")
}

// collected writes aggregates that make arrays and texts.
func (p *printer) collected(v *value, args []*value, filter string) string {
	x := p.plain(args[0])
	notNull := filter
	if args[0].typ.nullable {
		notNull = " FILTER (WHERE " + x + " IS NOT NULL"
		if filter != "" {
			notNull += " AND " + strings.TrimSuffix(strings.TrimPrefix(filter, " FILTER (WHERE "), ")")
		}
		notNull += ")"
	}
	most := ""
	if len(v.params) > 0 && v.function.name != "groupConcat" {
		if v.params[0].kind != constantValue || v.params[0].typ.kind != intKind {
			fail(v.params[0].place, "the parameter of %s is a number", v.function.name)
		}
		most = v.params[0].text
	}
	sliced := func(text string) string {
		if most != "" {
			text = "list_slice(" + text + ", 1, " + most + ")"
		}
		return "coalesce(" + text + ", " + v.typ.zero() + ")"
	}
	switch v.function.name {
	case "groupArray":
		return sliced("list(" + x + ")" + notNull)
	case "groupUniqArray":
		return sliced("list(DISTINCT " + x + ")" + notNull)
	case "topK":
		if most == "" {
			most = "10"
		}
		return sliced("list_transform(list_reverse_sort(list_transform(map_entries(histogram(" + x + ")" + notNull + "), lambda e: struct_pack(n := e.value, x := e.key))), lambda e: e.x)")
	}
	separator := ""
	switch {
	case len(v.params) == 1 && v.params[0].isString():
		separator = v.params[0].text
	case len(args) == 2:
		separator = args[1].text
	}
	text := "string_agg(" + textOf(x, args[0].typ) + ", " + quoteText(separator) + ")" + notNull
	if v.typ.nullable {
		return text
	}
	return "coalesce(" + text + ", '')"
}
