package sqltree

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"savedq/sqlq/series/shape"
)

// Shape returns the shape of a text, of which tree is the tree.
func Shape(db Database, text string, tree Node) *shape.Text {
	s := &shaper{length: len(text)}
	found := &shape.Text{SQL: text, Query: s.query(tree), ParamPrefix: "$", Tables: s.tables(tree)}
	tree.Walk(func(node Node) bool {
		for _, table := range CommonTables(node) {
			found.Common = append(found.Common, table.Name)
		}
		function := node.Name("function_name")
		found.Approximate = found.Approximate || strings.HasPrefix(function, "approx_") || strings.HasPrefix(function, "reservoir_")
		return true
	})
	found.Values = func(ctx context.Context, expression *shape.Expression, sample shape.Sample) (string, error) {
		node, _ := expression.Source.(Node)
		sql, err := Print(ctx, db, sampled(node, sample))
		return "SELECT " + shape.SampleRow + ", " + sql + " AS " + shape.SampleValue + " FROM " + shape.SampleTable, err
	}
	return found
}

// sampled returns an expression with columns of the samples in place of its columns and parameters.
func sampled(expression Node, sample shape.Sample) Node {
	return expression.Map(func(node Node) Node {
		column := sample.Column
		if node.Class() == "PARAMETER" {
			column = sample.Params[node.Name("identifier")]
		} else if len(node.Names("column_names")) == 0 {
			return nil
		}
		if column == "" {
			return nil
		}
		return Node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "query_location": 0, "column_names": []any{column}}
	})
}

// shaper makes the shape of a tree.
type shaper struct {
	// length is the length of the text in bytes.
	length int
}

// at returns where a node is.
func (s *shaper) at(node Node) int {
	if offset, ok := node.Offset(); ok && offset <= s.length {
		return offset
	}
	return shape.Unknown
}

func (s *shaper) tables(node Node) []*shape.Table {
	var found []*shape.Table
	for _, table := range Tables(node) {
		found = append(found, s.table(table))
	}
	return found
}

func (s *shaper) table(node Node) *shape.Table {
	return &shape.Table{At: s.at(node), Schema: node.Name("schema_name"), Name: node.Name("table_name"), Spelled: node.Text("table_name")}
}

func (s *shaper) query(node Node) *shape.Query {
	query := &shape.Query{At: s.at(node)}
	for _, common := range CommonTables(node) {
		query.Common = append(query.Common, shape.Common{Name: common.Name, Columns: common.Columns, Query: s.query(common.Query)})
	}
	switch node.Type() {
	case "SELECT_NODE":
		query.Select = s.selection(node)
	case "SET_OPERATION_NODE":
		op := strings.ReplaceAll(node.Text("setop_type"), "_", " ")
		query.Set = &shape.Set{Op: op, All: node.Flag("setop_all"), Left: s.query(node.Child("left")), Right: s.query(node.Child("right"))}
	default:
		query.Other = &shape.Other{What: "this", Tables: s.tables(node)}
	}
	for _, modifier := range node.List("modifiers") {
		children := s.parts(modifier)
		switch modifier.Type() {
		case "ORDER_MODIFIER":
			query.Order = append(query.Order, children...)
		case "DISTINCT_MODIFIER":
			query.DistinctOn = append(query.DistinctOn, children...)
		default:
			query.Limit = append(query.Limit, children...)
		}
	}
	return query
}

func (s *shaper) selection(node Node) *shape.Select {
	selection := &shape.Select{
		From: s.from(node.Child("from_table")), Where: s.expression(node.Child("where_clause")), Having: s.expression(node.Child("having")),
		Qualify: s.expression(node.Child("qualify")), Groups: s.expressions(node.List("group_expressions")),
		GroupAll: node.Text("aggregate_handling") == "FORCE_AGGREGATES", Sample: s.sampling(node),
	}
	sets, _ := node["group_sets"].([]any)
	selection.GroupSets = len(sets) > 1
	for _, item := range node.List("select_list") {
		selection.Items = append(selection.Items, s.item(item))
	}
	return selection
}

func (s *shaper) sampling(node Node) *shape.Sampling {
	if sample := node.Child("sample"); sample != nil {
		return &shape.Sampling{At: s.at(sample)}
	}
	return nil
}

