package googlesql

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// rewriting is how a function is written for the table logs.
type rewriting struct {
	// sql has {0}, {1} … for arguments and {*} for all of them.
	sql string
	// by writes what no template can.
	by func(w *rewriter, x *callExpr, c *call) flat
	// keeps means that the result of '' is '', so that '' can stand for NULL in both.
	keeps bool
	// isBlank means that '' stands for NULL in the result, and isNullable that it can be NULL.
	isBlank, isNullable bool
	// level is the precedence of its operator; 0 for a call.
	level  int
	remark string
}

const (
	spacesOnly  = "TRIM removes all white space; trimBoth and its relatives remove spaces only"
	roundsEven  = "ROUND of a half goes away from zero; round of ClickHouse goes to the even digit"
	isNotRaised = "what is an error in GoogleSQL can be another value, such as inf, NULL or 0"
)

// rewritingTable is by the name of a function, or by its name and parameters, as in MOD(INT64, INT64).
var rewritingTable struct { //nolint:gochecknoglobals // It is made once, and constant then.
	once  sync.Once
	table map[string]rewriting
}

func rewritings() map[string]rewriting {
	rewritingTable.once.Do(func() { rewritingTable.table = makeRewritings() })
	return rewritingTable.table
}

func makeRewritings() map[string]rewriting {
	table := make(map[string]rewriting)
	for _, group := range []map[string]rewriting{rewrittenValues(), rewrittenTexts(), rewrittenTimes(), rewrittenAggregates()} {
		for names, of := range group {
			for _, name := range rowNames.FindAllString(names, -1) {
				one := of
				bare, _, _ := strings.Cut(name, "(")
				one.sql = strings.ReplaceAll(of.sql, "{name}", strings.ToLower(bare))
				table[name] = one
			}
		}
	}
	return table
}

// rowNames matches the names in a key, some with their parameters.
var rowNames = regexp.MustCompile(`[A-Z0-9_.]+(?:\([^)]*\))?`)

func rewrittenValues() map[string]rewriting {
	return map[string]rewriting{
		"IF":                                     {by: (*rewriter).ifElse},
		"IFNULL COALESCE":                        {by: (*rewriter).coalesce},
		"NULLIF":                                 {sql: "nullIf({0}, {1})", isNullable: true},
		"ABS":                                    {sql: "abs({0})"},
		"SIGN":                                   {sql: "sign({0})"},
		"MOD(INT64, INT64)":                      {sql: "{0} % {1}", level: ofProduct},
		"DIV(INT64, INT64)":                      {sql: "intDiv({0}, {1})"},
		"SAFE_DIVIDE":                            {sql: "{0} / nullIf({1}, 0)", level: ofProduct, isNullable: true},
		"IEEE_DIVIDE":                            {sql: "{0} / {1}", level: ofProduct},
		"POW POWER":                              {sql: "pow({0}, {1})"},
		"EXP SQRT LN LOG10":                      {sql: "{name}({0})", remark: isNotRaised},
		"LOG(FLOAT64)":                           {sql: "log({0})", remark: isNotRaised},
		"LOG(FLOAT64, FLOAT64)":                  {sql: "log({0}) / log({1})", level: ofProduct, remark: isNotRaised},
		"CEIL CEILING":                           {sql: "ceil({0})"},
		"FLOOR":                                  {sql: "floor({0})"},
		"TRUNC":                                  {sql: "trunc({*})"},
		"ROUND":                                  {sql: "round({*})", remark: roundsEven},
		"IS_NAN":                                 {sql: "isNaN({0})"},
		"IS_INF":                                 {sql: "isInfinite({0})"},
		"GREATEST LEAST":                         {by: (*rewriter).greatest},
		"BIT_COUNT":                              {sql: "bitCount({0})"},
		"ARRAY_LENGTH":                           {sql: "length({0})"},
		"ARRAY_CONCAT":                           {sql: "arrayConcat({*})"},
		"ARRAY_REVERSE":                          {sql: "arrayReverse({0})"},
		"ARRAY_TO_STRING(ARRAY<STRING>, STRING)": {sql: "arrayStringConcat({0}, {1})"},
		"GENERATE_ARRAY(INT64, INT64)":           {sql: "range(toInt64({0}), toInt64({1}) + 1)"},
		"GENERATE_TIMESTAMP_ARRAY":               {by: (*rewriter).timestampArray},
		"TO_JSON_STRING(ANY)":                    {by: (*rewriter).toJSON},
		"JSON_VALUE(STRING, STRING) JSON_EXTRACT_SCALAR(STRING, STRING)": {sql: "JSON_VALUE({0}, {1})", isBlank: true},
	}
}

