package clickhousesql

import (
	"slices"
	"strings"
	"sync"
)

// function is a row of the table of functions.
type function struct {
	name string
	// others are more names of it.
	others []string
	// args are its arguments, such as "String, Int, [Int]": an optional one is in brackets, and ... repeats the last one. result is
	// its type, "like 1" for that of the first argument, or "elem" for that of the elements of the first array.
	args, result string
	// params are what an aggregate function takes before its arguments.
	params string
	// doc says what it does.
	doc string
	// sql is how DuckDB writes it: a template with {0}, {1} … for arguments, {0?} for a condition, and {*} for all of them.
	sql string
	// write makes what no template can.
	write func(p *printer, v *value) string
	// typ is the result where result cannot say it.
	typ func(r *resolver, c *call) *dataType
	// build resolves the call where the arguments need more than a check.
	build func(r *resolver, c *call) *value
	// size is a template of the bytes that it makes; empty if they are few.
	size string
	// aggregate, flag and varies: it is an aggregate; DuckDB returns a BOOLEAN for a number; it is not the same for all calls.
	aggregate, flag, varies bool
	// window means that it is a function of a window only.
	window bool
	// nulls means that NULL in an argument does not make it NULL.
	nulls bool
	// any case means that its name can be written in any letter case.
	anyCase bool
	// hidden functions have no name in the text.
	hidden bool
}

// call is a call whose arguments are checked.
type call struct {
	*callExpr
	f      *function
	suffix string
	s      *scope
	values []*value
}

// group is a part of the table of functions.
type group struct {
	name string
	rows []function
}

// functions are the rows by their names, and by their names in small letters. They are filled once.
var functions struct { //nolint:gochecknoglobals // It is constant.
	once           sync.Once
	byName, folded map[string]*function
}

// row returns a row by its name; nil if there is none.
func row(name string) *function {
	functions.once.Do(func() { functions.byName, functions.folded = tableOf() })
	return functions.byName[name]
}

func groups() []group {
	return []group{
		{"Operators", operatorRows()},
		{"Conditions", conditionRows()},
		{"Aggregate functions", aggregateRows()},
		{"Window functions", windowRows()},
		{"Times", timeRows()},
		{"Conversions", conversionRows()},
		{"Texts", textRows()},
		{"Numbers", numberRows()},
		{"Arrays and maps", arrayRows()},
		{"JSON", jsonRows()},
	}
}

func tableOf() (byName, folded map[string]*function) {
	byName, folded = make(map[string]*function), make(map[string]*function)
	for _, group := range groups() {
		for i := range group.rows {
			f := &group.rows[i]
			for _, name := range append([]string{f.name}, f.others...) {
				byName[name] = f
				if f.anyCase {
					folded[strings.ToLower(name)] = f
				}
			}
		}
	}
	return byName, folded
}

// functionNamed returns a row by its name; nil if there is none.
func functionNamed(name string) *function {
	f := row(name)
	if f == nil {
		f = functions.folded[strings.ToLower(name)]
	}
	if f != nil && f.hidden {
		return nil
	}
	return f
}

