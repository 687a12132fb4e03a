package duckdb

import (
	"maps"
	"slices"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// sqlTexts returns the SQL for arguments of which some are NULL or lists, in the forms to try, best
// first. A bound NULL has no type, and DuckDB could not choose the function for
// date_trunc('day', $day). So the NULL is written into the SQL, with the type of the
// parameter. A decimal is bound as a text and cast. The second form has no type for texts: DuckDB compares a time with a bound text,
// and with a NULL, but not with a NULL of type VARCHAR.
//
// The change to the tables hides them.
func sqlTexts(query *sqlq.SavedQuery, args []sqlq.Arg, tables sqltext.Change) []sqltext.Rewritten {
	typed, untypedTexts := make(map[string]string), make(map[string]string)
	for _, arg := range args {
		switch {
		case arg.Type.IsArray():
			typed[arg.Name] = listSQL(arg)
		case arg.Value == nil:
			typed[arg.Name] = typedNull(arg.Type)
			if arg.Type == sqlq.String {
				untypedTexts[arg.Name] = "NULL"
			}
		case arg.Type == sqlq.Numeric:
			typed[arg.Name] = "CAST($" + arg.Name + " AS " + duckdbsql.StorageType(arg.Type) + ")"
		}
	}
	shorter := decided(query.SQL, args)
	texts := []sqltext.Rewritten{replaceParams(query, typed, shorter, tables)}
	if len(untypedTexts) > 0 {
		maps.Copy(typed, untypedTexts)
		texts = append(texts, replaceParams(query, typed, shorter, tables))
	}
	return texts
}

// listSQL is an array parameter in its type, without the element that [listFor] puts first.
// Times and decimals are bound as texts.
func listSQL(arg sqlq.Arg) string {
	list, element := "$"+arg.Name+"[2:]", arg.Type.Element()
	if element == sqlq.Timestamp || element == sqlq.Date || element == sqlq.Numeric {
		list = "CAST(" + list + " AS VARCHAR[])"
	}
	return "CAST(" + list + " AS " + duckdbsql.StorageType(element) + "[])"
}

// replaceParams replaces conditions and tables, and the parameters that stay with texts.
func replaceParams(query *sqlq.SavedQuery, texts map[string]string, conditions []sqltext.Change, tables sqltext.Change) sqltext.Rewritten {
	changes := append(slices.Clone(conditions), tables)
	if len(texts) > 0 {
		for _, use := range sqltext.Params(duckdbsql.Dialect{}, query.SQL) {
			isIn := func(condition sqltext.Change) bool { return condition.Start < use.Start && use.End < condition.End }
			if text, ok := texts[use.Name]; ok && !slices.ContainsFunc(conditions, isIn) {
				changes = append(changes, sqltext.Change{Start: use.Start, End: use.End, Text: text})
			}
		}
	}
	return sqltext.Rewrite(query.SQL, changes...)
}
