package clickhousesql

import (
	"strings"
)

// nameOf is the name of a column without AS: the expression with the functions of its operators, as ClickHouse names it.
func nameOf(x expression) string { return new(namer).nameOf(x) }

// namer counts the parts of a name. BETWEEN and CASE have an expression twice, so that few words can have a very long name.
type namer struct{ parts int }

const mostNameParts = 2000

func (n *namer) nameOf(x expression) string {
	if n.parts++; n.parts > mostNameParts {
		fail(x.offset(), "the SQL is too complex; give the column a name with AS")
	}
	switch x := x.(type) {
	case *identifier:
		return x.parts[len(x.parts)-1]
	case *aliased:
		return x.name
	case *constant:
		switch {
		case x.kind == stringToken:
			return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "/", `\/`).Replace(x.text) + "'"
		case x.kind == nameToken && x.text != "NULL":
			return strings.ToLower(x.text)
		}
		return x.text
	case *parameter:
		return "{" + x.name + ":" + x.typ + "}"
	case *callExpr:
		return n.nameOfCall(x)
	case *cast:
		return "CAST(" + n.nameOf(x.x) + ", '" + x.typ + "')"
	case *interval:
		return "toInterval" + strings.ToUpper(x.unit[:1]) + x.unit[1:] + "(" + n.nameOf(x.n) + ")"
	case *lambda:
		names := make([]string, len(x.names))
		for i, name := range x.names {
			names[i] = name.text
		}
		return "lambda(tuple(" + strings.Join(names, ", ") + "), " + n.nameOf(x.body) + ")"
	case *inExpr:
		return map[bool]string{false: "in(", true: "notIn("}[x.not] + n.nameOf(x.x) + ", subquery)"
	case *subquery:
		return "subquery"
	case *exists:
		return "exists(subquery)"
	}
	return "expression"
}

func (n *namer) nameOfCall(x *callExpr) string {
	list := func(args []expression) string {
		parts := make([]string, len(args))
		for i, arg := range args {
			parts[i] = n.nameOf(arg)
		}
		return strings.Join(parts, ", ")
	}
	switch {
	case x.name == "array":
		return "[" + list(x.args) + "]"
	case x.name == "tuple" && len(x.args) > 1:
		return "(" + list(x.args) + ")"
	}
	params, distinct := "", ""
	if x.params != nil {
		params = "(" + list(x.params) + ")"
	}
	if x.distinct {
		distinct = "DISTINCT "
	}
	return x.name + params + "(" + distinct + list(x.args) + ")"
}