func functionNames() []string {
	var names []string
	for name, f := range functions.byName {
		if !f.hidden {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// FunctionGroup is a part of the functions, for the documentation.
type FunctionGroup struct {
	Name      string
	Functions []FunctionEntry
}

// FunctionEntry describes a function.
type FunctionEntry struct {
	Name string
	// Constants are parameters before Args, in parentheses of their own; empty means none.
	Constants, Args, Result, Doc string
	Others                       []string
}

// Signature returns the arguments in their parentheses.
func (e *FunctionEntry) Signature() string {
	if e.Constants == "" {
		return "(" + e.Args + ")"
	}
	return "(" + e.Constants + ")(" + e.Args + ")"
}

// Functions describes all functions.
func Functions() []FunctionGroup {
	var all []FunctionGroup
	for _, group := range groups() {
		described := FunctionGroup{Name: group.name}
		for _, f := range group.rows {
			if f.hidden {
				continue
			}
			described.Functions = append(described.Functions, FunctionEntry{Name: f.name, Constants: f.params, Args: f.args, Result: f.result, Doc: f.doc, Others: f.others})
		}
		all = append(all, described)
	}
	return all
}

// refusedFunctions are functions that reach out of the query, with what works instead, in small letters.
var refusedFunctions = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"url": "read logs", "file": "read logs", "remote": "read logs", "s3": "read logs", "executable": "read logs", "cluster": "read logs", "mysql": "read logs",
	"postgresql": "read logs", "input": "read logs", "numbers": "use arrayJoin(range(n))", "dictget": "use transform-like multiIf(…)", "dictgetordefault": "use multiIf(…)", "dicthas": "use multiIf(…)",
	"joinget": "use JOIN", "sleep": "leave it out", "sleepeachrow": "leave it out", "getsetting": "leave it out", "hostname": "leave it out", "version": "leave it out", "currentuser": "leave it out",
	"currentdatabase": "leave it out", "throwif": "leave it out", "rand": "results must be the same each time", "rand32": "results must be the same each time",
	"rand64": "results must be the same each time", "generateuuidv4": "results must be the same each time", "filesystemavailable": "leave it out", "servertimezone": "times are in UTC",
	"runningdifference": "use lagInFrame(x) OVER (…)",
}

// checked checks the arguments of a call, and returns its value.
func (r *resolver) checked(c *call) *value {
	filter := r.filter(c)
	for i := range c.values {
		c.values[i] = r.plain(c.values[i])
	}
	c.checkArguments()
	var typ *dataType
	if c.f.typ != nil {
		typ = c.f.typ(r, c)
	} else {
		typ = c.resultType()
	}
	if !c.f.nulls {
		nullable := false
		for _, v := range c.values {
			nullable = nullable || v.typ.nullable || v.isNull()
		}
		typ = typ.orNull(nullable)
	}
	if strings.Contains(c.suffix, "OrNull") {
		typ = typ.orNull(true)
	}
	v := r.newCall(c.place, c.f, typ, c.values...)
	v.written = strings.TrimSuffix(c.name, c.suffix)
	for _, param := range c.params {
		v.params = append(v.params, r.value(param, c.s))
	}
	v.distinct = c.distinct || c.suffix == "Distinct"
	if filter != nil {
		v.args = append(v.args, filter)
		v.text = "If"
	}
	if strings.Contains(c.suffix, "OrNull") {
		v.text += "OrNull"
	}
	return r.intern(v)
}

// filter takes the condition of an aggregate function with If from its arguments.
func (r *resolver) filter(c *call) *value {
	if !strings.Contains(c.suffix, "If") {
		return nil
	}
	if len(c.values) == 0 {
		fail(c.place, "%s needs a condition", c.name)
	}
	condition := c.values[len(c.values)-1]
	c.values = c.values[:len(c.values)-1]
	if !condition.typ.isNumber() && !condition.isNull() {
		fail(condition.place, "the condition of %s is a %s; compare it with something", c.name, condition.typ)
	}
	return condition
}

// parameterOf is a declared argument.
type argumentSpec struct {
	class              string
	optional, repeated bool
}

func specsOf(args string) []argumentSpec {
	var specs []argumentSpec
	for _, word := range SplitTypes(args) {
		if word == "" {
			continue
		}
		if word == "..." {
			specs[len(specs)-1].repeated = true
			continue
		}
		one := argumentSpec{class: word}
		if strings.HasPrefix(word, "[") {
			one = argumentSpec{class: strings.Trim(word, "[]"), optional: true}
		}
		specs = append(specs, one)
	}
	return specs
}

func (c *call) checkArguments() {
	specs := specsOf(c.f.args)
	least := 0
	for _, spec := range specs {
		if !spec.optional {
			least++
		}
	}
	isOpen := len(specs) > 0 && specs[len(specs)-1].repeated
	if len(c.values) < least || len(c.values) > len(specs) && !isOpen {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
	for i, v := range c.values {
		spec := specs[min(i, len(specs)-1)]
		if problem := v.problem(spec.class); problem != "" {
			fail(v.place, "the argument %d of %s is %s, not a %s%s", i+1, c.name, problem, strings.TrimPrefix(spec.class, "const "), hintFor(v, spec.class))
		}
	}
}

// hintFor says how to get the class from a value.
func hintFor(v *value, class string) string {
	switch class = strings.TrimPrefix(class, "const "); {
	case v.typ.kind == stringKind && (class == "Number" || class == "Int"):
		return "; convert it with toInt64OrZero(…) or toFloat64OrZero(…)"
	case v.typ.kind == stringKind && (class == "Time" || class == "DateTime"):
		return "; convert it with parseDateTimeBestEffort(…)"
	case class == "String" && !v.typ.is(arrayKind, mapKind):
		return "; convert it with toString(…)"
	}
	return ""
}

// problem says what a value is if it is not of a class; empty if it is.
func (v *value) problem(class string) string {
	class, mustBeConstant := strings.CutPrefix(class, "const ")
	if mustBeConstant && v.kind != constantValue {
		return "not constant"
	}
	if v.isNull() && !mustBeConstant {
		return ""
	}
	ok := false
	switch class {
	case "Any":
		ok = !v.typ.is(intervalKind, lambdaKind)
	case "Scalar":
		ok = v.typ.is(stringKind, intKind, floatKind, boolKind, dateKind, timeKind)
	case "String":
		ok = v.typ.kind == stringKind
	case "Int":
		ok = v.typ.is(intKind, boolKind)
	case "Number", "Flag":
		ok = v.typ.isNumber()
	case "Time":
		ok = v.typ.isTime()
	case "DateTime":
		ok = v.typ.kind == timeKind
	case "Array":
		ok = v.typ.kind == arrayKind
	case "Texts":
		ok = v.typ.kind == arrayKind && v.typ.elem().kind == stringKind
	case "Numbers":
		ok = v.typ.kind == arrayKind && v.typ.elem().isNumber()
	case "Map":
		ok = v.typ.kind == mapKind
	case "Interval":
		ok = v.typ.kind == intervalKind
	}
	if ok {
		return ""
	}
	return "a " + v.typ.String()
}

// resultType is the declared type of the result.
func (c *call) resultType() *dataType {
	switch c.f.result {
	case "like 1":
		if c.values[0].isNull() {
			return c.values[0].typ
		}
		return c.values[0].typ.notNull()
	case "elem":
		return c.values[0].typ.elem()
	}
	return parseType(c.f.result, c.place)
}