func rewrittenTexts() map[string]rewriting {
	return map[string]rewriting{
		"CONCAT(STRING…) CONCAT(ANY…)":        {sql: "concat({*})"},
		"LENGTH CHAR_LENGTH CHARACTER_LENGTH": {sql: "lengthUTF8({0})"},
		"BYTE_LENGTH OCTET_LENGTH":            {sql: "length({0})"},
		"LOWER":                               {sql: "lowerUTF8({0})", keeps: true},
		"UPPER":                               {sql: "upperUTF8({0})", keeps: true},
		"STARTS_WITH":                         {sql: "startsWith({0}, {1})"},
		"ENDS_WITH":                           {sql: "endsWith({0}, {1})"},
		"STRPOS INSTR(STRING, STRING)":        {sql: "positionUTF8({0}, {1})"},
		"CONTAINS_SUBSTR":                     {sql: "positionCaseInsensitiveUTF8({0}, {1}) > 0", level: ofComparison},
		"LEFT(STRING, INT64)":                 {sql: "leftUTF8({0}, {1})", keeps: true},
		"RIGHT(STRING, INT64)":                {sql: "rightUTF8({0}, {1})", keeps: true},
		"REPLACE(STRING, STRING, STRING)":     {sql: "replaceAll({0}, {1}, {2})"},
		"REVERSE(STRING)":                     {sql: "reverseUTF8({0})", keeps: true},
		"REPEAT(STRING, INT64)":               {sql: "repeat({0}, {1})", keeps: true},
		"SPLIT(STRING)":                       {sql: "splitByChar(',', {0})"},
		"SPLIT(STRING, STRING)":               {sql: "splitByString({1}, {0})"},
		"SUBSTR SUBSTRING":                    {sql: "substringUTF8({*})", keeps: true},
		"TRIM(STRING)":                        {sql: "trimBoth({0})", keeps: true, remark: spacesOnly},
		"LTRIM(STRING)":                       {sql: "trimLeft({0})", keeps: true, remark: spacesOnly},
		"RTRIM(STRING)":                       {sql: "trimRight({0})", keeps: true, remark: spacesOnly},
		"TRIM(STRING, STRING)":                {sql: "trimBoth({0}, {1})", keeps: true},
		"LTRIM(STRING, STRING)":               {sql: "trimLeft({0}, {1})", keeps: true},
		"RTRIM(STRING, STRING)":               {sql: "trimRight({0}, {1})", keeps: true},
		"LPAD":                                {sql: "leftPadUTF8({*})"},
		"RPAD":                                {sql: "rightPadUTF8({*})"},
		"REGEXP_CONTAINS":                     {by: regexpCall("match({0}, {1})", false)},
		"REGEXP_EXTRACT(STRING, STRING) REGEXP_SUBSTR(STRING, STRING)": {by: regexpCall("extract({0}, {1})", true)},
		"REGEXP_EXTRACT_ALL": {by: regexpCall("extractAll({0}, {1})", false)},
		"REGEXP_REPLACE":     {by: regexpCall("replaceRegexpAll({0}, {1}, {2})", false)},
	}
}

