package shape

import "savedq/sqlq/sqltree"

// inDuckDB returns an expression with DuckDB's functions in place of GoogleSQL's functions of time.
func inDuckDB(expression sqltree.Node) sqltree.Node {
	return expression.Map(func(node sqltree.Node) sqltree.Node {
		children := node.List("children")
		arg := func(i int) any { return map[string]any(inDuckDB(children[i])) }
		switch name := node.Name("function_name"); {
		case len(children) == 1 && name == "date":
			return cast(arg(0), "DATE")
		case len(children) == 1 && (name == "timestamp" || name == "datetime"):
			return cast(arg(0), "TIMESTAMP")
		case len(children) == 2 && (name == "timestamp_trunc" || name == "datetime_trunc"):
			return call(node, "date_trunc", unitOf(children[1]), arg(0))
		case len(children) == 2 && (name == "timestamp_sub" || name == "datetime_sub"):
			return call(node, "-", arg(0), arg(1))
		case len(children) == 2 && (name == "timestamp_add" || name == "datetime_add"):
			return call(node, "+", arg(0), arg(1))
		case len(children) == 3 && name == "generate_timestamp_array":
			return call(node, "generate_series", arg(0), arg(1), arg(2))
		}
		return nil
	})
}

// call returns a call like another one, of another function.
func call(like sqltree.Node, function string, args ...any) sqltree.Node {
	called := like.Map(func(sqltree.Node) sqltree.Node { return nil })
	called["function_name"], called["children"] = function, args
	called["is_operator"] = function == "-" || function == "+"
	return called
}

func cast(child any, to string) sqltree.Node {
	return sqltree.Node{
		"class": "CAST", "type": "OPERATOR_CAST", "alias": "", "query_location": 0, "child": child, "try_cast": false,
		"cast_type": map[string]any{"id": to, "type_info": nil},
	}
}

// unitOf returns a unit of time, which GoogleSQL writes as a name, as a string.
func unitOf(name sqltree.Node) any {
	unit := ""
	if names := name.Names("column_names"); len(names) == 1 {
		unit = names[0]
	}
	return map[string]any{
		"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "query_location": 0,
		"value": map[string]any{"type": map[string]any{"id": "VARCHAR", "type_info": nil}, "is_null": false, "value": unit},
	}
}
