package shape

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// kindOf returns the kind of the values of an expression.
func (s *search) kindOf(expression *Expression, scope *scope) kind {
	if time := withoutCasts(expression); len(time.Column) > 0 {
		return scope.column(time.Column)
	}
	if s.buckets.isList(expression) || s.buckets.isStart(expression, scope.column) {
		return bucket
	}
	return other
}

// isBound reports whether a condition says that a timestamp is in the range, which is so anyway.
func (s *search) isBound(condition *Expression, scope *scope) bool {
	if condition.Operator == "" {
		return false
	}
	left, right := withoutCasts(condition.Parts[0]), withoutCasts(condition.Parts[1])
	bound := map[string]string{">=": sqlq.FromParam, "<": sqlq.ToParam}[condition.Operator]
	if left.Param != "" {
		left, right = right, left
		bound = map[string]string{"<=": sqlq.FromParam, ">": sqlq.ToParam}[condition.Operator]
	}
	return bound != "" && strings.ToLower(right.Param) == bound && len(left.Column) > 0 && scope.column(left.Column) == moment
}

// withoutCasts returns an expression without the TIMESTAMP around it, which changes no time.
func withoutCasts(expression *Expression) *Expression {
	for expression.IsTimestamp {
		expression = expression.Parts[0]
	}
	return expression
}

// conjuncts returns the conditions that AND joins.
func conjuncts(condition *Expression) []*Expression {
	switch {
	case condition == nil:
		return nil
	case condition.Operator != "AND":
		return []*Expression{condition}
	}
	var found []*Expression
	for _, part := range condition.Parts {
		found = append(found, conjuncts(part)...)
	}
	return found
}

func (s *search) expressions(expressions []*Expression, scope *scope) {
	for _, expression := range expressions {
		s.expression(expression, scope)
	}
}

// expression searches an expression of a row, or a part of one; nil is none.
func (s *search) expression(node *Expression, within *scope) {
	if node == nil {
		return
	}
	s.enter(node.At)
	visible := map[string]*relation(nil)
	if within != nil {
		visible = within.visible
	}
	switch {
	case node.Query != nil:
		s.expressions(node.Parts, within)
		at := s.offset
		if s.rows(node.Query, visible).timed {
			s.offset = at
			s.obstacle(Unknown, "rows of a query in an expression can belong to other buckets; join what is grouped by bucket, as in USING (%s)", s.bucketName())
		}
		return
	case node.IsWindow:
		if within == nil || !slices.ContainsFunc(node.Partitions, func(partition *Expression) bool { return s.kindOf(partition, within) != other }) {
			s.obstacle(node.At, "a window function computes over rows of other buckets; add the bucket to PARTITION BY")
		}
	case node.Param != "":
		s.parameter(node.Param)
	case node.MayBeFunction:
		if within == nil || !within.has(node.Column[0]) {
			s.changing(node.Column[0])
		}
	case node.IsForeign:
		s.obstacle(node.At, "the function %s is not known", node.Function)
	case node.Function != "":
		s.changing(node.Function)
	}
	s.expressions(node.Parts, within)
}

// parameter reports parameters whose value is another one in each run.
func (s *search) parameter(name string) {
	prefix := s.text.ParamPrefix
	if folded := strings.ToLower(name); folded == sqlq.FromParam || folded == sqlq.ToParam {
		s.obstacle(Unknown, "%s%s is not used in a list of the buckets, so rows can depend on where the window begins or ends", prefix, name)
	}
	if strings.EqualFold(name, sqlq.NowParam) {
		s.obstacle(Unknown, "%snow makes closed buckets depend on the time of the run", prefix)
	}
	for i := range s.query.Params {
		if strings.EqualFold(s.query.Params[i].Name, name) && s.query.Params[i].HasRelativeDefault() {
			s.obstacle(Unknown, "the default of %s%s is relative to now and makes closed buckets depend on the time of the run", prefix, name)
		}
	}
}

// changing reports functions that return something else in each run.
func (s *search) changing(name string) {
	if slices.Contains(changingFunctions(), name) {
		s.obstacle(Unknown, "%s returns something else in each run", strings.ToUpper(name))
	}
}

// IsValue reports whether DuckDB has a function of a name, which needs no brackets, if no column has it.
func IsValue(name string) bool {
	return strings.HasPrefix(name, "current_") || slices.Contains([]string{"localtime", "localtimestamp", "rowid", "session_user", "user"}, name)
}

// changingFunctions returns the functions of DuckDB and GoogleSQL whose value differs between runs. error has none: it ends
// the run.
func changingFunctions() []string {
	return []string{
		"age", "ago", "current_catalog", "current_connection_id", "current_database", "current_date", "current_datetime", "current_localtime", "current_localtimestamp",
		"current_query", "current_query_id", "current_role", "current_schema", "current_schemas", "current_setting", "current_time", "current_timestamp",
		"current_transaction_id", "current_user", "currval", "gen_random_uuid", "generate_timestamp_trunc_array", "generate_uuid", "get_current_time", "get_current_timestamp",
		"in_search_path", "localtime", "localtimestamp", "nextval", "now", "pg_conf_load_time", "pg_postmaster_start_time", "pg_sleep", "rand", "random",
		"rowid", "session_user", "setseed", "sleep_ms", "stats", "today", "transaction_timestamp", "txid_current", "user", "uuid", "uuidv4", "uuidv7", "write_log",
	}
}