func (s *shaper) item(node Node) shape.Item {
	item := shape.Item{At: s.at(node), Name: node.Name("alias")}
	if node.Type() == "STAR" {
		item.Star = &shape.Star{
			Relation: node.Name("relation_name"), Except: node.Names("exclude_list"),
			IsOpaque: node.Flag("columns") || len(node.List("rename_list"))+len(node.List("qualified_exclude_list")) > 0,
		}
		for _, replaced := range node.List("replace_list") {
			item.Star.Replaced = append(item.Star.Replaced, shape.Item{Name: replaced.Name("key"), Expression: s.expression(replaced.Child("value"))})
		}
		return item
	}
	if names := node.Names("column_names"); item.Name == "" && len(names) > 0 {
		item.Name = names[len(names)-1]
	}
	item.Expression = s.expression(node)
	return item
}

func (s *shaper) from(node Node) *shape.From {
	from := &shape.From{At: s.at(node), Alias: node.Name("alias"), Columns: node.Names("column_name_alias"), Sample: s.sampling(node)}
	switch node.Type() {
	case "EMPTY":
		return nil
	case "BASE_TABLE":
		from.Table, from.IsAtVersion = s.table(node), node.Child("at_clause") != nil
	case "SUBQUERY":
		from.Query = s.query(node.Child("subquery").Child("node"))
	case "TABLE_FUNCTION":
		from.Function = s.expression(node.Child("function"))
		from.RowNames = []string{from.Function.Function}
	case "EXPRESSION_LIST":
		from.Constants = append([]*shape.Expression{}, s.parts(node)...)
	case "JOIN":
		from.Join = &shape.Join{
			Kind: node.Text("join_type"), Condition: node.Text("ref_type"), Left: s.from(node.Child("left")), Right: s.from(node.Child("right")),
			On: s.expression(node.Child("condition")), Using: node.Names("using_columns"),
		}
	default:
		from.Other = &shape.Other{What: strings.ReplaceAll(node.Type(), "_", " "), Tables: s.tables(node)}
	}
	return from
}

func (s *shaper) expressions(nodes []Node) []*shape.Expression {
	var found []*shape.Expression
	for _, node := range nodes {
		found = append(found, s.expression(node))
	}
	return found
}

// parts returns the expressions directly in a node, also those in nodes that are no expressions, such as an order.
func (s *shaper) parts(node Node) []*shape.Expression {
	var found []*shape.Expression
	for _, child := range node.Children() {
		if child.Class() == "" {
			found = append(found, s.parts(child)...)
		} else {
			found = append(found, s.expression(child))
		}
	}
	return found
}

// expression returns an expression; nil for none.
func (s *shaper) expression(node Node) *shape.Expression {
	if node == nil {
		return nil
	}
	expression := &shape.Expression{At: s.at(node), Source: node, Column: node.Names("column_names"), Number: number(node)}
	function := node.Name("function_name")
	switch {
	case node.Class() == "SUBQUERY":
		expression.Query = s.query(node.Child("subquery").Child("node"))
		if child := node.Child("child"); child != nil {
			expression.Parts = s.expressions([]Node{child})
		}
		return expression
	case node.Class() == "WINDOW":
		expression.IsWindow, expression.Partitions = true, s.expressions(node.List("partitions"))
	case node.Class() == "PARAMETER":
		expression.Param = node.Text("identifier")
	case node.Class() == "STAR":
		expression.IsStar = true
	case node.Class() == "COLUMN_REF":
		expression.MayBeFunction = len(expression.Column) == 1 && shape.IsValue(expression.Column[0])
	default:
		schema := node.Text("schema")
		expression.Function, expression.IsForeign = function, function != "" && schema != "" && schema != "main"
	}
	if condition := comparisons()[node.Type()]; condition != "" {
		expression.Operator = condition
	}
	expression.Parts = s.parts(node)
	expression.IsTimestamp = len(expression.Parts) > 0 && isTimestamp(node)
	return expression
}

// comparisons returns the operators, by the types of their nodes.
func comparisons() map[string]string {
	return map[string]string{
		"CONJUNCTION_AND": "AND", "COMPARE_EQUAL": "=", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=",
		"COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">=",
	}
}

// isTimestamp reports whether an expression is a cast to TIMESTAMP.
func isTimestamp(node Node) bool {
	return node.Class() == "CAST" && slices.Contains([]string{"TIMESTAMP", "DATETIME"}, node.Child("cast_type").Text("id"))
}

// number returns the whole number that an expression is; nil for others.
func number(expression Node) *int {
	value, ok := expression.Child("value")["value"].(json.Number)
	whole, err := value.Int64()
	if !ok || err != nil {
		return nil
	}
	return new(int(whole))
}
