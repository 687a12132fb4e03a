package explorehttp

import (
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Schema is what SQL of a caller can name, for the completion of an editor.
type Schema struct {
	Tables    []Table    `json:"tables"`
	Functions []Function `json:"functions"`
	// Withheld are the names of tables that the token may not read.
	Withheld []string `json:"withheld"`
	// Parameters are those that the token binds, which limit all rows.
	Parameters []string `json:"parameters"`
	// MaxRows is the most rows of a result.
	MaxRows int `json:"maxRows"`
	// Saves reports whether the server writes the folders of new saved queries.
	Saves bool `json:"saves"`
}

// Table is a table.
type Table struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Columns     []Column `json:"columns"`
	// Members are the members that senders usually set in metadata. There can be others.
	Members sqlq.Members `json:"members,omitempty"`
}

// Column is a column of a table or of a result.
type Column struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Fields      []Column `json:"fields,omitempty"`
}

// Parameter is a parameter of SQL. Its type is inferred from its use.
type Parameter struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Required reports whether the SQL cannot run without a value.
	Required bool `json:"required"`
}

// Function is a form of a function.
type Function struct {
	Name   string `json:"name"`
	Params string `json:"params"`
	Result string `json:"result,omitempty"`
	Note   string `json:"note,omitempty"`
}

// TablesOf describes tables.
func TablesOf(tables sqlq.Tables) []Table {
	described := make([]Table, len(tables))
	for i, table := range tables {
		described[i] = Table{Name: table.Name, Description: table.Description, Members: table.Members}
		for _, column := range table.Columns() {
			one := columnsOf([]sqlq.Column{column.Column})[0]
			if column.IsMetadata {
				one.Type = string(sqlq.ArrayOf(sqlq.Struct))
			}
			described[i].Columns = append(described[i].Columns, one)
		}
	}
	return described
}

// FunctionsOf returns the functions of GoogleSQL.
func FunctionsOf() []Function {
	var functions []Function
	for _, group := range googlesql.Functions() {
		for _, entry := range group.Functions {
			functions = append(functions, Function(entry))
		}
	}
	return functions
}

func columnsOf(columns []sqlq.Column) []Column {
	described := make([]Column, len(columns))
	for i, column := range columns {
		described[i] = Column{Name: column.Name, Type: string(column.Type), Description: column.Description}
		if len(column.Fields) > 0 {
			described[i].Fields = columnsOf(column.Fields)
		}
	}
	return described
}
