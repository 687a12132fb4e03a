package shape

import (
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltree"
)

// kindOf returns the kind of the values of an expression.
func (s *search) kindOf(expression sqltree.Node, scope *scope) kind {
	if path := expression.Names("column_names"); len(path) > 0 {
		return scope.column(path)
	}
	if s.buckets.isList(expression) || s.buckets.isStart(expression, scope.column) {
		return bucket
	}
	return other
}

// isBound reports whether a condition says that a timestamp is in the range, which is so anyway.
func (s *search) isBound(condition sqltree.Node, scope *scope) bool {
	left, right := withoutCasts(condition.Child("left")), withoutCasts(condition.Child("right"))
	bound := map[string]string{"COMPARE_GREATERTHANOREQUALTO": sqlq.FromParam, "COMPARE_LESSTHAN": sqlq.ToParam}[condition.Type()]
	if left.Class() == "PARAMETER" {
		left, right = right, left
		bound = map[string]string{"COMPARE_LESSTHANOREQUALTO": sqlq.FromParam, "COMPARE_GREATERTHAN": sqlq.ToParam}[condition.Type()]
	}
	path := left.Names("column_names")
	return bound != "" && right.Name("identifier") == bound && len(path) > 0 && scope.column(path) == moment
}

// withoutCasts returns an expression without the TIMESTAMP around it, which changes no time.
func withoutCasts(expression sqltree.Node) sqltree.Node {
	for {
		children := expression.List("children")
		switch {
		case expression.Class() == "CAST" && slices.Contains([]string{"TIMESTAMP", "DATETIME"}, expression.Child("cast_type").Text("id")):
			expression = expression.Child("child")
		case slices.Contains([]string{"timestamp", "datetime"}, expression.Name("function_name")) && len(children) == 1:
			expression = children[0]
		default:
			return expression
		}
	}
}

func (s *search) expressions(nodes []sqltree.Node, scope *scope) {
	for _, node := range nodes {
		s.expression(node, scope)
	}
}

// expression searches an expression of a row, or a part of one.
func (s *search) expression(node sqltree.Node, within *scope) {
	s.enter(node)
	visible := map[string]*relation(nil)
	if within != nil {
		visible = within.visible
	}
	switch name := node.Name("function_name"); {
	case node.Class() == "SUBQUERY":
		s.expression(node.Child("child"), within)
		at := s.offset
		if s.rows(node.Child("subquery").Child("node"), visible).timed {
			s.offset = at
			s.obstacle(nil, "rows of a query in an expression can belong to other buckets; join what is grouped by bucket, as in USING (%s)", s.bucketName())
		}
		return
	case node.Class() == "WINDOW":
		partitions := node.List("partitions")
		if within == nil || !slices.ContainsFunc(partitions, func(partition sqltree.Node) bool { return s.kindOf(partition, within) != other }) {
			s.obstacle(node, "a window function computes over rows of other buckets; add the bucket to PARTITION BY")
		}
	case node.Class() == "PARAMETER":
		s.parameter(node.Name("identifier"))
	case node.Class() == "COLUMN_REF":
		if path := node.Names("column_names"); len(path) == 1 && isValue(path[0]) && (within == nil || !within.has(path[0])) {
			s.changing(path[0])
		}
	case name != "" && node.Text("schema") != "" && node.Text("schema") != "main":
		s.obstacle(node, "the function %s is not known", name)
	case name != "":
		s.changing(name)
	}
	s.expressions(node.Children(), within)
}

// parameter reports parameters whose value is another one in each run.
func (s *search) parameter(name string) {
	if name == sqlq.FromParam || name == sqlq.ToParam {
		s.obstacle(nil, "$%s is not used in a list of the buckets, so rows can depend on where the window begins or ends", name)
	}
	if name == sqlq.NowParam {
		s.obstacle(nil, "$now makes closed buckets depend on the time of the run")
	}
	for i := range s.query.Params {
		if s.query.Params[i].Name == name && s.query.Params[i].HasRelativeDefault() {
			s.obstacle(nil, "the default of $%s is relative to now and makes closed buckets depend on the time of the run", name)
		}
	}
}

// changing reports functions that return something else in each run.
func (s *search) changing(name string) {
	if slices.Contains(changingFunctions(), name) {
		s.obstacle(nil, "%s returns something else in each run", strings.ToUpper(name))
	}
}

// isValue reports whether a name without brackets is a function, if no column has it.
func isValue(name string) bool {
	return strings.HasPrefix(name, "current_") || slices.Contains([]string{"localtime", "localtimestamp", "rowid", "session_user", "user"}, name)
}

// changingFunctions returns the functions of DuckDB and GoogleSQL whose value differs between runs. error has none: it ends
// the run.
func changingFunctions() []string {
	return []string{
		"age", "ago", "current_catalog", "current_connection_id", "current_database", "current_date", "current_datetime", "current_localtime", "current_localtimestamp",
		"current_query", "current_query_id", "current_role", "current_schema", "current_schemas", "current_setting", "current_time", "current_timestamp",
		"current_transaction_id", "current_user", "currval", "gen_random_uuid", "generate_uuid", "get_current_time", "get_current_timestamp",
		"in_search_path", "localtime", "localtimestamp", "nextval", "now", "pg_conf_load_time", "pg_postmaster_start_time", "pg_sleep", "rand", "random",
		"rowid", "session_user", "setseed", "sleep_ms", "stats", "today", "transaction_timestamp", "txid_current", "user", "uuid", "uuidv4", "uuidv7", "write_log",
	}
}
