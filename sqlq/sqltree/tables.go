package sqltree

import "maps"

// CommonTable is a common table expression of a WITH clause.
type CommonTable struct {
	// Name is in lower case.
	Name string
	// Columns are the names of its first columns, in lower case, if it gives them others.
	Columns []string
	Query   Node
}

// CommonTables returns the common tables in the WITH clause of a query, in order.
func CommonTables(query Node) []CommonTable {
	var found []CommonTable
	for _, entry := range query.Child("cte_map").List("map") {
		value := entry.Child("value")
		found = append(found, CommonTable{entry.Name("key"), value.Names("aliases"), value.Child("query").Child("node")})
	}
	return found
}

// Tables returns the tables that a tree reads (BASE_TABLE), but no common table expressions. A
// table is in the list once for each place.
func Tables(tree Node) []Node { return tables(tree, nil) }

// tables knows the common table expressions that can be read in a place.
func tables(node Node, visible map[string]bool) (found []Node) {
	if common := CommonTables(node); len(common) > 0 {
		visible = maps.Clone(visible)
		if visible == nil {
			visible = make(map[string]bool)
		}
		for _, table := range common {
			if table.Query.Type() == "RECURSIVE_CTE_NODE" {
				visible[table.Name] = true
			}
			found = append(found, tables(table.Query, visible)...)
			visible[table.Name] = true
		}
	}
	if node.Type() == "BASE_TABLE" && (node.Text("schema_name") != "" || !visible[node.Name("table_name")]) {
		return append(found, node)
	}
	for _, child := range node.childrenBut("cte_map") {
		found = append(found, tables(child, visible)...)
	}
	return found
}