// call writes a call of a function, an aggregate or a window function.
func (w *rewriter) call(x *callExpr, v value) flat {
	c := callOf(v)
	if c == nil {
		fail(x.place, "%s cannot be written for the table logs here", x.name)
	}
	if x.safe {
		fail(x.place, "SAFE. cannot be written for the table logs; write a condition around the function")
	}
	if x.where != nil {
		fail(x.where.offset(), "WHERE in an aggregate cannot be written for the table logs; write IF(condition, x, NULL) as its argument")
	}
	if len(x.named) > 0 {
		fail(x.named[0].name.place, "arguments with names cannot be written for the table logs")
	}
	return w.callOn(x, c, nil)
}

// callOn writes a call. Where arg is not nil, it writes the arguments.
func (w *rewriter) callOn(x *callExpr, c *call, arg func(i int) flat) flat {
	of, ok := rewritings()[c.name+"("+c.params+")"]
	if !ok {
		of, ok = rewritings()[c.name]
	}
	if !ok {
		fail(x.place, "%s cannot be written for the table logs", x.name)
	}
	if of.remark != "" {
		w.remark(x.place, of.remark)
	}
	if of.by != nil {
		return of.by(w, x, c)
	}
	if arg == nil {
		arg = func(i int) flat {
			if of.keeps && i == 0 {
				return w.loose(x.args[i], c.args[i].typ)
			}
			return w.as(x.args[i], c.args[i].typ)
		}
	}
	args := each(x.args, func(i int, _ expression) flat { return arg(i) })
	return of.filled(args)
}

// filled returns the template with its arguments.
func (r rewriting) filled(args []flat) flat {
	level := ifElse(r.level == 0, primary, r.level)
	sql := strings.ReplaceAll(r.sql, "{*}", joinFlat(args))
	if strings.Contains(r.sql, "{*}") {
		return flat{sql: sql, level: level, isBlank: r.isBlank || r.keeps && args[0].isBlank, isNullable: r.isNullable}.of(args...)
	}
	var out strings.Builder
	for rest := sql; rest != ""; {
		before, behind, found := strings.Cut(rest, "{")
		out.WriteString(before)
		if !found {
			break
		}
		number, after, _ := strings.Cut(behind, "}")
		i, _ := strconv.Atoi(number)
		out.WriteString(args[i].in(ifElse(r.level > 0, r.level+1, 0)))
		rest = after
	}
	return flat{sql: out.String(), level: level, isBlank: r.isBlank || r.keeps && args[0].isBlank, isNullable: r.isNullable}.of(args...)
}

// ifElse writes IF.
func (w *rewriter) ifElse(x *callExpr, c *call) flat {
	condition, yes, no := w.condition(x.args[0], false), w.loose(x.args[1], c.typ), w.loose(x.args[2], c.typ)
	written := called("if("+condition.sql+", "+yes.sql+", "+no.sql+")").of(yes, no)
	written.isBlank = yes.isBlank || no.isBlank
	return written
}

// coalesce writes IFNULL and COALESCE. ” is what a field has that is missing.
func (w *rewriter) coalesce(x *callExpr, c *call) flat {
	args := each(x.args, func(_ int, arg expression) flat { return w.loose(arg, c.typ) })
	last := len(args) - 1
	if constant, ok := x.args[last].(*literal); ok && len(args) == 2 && args[0].isBlank && constant.kind == stringKind && constant.text == "" {
		args[0].isBlank = false
		return args[0]
	}
	for i := range last {
		args[i] = args[i].exact()
	}
	written := flat{sql: ifElse(len(args) == 2, "ifNull(", "coalesce(") + joinFlat(args) + ")", level: primary}
	written.isBlank, written.isNullable = args[last].isBlank, args[last].isNullable
	return written
}

// greatest writes GREATEST and LEAST, which are NULL if an argument is.
func (w *rewriter) greatest(x *callExpr, c *call) flat {
	args := each(x.args, func(i int, arg expression) flat { return w.as(arg, c.args[i].typ) })
	written := called(strings.ToLower(c.name) + "(" + joinFlat(args) + ")").of(args...)
	if written.isNullable {
		w.remark(x.place, c.name+" is NULL if an argument is; older versions of ClickHouse and newer ones differ there")
	}
	return written
}

