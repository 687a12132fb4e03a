package clickhousesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// logs writes a read of the table logs: the rows of the log sources that the environment allows. Each source has its conditions itself,
// so nothing around them can read other rows.
func (p *nativePrinter) logs(from *logsSource) string {
	sources := p.sourcesOf(from)
	if len(sources) == 0 {
		sources = p.env.Sources[:1] // of which the condition on the source leaves nothing
	}
	return strings.Join(each(sources, func(table *sqlq.Table) string { return p.events(table, from) }), "\nUNION ALL ")
}

// events writes a read of a log source as rows of the table logs.
func (p *nativePrinter) events(table *sqlq.Table, from *logsSource) string {
	var items []string
	for _, column := range from.columns() {
		if !from.used[column.name] {
			continue
		}
		sql := ""
		switch column.name {
		case "timestamp":
			sql = "timestamp"
		case "source":
			sql = nativeText(table.Name)
		case "severity_text":
			level := "upper(" + p.attributeOf(table, "level") + ")"
			parsed := "upper(" + p.attributeOf(table, "parsed.error_severity") + ")"
			known := "if(" + level + " = '', " + parsed + ", " + level + ")"
			sql = "if(" + severityOf(known) + ", " + known + ", 'INFO')"
		case "log_attributes":
			sql = p.metadata(table)
		default:
			sql = "ifNull(" + column.name + ", '')"
		}
		items = append(items, sql+" AS "+column.name)
	}
	if items == nil {
		items = []string{"1 AS one"}
	}
	conditions := slices.Concat(p.ofProject(table), p.inTime())
	where := ""
	if conditions != nil {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + nativeName(table.Name) + where
}

// ofProject is the condition that the events are of the projects of the environment.
func (p *nativePrinter) ofProject(table *sqlq.Table) []string {
	rows := p.env.Rows
	if rows.Project == "" {
		return nil
	}
	is := func(project string) string {
		if rows.Several {
			return "has(" + sentParameter(rows.Project, sqlq.ArrayOf(sqlq.String), false) + ", " + project + ")"
		}
		return project + " = " + sentParameter(rows.Project, sqlq.String, p.isOptional(rows.Project))
	}
	switch {
	case table.ProjectMember == "":
		return []string{is("project")} // not true of NULL
	case table.ClickHouse.HasMap():
		return []string{is(p.attributeOf(table, table.ProjectMember))}
	}
	// an event belongs to the projects of all objects of its metadata
	objects := "if(startsWith(" + jsonOf + ", '['), JSONExtractArrayRaw(" + jsonOf + "), [" + jsonOf + "])"
	return []string{"arrayExists(x0 -> " + is("JSONExtract(x0, "+nativeText(table.ProjectMember)+", 'String')") + ", " + objects + ")"}
}

// isOptional reports whether a declared parameter can be absent.
func (p *nativePrinter) isOptional(name string) bool {
	return slices.ContainsFunc(p.env.Params, func(param Param) bool { return param.Name == name && param.Nullable })
}

// inTime are the conditions on the time of the environment.
func (p *nativePrinter) inTime() []string {
	rows := p.env.Rows
	bound := func(param, operator string) []string {
		if param == "" {
			return nil
		}
		sent := sentParameter(param, sqlq.Timestamp, rows.Optional || p.isOptional(param))
		text := "timestamp " + operator + " " + sent
		if rows.Optional {
			text = "(isNull(" + sent + ") OR " + text + ")"
		}
		return []string{text}
	}
	return slices.Concat(bound(rows.After, ">"), bound(rows.Until, "<="))
}

// sourcesOf returns the log sources that a read can have rows of: a condition on the source in the WHERE around it can exclude others.
func (p *nativePrinter) sourcesOf(from *logsSource) sqlq.Tables {
	sources := slices.Clone(p.env.Sources)
	var narrow func(v *value)
	narrow = func(v *value) {
		if v == nil || v.kind != callValue {
			return
		}
		name := v.function.name
		switch {
		case name == "and":
			for _, arg := range v.args {
				narrow(arg)
			}
			return
		case name != "equals" && name != "in":
			return
		}
		column, others := v.args[0], v.args[1:]
		if name == "equals" && column.kind == constantValue {
			column, others = v.args[1], v.args[:1]
		}
		isSource := column.kind == columnValue && column.from == source(from) && column.text == "source"
		if !isSource || slices.ContainsFunc(others, func(v *value) bool { return v.kind != constantValue }) {
			return
		}
		sources = slices.DeleteFunc(sources, func(table *sqlq.Table) bool {
			return !slices.ContainsFunc(others, func(v *value) bool { return v.text == table.Name })
		})
	}
	narrow(from.sel.where)
	return sources
}

// jsonOf is the JSON of an event.
const jsonOf = "ifNull(metadata, '')"

// metadata writes log_attributes of a source as all sources have it.
func (p *nativePrinter) metadata(table *sqlq.Table) string {
	switch {
	case table.ClickHouse.HasMap():
		return "CAST(metadata, 'Map(String, String)')"
	case p.hasMaps:
		return flattenedJSON(jsonOf)
	}
	return jsonOf
}

// attributeOf reads the value at a path of the metadata of a source.
func (p *nativePrinter) attributeOf(table *sqlq.Table, path string) string {
	if table.ClickHouse.HasMap() {
		return mapValue("metadata", path)
	}
	return jsonValue(jsonOf, path)
}

// attribute reads the value at a path of log_attributes.
func (p *nativePrinter) attribute(metadata, path string) string {
	if p.hasMaps {
		return mapValue(metadata, path)
	}
	return jsonValue(metadata, path)
}

// flattened makes a map of log_attributes.
func (p *nativePrinter) flattened(metadata string) string {
	if p.hasMaps {
		return metadata
	}
	return flattenedJSON(metadata)
}

func mapValue(metadata, path string) string {
	return "toString(" + metadata + "[" + nativeText(path) + "])"
}

// jsonValue reads the text of the value at a path of JSON, whose objects are all in lists of one, or none are. A list counts by its first
// element, and objects have no text.
func jsonValue(json, path string) string {
	read := func(steps []string) string {
		at := strings.Join(append([]string{json}, steps...), ", ")
		first := "if(JSONType(" + at + ", 1) IN ('Object', 'Array'), '', JSONExtract(" + at + ", 1, 'String'))"
		return "multiIf(JSONType(" + at + ") = 'Array', " + first + ", JSONType(" + at + ") = 'Object', '', JSONExtract(" + at + ", 'String'))"
	}
	var plain, listed []string
	for name := range strings.SplitSeq(path, ".") {
		plain, listed = append(plain, nativeText(name)), append(listed, "1", nativeText(name))
	}
	return "if(startsWith(" + json + ", '['), " + read(listed) + ", " + read(plain) + ")"
}

// mostLevels is how deep objects of metadata are read as a map. What is deeper is JSON.
const mostLevels = 8

// flattenedJSON makes a map of JSON: from the paths of its values to their texts.
func flattenedJSON(json string) string {
	const (
		isObject = "(startsWith(e.2, '{') OR startsWith(e.2, '[{'))"
		object   = "if(startsWith(e.2, '['), JSONExtractRaw(e.2, 1), e.2)"
	)
	entries := "JSONExtractKeysAndValuesRaw(if(startsWith(" + json + ", '['), JSONExtractRaw(" + json + ", 1), " + json + "))"
	for range mostLevels - 1 {
		entries = "arrayFlatten(arrayMap(e -> if(" + isObject + ", arrayMap(i -> (concat(e.1, '.', i.1), i.2), JSONExtractKeysAndValuesRaw(" + object + ")), [(e.1, e.2)]), " + entries + "))"
	}
	// a list counts by its first element, which can be a list or an object of several: they have no text
	entries = "arrayMap(e -> (e.1, if(startsWith(e.2, '['), JSONExtractRaw(e.2, 1), e.2)), " + entries + ")"
	entries = "arrayFilter(e -> e.2 NOT IN ('', 'null') AND NOT match(e.2, '^[\\\\[{]'), " + entries + ")"
	return "CAST(arrayMap(e -> (e.1, JSONExtract(e.2, 'String')), " + entries + "), 'Map(String, String)')"
}
