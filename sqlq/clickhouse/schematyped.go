package clickhouse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// projectsColumn has all projects of an event, of sources whose events have theirs in metadata.
const projectsColumn = "metadata_projects"

// metadataForm is a form of metadata whose typed columns have all: one element, and one element of the list if there is one. An object
// stands for a list of it. Both have a path as arguments of JSONExtract.
type metadataForm struct{ element, inList []string }

// metadataForms returns the forms that the column [sqlq.MetadataTyped] numbers, from 1 on. Without a list, inList is nil.
func metadataForms(list string) []metadataForm {
	var forms []metadataForm
	for _, element := range [][]string{nil, {"1"}} {
		if list == "" {
			forms = append(forms, metadataForm{element: element})
			continue
		}
		in := append(slices.Clone(element), quoteText(list))
		forms = append(forms, metadataForm{element, in}, metadataForm{element, append(slices.Clone(in), "1")})
	}
	return forms
}

// metadataColumns returns the declarations of the typed columns of a source, with what says in which rows they have all.
func metadataColumns(source *sqlq.Table) []string {
	columns := source.MetadataColumns()
	if columns == nil {
		return nil
	}
	list := ""
	for _, column := range columns {
		if len(column.Path) > 1 {
			list = column.Path[0]
		}
	}
	forms := metadataForms(list)
	var branches []string
	for i, form := range forms {
		branches = append(branches, strings.Join(form.conditions(columns), " AND "), strconv.Itoa(i+1))
	}
	// The marks with which GoogleSQL reads numbers of JSON could not be told from others.
	const marked = `match(ifNull(` + "`metadata`" + `, ''), '\xEE\x80\x80|\\\\u[eE]000')`
	declared := []string{
		fmt.Sprintf("%s UInt8 MATERIALIZED multiIf(%s, 0, %s, 0)", quoteName(sqlq.MetadataTyped), marked, strings.Join(branches, ", ")),
		fmt.Sprintf("INDEX %[1]s %[1]s TYPE minmax", quoteName(sqlq.MetadataTyped)),
	}
	for _, column := range columns {
		kind, read := "Nullable(String)", []string(nil)
		switch column.Type { //nolint:exhaustive // There are no others.
		case sqlq.Int64:
			kind = "Nullable(Int64)"
		case sqlq.Float64:
			kind = "Nullable(Float64)"
		}
		for i, form := range forms {
			read = append(read, fmt.Sprintf("%s = %d, %s, ", quoteName(sqlq.MetadataTyped), i+1, jsonCall("JSONExtract", form.path(column), quoteText(kind))))
		}
		if column.Path[0] == source.ProjectMember && len(column.Path) == 1 {
			kind = "LowCardinality(Nullable(String))"
		}
		declared = append(declared, fmt.Sprintf("%s %s MATERIALIZED multiIf(%sNULL)", quoteName(column.Name), kind, strings.Join(read, "")))
	}
	if source.ProjectMember != "" {
		declared = append(declared, fmt.Sprintf("%s Array(LowCardinality(String)) MATERIALIZED arrayDistinct(arrayFilter(x -> x != '', arrayMap(x -> ifNull(JSONExtract(x, %s, 'Nullable(String)'), ''), "+
			"if(%s = 'Object', [ifNull(`metadata`, '')], %s))))", quoteName(projectsColumn), quoteText(source.ProjectMember), jsonCall("JSONType", nil), jsonCall("JSONExtractArrayRaw", nil)))
	}
	return declared
}

// conditions returns what metadata of the form is.
func (f metadataForm) conditions(columns []sqlq.MetadataColumn) []string {
	conditions := oneObject(f.element, len(f.element) > 0)
	if f.inList != nil {
		conditions = append(conditions, oneObject(f.inList, f.inList[len(f.inList)-1] == "1")...)
	}
	for _, column := range columns {
		kind := jsonCall("JSONType", f.path(column))
		switch column.Type {
		case sqlq.String:
			conditions = append(conditions, kind+" IN ('Null', 'String')")
			continue
		case sqlq.Int64:
			conditions = append(conditions, kind+" IN ('Null', 'Int64')")
		default:
			conditions = append(conditions, kind+" IN ('Null', 'Int64', 'UInt64', 'Double')")
		}
		// The columns have no sign of zero.
		conditions = append(conditions, "("+kind+" = 'Null' OR "+jsonCall("JSONExtractFloat", f.path(column))+" != 0 OR NOT match(ifNull(`metadata`, ''), ':\\\\s*-0'))")
	}
	return conditions
}

// oneObject returns the conditions that an object is at a path, alone in a list or not.
func oneObject(path []string, isListed bool) []string {
	object := jsonCall("JSONType", path) + " = 'Object'"
	if !isListed {
		return []string{object}
	}
	list := path[:len(path)-1]
	return []string{jsonCall("JSONType", list) + " = 'Array'", jsonCall("JSONLength", list) + " = 1", object}
}

// path returns the path of a column as arguments of JSONExtract.
func (f metadataForm) path(column sqlq.MetadataColumn) []string {
	base := f.element
	if len(column.Path) > 1 {
		base = f.inList
	}
	return append(slices.Clone(base), quoteText(column.Path[len(column.Path)-1]))
}

// jsonCall returns a call of a function of JSON at a path of metadata.
func jsonCall(function string, path []string, more ...string) string {
	return function + "(" + strings.Join(append(append([]string{"ifNull(`metadata`, '')"}, path...), more...), ", ") + ")"
}