// toJSON writes TO_JSON_STRING.
func (w *rewriter) toJSON(x *callExpr, _ *call) flat {
	of := w.natural(x.args[0])
	if of.isMap {
		w.remark(x.place, "log_attributes as JSON is one object with dotted keys, and all of its values are texts")
	}
	return called("toJSONString(" + of.exact().sql + ")").of(of)
}

// regexpCall writes a function with a regular expression as its second argument.
func regexpCall(sql string, isBlank bool) func(w *rewriter, x *callExpr, c *call) flat {
	return func(w *rewriter, x *callExpr, c *call) flat {
		args := each(x.args, func(i int, arg expression) flat { return w.as(arg, c.args[i].typ) })
		if constant, ok := x.args[1].(*literal); ok && constant.kind == stringKind {
			args[1] = called(clickhouseText(linesOnly(constant.text)))
			if c.name == "REGEXP_CONTAINS" && !matchesBlank(c.name, constant.text) { // where NULL and false differ, not is around it
				args[0] = w.as(x.args[0], c.args[0].typ)
			}
		}
		return rewriting{sql: sql, isBlank: isBlank}.filled(args)
	}
}

// linesOnly returns a regular expression of GoogleSQL in ClickHouse's meaning, where a dot matches the end of a line, too.
func linesOnly(pattern string) string {
	isClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			isClass = true
		case c == ']':
			isClass = false
		case c == '.' && !isClass:
			return "(?-s)" + pattern
		}
	}
	return pattern
}

// cast writes CAST and SAFE_CAST.
func (w *rewriter) cast(x *castExpr) flat {
	if x.format != nil || x.zone != nil {
		fail(x.place, "CAST with FORMAT or a time zone cannot be written for the table logs; use FORMAT_TIMESTAMP")
	}
	to, v := x.to.of(), w.notes.values[x.x]
	from := w.typeOf(x.x)
	if v.typ.kind == dynamicKind && w.isAttribute(v) || from.kind == dynamicKind {
		from = scalar(stringKind)
	}
	of := w.natural(x.x)
	isText := v.typ.kind == dynamicKind && w.isAttribute(v)
	if !isText && !from.is(stringKind) {
		of = w.as(x.x, from)
	}
	if constant, ok := x.x.(*literal); ok && constant.kind == stringKind && to.is(timestampKind, datetimeKind, dateKind) {
		return w.constant(constant, to)
	}
	orNull := ifElse(x.safe || isText, "OrNull", "")
	if isText && !x.safe && !to.is(stringKind) {
		w.remark(x.place, "a field that is no "+to.String()+" is NULL, where CAST is an error")
	}
	made := func(sql string) flat {
		written := called(sql).of(of)
		written.isNullable = written.isNullable || orNull != ""
		return written
	}
	switch to.kind { //nolint:exhaustive // The others are refused.
	case stringKind:
		switch {
		case from.is(stringKind):
			return of
		case from.is(boolKind):
			return made("if(" + of.sql + ", 'true', 'false')")
		case from.is(int64Kind, numberKind, float64Kind, dateKind):
			return made("toString(" + of.sql + ")")
		}
	case int64Kind:
		switch {
		case from.is(stringKind):
			return made("toInt64" + orNull + "(" + of.sql + ")")
		case from.is(float64Kind, numberKind, numericKind):
			w.remark(x.place, roundsEven)
			orNull = ""
			return made("toInt64(round(" + of.sql + "))")
		case from.is(int64Kind, boolKind):
			orNull = ""
			return made("toInt64(" + of.sql + ")")
		}
	case float64Kind, numericKind:
		name := ifElse(to.is(float64Kind), "toFloat64", "toDecimal128")
		digits := ifElse(to.is(float64Kind), "", ", 9")
		if from.isNumeric() {
			orNull = ""
		}
		if from.is(stringKind) || from.isNumeric() {
			return made(name + orNull + "(" + of.sql + digits + ")")
		}
	case boolKind:
		if from.is(stringKind) {
			return flat{sql: "lower(" + of.exact().sql + ") = 'true'", level: ofComparison}.of(of)
		}
		if from.is(boolKind) {
			return of
		}
	case timestampKind, datetimeKind:
		switch {
		case from.is(timestampKind, datetimeKind):
			return of
		case from.is(dateKind):
			return made("toDateTime64(" + of.sql + ", 6)")
		case from.is(stringKind):
			return made("parseDateTime64BestEffort" + orNull + "(" + of.sql + ", 6)")
		}
	case dateKind:
		switch {
		case from.is(dateKind):
			return of
		case from.is(timestampKind, datetimeKind):
			orNull = ""
			return made("toDate(" + of.sql + ")")
		case from.is(stringKind):
			return made("toDate(parseDateTime64BestEffort" + orNull + "(" + of.sql + ", 6))")
		}
	}
	fail(x.place, "CAST of %s to %s cannot be written for the table logs%s", from, to, ifElse(to.is(stringKind) && from.is(timestampKind, datetimeKind), "; use FORMAT_TIMESTAMP", ""))
	return flat{}
}

