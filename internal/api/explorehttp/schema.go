package explorehttp

import (
	"maps"

	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
)

// Schema is what SQL of a caller can name in a dialect, for the completion of an editor.
type Schema struct {
	Tables     []Table    `json:"tables" doc:"Tables that the token may read."`
	Functions  []Function `json:"functions" doc:"Functions of the dialect; none are listed of DuckDB."`
	Withheld   []string   `json:"withheld" doc:"Tables that the token may not read."`
	Parameters []string   `json:"parameters" doc:"Parameters that the token binds."`
	MaxRows    int        `json:"maxRows" doc:"The most rows of a result." format:"int64"`
	Dialects   []string   `json:"dialects" doc:"Dialects of SQL that the token may send."`
	Saves      bool       `json:"saves" doc:"Whether the server writes the folders of new saved queries."`
}

// Table is a table.
type Table struct {
	Name        string   `json:"name" doc:"Name."`
	Description string   `json:"description" doc:"What the rows are."`
	Columns     []Column `json:"columns" doc:"The columns."`
	// Members are the members that senders usually set in metadata. There can be others.
	Members sqlq.Members `json:"members,omitempty"`
	Size    *Size        `json:"size,omitempty"`
}

// Size is the size of a table in the embedded store.
type Size struct {
	Bytes int64 `json:"bytes" doc:"About the space of its rows in files." format:"int64"`
	Rows  int64 `json:"rows" doc:"The number of its rows in files." format:"int64"`
}

// Column is a column of a table or of a result.
type Column struct {
	Name        string   `json:"name" doc:"Name."`
	Type        string   `json:"type" doc:"Type, in GoogleSQL's words; that of a column of the table logs in ClickHouse's."`
	Description string   `json:"description,omitempty" doc:"What the values mean."`
	Values      []string `json:"values,omitempty" doc:"All values that the column can have, if there are few."`
	Fields      []Column `json:"fields,omitempty" doc:"Fields of a STRUCT, or of the elements of an array of these."`
}

// Parameter is a parameter of SQL. Its type is inferred from its use.
type Parameter struct {
	Name     string `json:"name" doc:"Name."`
	Type     string `json:"type" doc:"Type, inferred from the SQL."`
	Required bool   `json:"required" doc:"Whether the SQL cannot run without a value."`
}

// Checked is what is known about SQL that has not run.
type Checked struct {
	Parameters []Parameter `json:"parameters" doc:"In the order of the SQL; empty if it has a mistake."`
	// Bytes is nil where sizes are not known, and for tokens with limits, because the files have the rows of others.
	Bytes   *int64   `json:"bytes,omitempty" doc:"The size of the tables that the SQL names, which a run reads at most; for tokens without limits on the embedded store."`
	Mistake *Mistake `json:"mistake,omitempty"`
}

// Mistake is a mistake in SQL.
type Mistake struct {
	Message  string `json:"message" doc:"What is wrong, and what to do."`
	Argument string `json:"argument,omitempty" doc:"The parameter at fault, or sql."`
	Line     int    `json:"line,omitempty" doc:"Line of the mistake, from 1." format:"int64"`
	Column   int    `json:"column,omitempty" doc:"Column of the mistake, in bytes of UTF-8, from 1." format:"int64"`
}

// Function is a form of a function.
type Function struct {
	Name      string `json:"name" doc:"Name."`
	Constants string `json:"constants,omitempty" doc:"Constants in parentheses of their own before the parameters, as in quantile(0.95)(x)."`
	Params    string `json:"params" doc:"Its parameters."`
	Result    string `json:"result,omitempty" doc:"Type of the result."`
	Note      string `json:"note,omitempty" doc:"How it differs from BigQuery's, or what it does."`
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

// LogsTable describes the table of ClickHouse's SQL, with the events of log sources.
func LogsTable(sources sqlq.Tables) Table {
	described := Table{Name: clickhousesql.LogsTable, Description: "The events of all log sources.", Members: make(sqlq.Members)}
	for _, column := range clickhousesql.Columns(sources) {
		described.Columns = append(described.Columns, Column{Name: column.Name, Type: column.Type, Description: column.Doc, Values: column.Values})
	}
	for _, source := range sources {
		addMembers(described.Members, source.Members)
	}
	return described
}

func addMembers(to, from sqlq.Members) {
	for name, inner := range from {
		together := maps.Clone(to[name])
		if together == nil {
			together = make(sqlq.Members)
		}
		addMembers(together, inner)
		to[name] = together
	}
}

// FunctionsOf returns the functions of a dialect. Those of DuckDB are not listed.
func FunctionsOf(dialect string) []Function {
	functions := []Function{}
	switch dialect {
	case GoogleSQL:
		for _, group := range googlesql.Functions() {
			for _, entry := range group.Functions {
				functions = append(functions, Function{Name: entry.Name, Params: entry.Params, Result: entry.Result, Note: entry.Note})
			}
		}
	case ClickHouse:
		for _, group := range clickhousesql.Functions() {
			for _, entry := range group.Functions {
				for _, name := range append([]string{entry.Name}, entry.Others...) {
					functions = append(functions, Function{Name: name, Constants: entry.Constants, Params: entry.Args, Result: entry.Result, Note: entry.Doc})
				}
			}
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
