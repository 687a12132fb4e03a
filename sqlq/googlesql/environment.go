package googlesql

import "savedq/sqlq"

// EnvironmentOf returns what the SQL of a saved query can name: its tables under all of their names (D22), and the
// parameters.
func EnvironmentOf(query *sqlq.SavedQuery) Environment {
	env := Environment{Target: TargetOf(query.Engine), Columns: query.Columns, Params: []Param{{Name: sqlq.NowParam, Type: sqlq.Timestamp}}}
	for _, table := range query.Tables {
		env.Tables = append(env.Tables, environmentTable(table, query))
	}
	if query.Callers != nil {
		env.CallersFrom = query.Callers.From
	}
	for _, param := range query.Params {
		env.Params = append(env.Params, Param{Name: param.Name, Type: param.Type})
	}
	if query.Series != nil {
		env.Params = append(env.Params, Param{Name: sqlq.FromParam, Type: sqlq.Timestamp}, Param{Name: sqlq.ToParam, Type: sqlq.Timestamp})
		env.Bounded = query.Series.Tables
	}
	return env
}

func environmentTable(table *sqlq.Table, query *sqlq.SavedQuery) Table {
	read := Table{Name: table.Name, Aliases: table.Aliases, Fields: table.Members, ProjectMember: table.ProjectMember, ClickHouse: table.ClickHouse}
	if table.Shipped {
		read.Records = sqlq.RecordsOf(table.Name)
	}
	if table.IsSource() && table.ClickHouse == nil {
		read.MetadataColumns = table.MetadataColumns()
	}
	if scoped := query.Scoped(sqlq.ScopeProject); scoped >= 0 {
		read.ProjectColumns = table.ProjectColumns(query.Params[scoped].Name)
	}
	for _, column := range table.Columns() {
		read.Columns = append(read.Columns, TableColumn{Name: column.Name, Type: column.Type, IsMetadata: column.IsMetadata})
	}
	return read
}