func rewrittenAggregates() map[string]rewriting {
	return map[string]rewriting{
		"COUNT()":               {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "count", false) }},
		"COUNT(ANY)":            {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "count", false) }},
		"COUNTIF":               {by: (*rewriter).countIf},
		"SUM AVG MAX":           {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, strings.ToLower(c.name), true) }},
		"MIN":                   {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "min", true) }},
		"ANY_VALUE":             {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "any", true) }},
		"APPROX_COUNT_DISTINCT": {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "uniq", false) }},
		"STDDEV STDDEV_SAMP":    {by: func(w *rewriter, x *callExpr, c *call) flat { return w.statistic(x, c, "stddevSamp") }},
		"STDDEV_POP":            {by: func(w *rewriter, x *callExpr, c *call) flat { return w.statistic(x, c, "stddevPop") }},
		"VARIANCE VAR_SAMP":     {by: func(w *rewriter, x *callExpr, c *call) flat { return w.statistic(x, c, "varSamp") }},
		"VAR_POP":               {by: func(w *rewriter, x *callExpr, c *call) flat { return w.statistic(x, c, "varPop") }},
		"LOGICAL_OR":            {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "max", true) }},
		"LOGICAL_AND":           {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "min", true) }},
		"MAX_BY":                {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "argMax", true) }},
		"MIN_BY":                {by: func(w *rewriter, x *callExpr, c *call) flat { return w.aggregate(x, c, "argMin", true) }},
		"ARRAY_AGG":             {by: (*rewriter).arrayAgg},
		"STRING_AGG":            {by: (*rewriter).stringAgg},
		"ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE": {by: func(w *rewriter, x *callExpr, c *call) flat {
			return called(strings.ToLower(c.name) + "(" + w.list(x.args, func(i int) *dataType { return c.args[i].typ }) + ")" + w.over(x.over))
		}},
		"LAG LEAD": {by: (*rewriter).lag},
		"FIRST_VALUE LAST_VALUE": {by: func(w *rewriter, x *callExpr, c *call) flat {
			if x.nulls == "IGNORE" {
				fail(x.place, "%s with IGNORE NULLS cannot be written for the table logs", c.name)
			}
			of := w.as(x.args[0], c.args[0].typ)
			return called(strings.ToLower(c.name) + "_respect_nulls(" + of.sql + ")" + w.over(x.over)).of(of)
		}},
	}
}

// aggregate writes an aggregate. isNullable means that it is NULL without rows.
func (w *rewriter) aggregate(x *callExpr, c *call, name string, isNullable bool) flat {
	if x.having != "" {
		fail(x.place, "HAVING %s in %s cannot be written for the table logs; use MAX_BY", x.having, x.name)
	}
	args := each(x.args, func(i int, arg expression) flat { return w.as(arg, c.args[i].typ) })
	written := called("").of(args...)
	if !isNullable {
		written.isNullable = false
	}
	s := w.selects[len(w.selects)-1]
	if isNullable && !written.isNullable && x.over == nil && !s.hasGroups {
		name += "OrNull"
		written.isNullable = true
	}
	written.sql = name + "(" + ifElse(x.distinct, "DISTINCT ", "") + joinFlat(args) + ")" + w.over(x.over)
	if name == "uniq" {
		w.remark(x.place, "uniq is an estimate for many values; uniqExact counts all of them")
	}
	return written
}

