package clickhousesql

import (
	"strings"

	"savedq/sqlq"
)

// severities are the texts that severity_text can have; other levels, and none, are INFO.
func severities() []string {
	return []string{"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "EMERGENCY", "ALERT", "LOG", "PANIC"}
}

// severityOf writes the severity that a text has, if it is one.
func severityOf(text string) string {
	return text + " IN ('" + strings.Join(severities(), "', '") + "')"
}

// logs writes a read of the table logs, with the columns that are used. It has the rows that the environment allows.
func (p *printer) logs(from *logsSource) string {
	if from.placed == nil {
		return p.logsOf(func(view string) string { return view }, p.logsItems(from, nil), "")
	}
	typed := func(view string) string { return quoteName(sqlq.TypedRows(view)) }
	others := p.logsItems(from, func(path string) string {
		text, _ := attribute("metadata", path)
		return text
	})
	return p.logsOf(typed, p.logsItems(from, firstText), sqlq.PlacesColumn+" = 0") + " UNION ALL " +
		p.logsOf(typed, p.logsItems(from, placedText), sqlq.PlacesColumn+" > 0") + " UNION ALL " +
		p.logsOf(func(view string) string { return quoteName(sqlq.UntypedRows(view)) }, others, "")
}

// logsItems writes the columns of the table logs that are used. at writes the text at a path of log_attributes.
func (p *printer) logsItems(from *logsSource, at func(path string) string) string {
	var items []string
	for _, column := range from.columns() {
		if !from.used[column.name] {
			continue
		}
		switch column.name {
		case "event_message":
			items = append(items, "coalesce(event_message, '') AS event_message")
		case "severity_text":
			items = append(items, "CASE WHEN "+severityOf("upper(level)")+" THEN upper(level) ELSE 'INFO' END AS severity_text")
		case "log_attributes":
			items = append(items, "metadata AS log_attributes")
		case "id", "timestamp", "source":
			items = append(items, column.name)
		default:
			items = append(items, at(strings.TrimPrefix(column.name, attributeColumn("")))+" AS "+quoteName(column.name))
		}
	}
	if items == nil {
		items = []string{"1 AS one"}
	}
	return strings.Join(items, ", ")
}

// logsOf writes the rows of views that the environment allows, as far as a further condition selects them.
func (p *printer) logsOf(view func(name string) string, items, condition string) string {
	selected := "SELECT " + items + " FROM "
	all, shared := view(sqlq.AllLogs), view(sqlq.SharedLogs)
	rows := p.env.Rows
	var further []string
	if condition != "" {
		further = append(further, condition)
	}
	if rows.After != "" {
		further = append(further, bound(rows.After, "timestamp >", rows.Optional))
	}
	if rows.Until != "" {
		further = append(further, bound(rows.Until, "timestamp <=", rows.Optional))
	}
	where := func(conditions ...string) string {
		conditions = append(conditions, further...)
		if len(conditions) == 0 {
			return ""
		}
		return " WHERE " + strings.Join(conditions, " AND ")
	}
	project := "$" + rows.Project
	switch {
	case rows.Project == "":
		return selected + all + where()
	case rows.Several:
		return selected + all + where("list_contains("+project+", project)") + " UNION ALL " +
			selected + shared + where("list_has_any(projects, "+project+")")
	}
	return selected + all + where("project_key = md5_number_lower("+project+")", "project = "+project) + " UNION ALL " +
		selected + shared + where("list_contains(projects, "+project+")")
}

// bound is a condition on the time with a parameter.
func bound(param, condition string, isOptional bool) string {
	text := condition + " CAST($" + param + " AS TIMESTAMP)"
	if isOptional {
		return "($" + param + " IS NULL OR " + text + ")"
	}
	return text
}

// attribute reads the value at a path of metadata, whose objects are in lists of one. A list counts by its first element.
func attribute(metadata, key string) (sql string, ok bool) {
	if strings.ContainsAny(key, `"\`) {
		return "", false
	}
	path := `$[0]."` + strings.ReplaceAll(key, ".", `"[0]."`) + `"`
	return "coalesce(list_any_value(json_value(" + metadata + ", [" + quoteText(path) + ", " + quoteText(path+"[0]") + "])) ->> '$', '')", true
}

// flattened makes a JSON object of metadata: from the paths of its values to their texts.
func flattened(metadata string) string {
	return "coalesce(CAST(attributes_json(CAST(" + metadata + " AS VARCHAR)) AS JSON), JSON '{}')"
}

// mapped makes a map of what flattened does.
func mapped(metadata string) string {
	return "CAST(" + flattened(metadata) + " AS MAP(VARCHAR, VARCHAR))"
}