func (w *rewriter) statistic(x *callExpr, c *call, name string) flat {
	w.remark(x.place, c.name+" of too few values is nan instead of NULL")
	return w.aggregate(x, c, name, true)
}

func (w *rewriter) countIf(x *callExpr, _ *call) flat {
	if x.distinct {
		fail(x.place, "COUNTIF with DISTINCT cannot be written for the table logs")
	}
	return called("countIf(" + w.condition(x.args[0], false).sql + ")" + w.over(x.over))
}

func (w *rewriter) arrayAgg(x *callExpr, c *call) flat {
	if x.order != nil || x.over != nil {
		fail(x.place, "ARRAY_AGG with ORDER BY or OVER cannot be written for the table logs; order the rows in a subquery")
	}
	of := w.as(x.args[0], c.args[0].typ)
	if of.isNullable {
		w.remark(x.place, "groupArray leaves NULL out")
	}
	name := ifElse(x.distinct, "groupUniqArray", "groupArray")
	if x.limit != nil {
		name += "(" + w.as(x.limit, scalar(int64Kind)).sql + ")"
	}
	return called(name + "(" + of.sql + ")")
}

func (w *rewriter) stringAgg(x *callExpr, c *call) flat {
	if x.order != nil || x.over != nil || x.limit != nil {
		fail(x.place, "STRING_AGG with ORDER BY, LIMIT or OVER cannot be written for the table logs; order the rows in a subquery")
	}
	separator := flat{sql: "','", level: primary}
	if len(x.args) > 1 {
		separator = w.as(x.args[1], c.args[1].typ)
	}
	name := ifElse(x.distinct, "groupUniqArray", "groupArray")
	return flat{sql: "arrayStringConcat(" + name + "(" + w.as(x.args[0], c.args[0].typ).sql + "), " + separator.sql + ")", level: primary, isBlank: true}
}

// quantileAt writes one of the boundaries of APPROX_QUANTILES.
func (w *rewriter) quantileAt(x *indexExpr, of *callExpr) flat {
	c := callOf(w.notes.values[of])
	number, _ := w.notes.values[of.args[1]].integer()
	i, ok := w.notes.values[x.index].integer()
	if strings.HasSuffix(x.kind, "ORDINAL") {
		i--
	}
	if c == nil || !ok || number < 1 || i < 0 || i > number || of.distinct {
		fail(x.place, "this boundary of APPROX_QUANTILES cannot be written for the table logs")
	}
	w.remark(of.place, "quantile takes values between those that were observed, and samples where there are many; quantileExact takes an observed one")
	value := w.as(of.args[0], c.args[0].typ)
	s := w.selects[len(w.selects)-1]
	isNullable := value.isNullable || !s.hasGroups
	name := ifElse(value.isNullable || s.hasGroups, "quantile", "quantileOrNull")
	return flat{sql: name + "(" + strconv.FormatFloat(float64(i)/float64(number), 'g', -1, 64) + ")(" + value.sql + ")", level: primary, isNullable: isNullable}
}

// lag writes LAG and LEAD, which have a function of their own without a frame.
func (w *rewriter) lag(x *callExpr, c *call) flat {
	args := each(x.args, func(i int, arg expression) flat { return w.as(arg, c.args[i].typ) })
	if !args[0].isNullable && len(args) < 3 {
		args[0].sql = "toNullable(" + args[0].sql + ")"
	}
	window := w.over(x.over)
	return flat{sql: strings.ToLower(c.name) + "InFrame(" + joinFlat(args) + ")" + strings.TrimSuffix(window, ")") +
		" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", level: primary, isNullable: true}
}

// over writes OVER, if there is any.
func (w *rewriter) over(of *window) string {
	if of == nil {
		return ""
	}
	if of.base != "" {
		fail(of.place, "a named window cannot be written for the table logs; write it behind OVER")
	}
	var parts []string
	if len(of.partition) > 0 {
		parts = append(parts, "PARTITION BY "+strings.Join(each(of.partition, func(_ int, x expression) string { return w.bare(x).sql }), ", "))
	}
	if len(of.order) > 0 {
		parts = append(parts, "ORDER BY "+strings.Join(each(of.order, func(_ int, item orderItem) string { return w.ordered(item, w.bare(item.x)) }), ", "))
	}
	if f := of.frame; f != nil {
		bound := func(b frameBound) string {
			if b.n != nil {
				return w.natural(b.n).sql + " " + b.what
			}
			return b.what
		}
		parts = append(parts, f.unit+" BETWEEN "+bound(f.start)+" AND "+bound(f.end))
	}
	return " OVER (" + strings.Join(parts, " ") + ")"
}

// ordered writes a key of ORDER BY. In ClickHouse, NULL is always last.
func (w *rewriter) ordered(item orderItem, key flat) string {
	sql := key.sql
	if item.desc {
		sql += " DESC"
	}
	isLast := item.desc
	if item.nullsSet {
		isLast = item.nullsLast
	}
	switch {
	case key.isNullable && !isLast:
		sql += " NULLS FIRST"
	case key.isBlank && isLast != item.desc:
		sql = key.exact().sql + ifElse(item.desc, " DESC", "") + ifElse(isLast, "", " NULLS FIRST")
	}
	return sql
}

// exists writes EXISTS of a query of its own.
func (w *rewriter) exists(x *existsExpr) flat {
	if s, ok := w.inMetadata(x.query); ok {
		if s.where == nil {
			fail(x.place, "EXISTS in metadata without a condition cannot be written for the table logs")
		}
		return w.condition(s.where, false)
	}
	text, _ := w.query(x.query, false)
	return called("EXISTS (\n" + indented(text) + "\n)")
}

// scalarQuery writes a query that is a value.
func (w *rewriter) scalarQuery(x *queryExpr) flat {
	if s, ok := w.inMetadata(x.query); ok && len(s.items) == 1 && !s.items[0].star {
		of := w.natural(s.items[0].x)
		if s.where == nil {
			return of
		}
		of = w.bare(s.items[0].x)
		return flat{sql: "if(" + w.condition(s.where, false).sql + ", " + of.sql + ", NULL)", level: primary, isNullable: true}
	}
	text, columns := w.query(x.query, false)
	written := flat{sql: "(\n" + indented(text) + "\n)", level: primary, isNullable: true}
	written.isBlank = len(columns) == 1 && columns[0].of.isBlank
	return written
}

// inMetadata returns the SELECT of a query that reads nothing but elements of metadata, of which log_attributes has the first.
func (w *rewriter) inMetadata(q *query) (*selectQuery, bool) {
	s, ok := q.body.(*selectQuery)
	if !ok || len(q.common) > 0 || q.order != nil || q.skip != nil || s.from == nil || s.group != nil || s.having != nil || s.qualify != nil || s.distinct {
		return nil, false
	}
	if rel := w.notes.bodies[s]; rel == nil || slices.ContainsFunc(rel.columns, func(c column) bool { return c.value.isAggregate }) {
		return nil, false
	}
	var isMetadata func(item fromItem) bool
	isMetadata = func(item fromItem) bool {
		if join, ok := item.(*joinItem); ok {
			return join.on == nil && join.using == nil && isMetadata(join.left) && isMetadata(join.right)
		}
		array, ok := w.notes.items[item.offset()].(*arraySource)
		return ok && array.offset == "" && w.isMetadataArray(array)
	}
	return s, isMetadata(s.from)
}

// isMetadataArray reports whether an array that is unnested is one of metadata.
func (w *rewriter) isMetadataArray(of *arraySource) bool {
	elements, ok := of.array.node.(*elementsOf)
	return ok && elements.of.dyn != nil
}
