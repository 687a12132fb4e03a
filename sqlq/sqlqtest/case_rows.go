package sqlqtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"savedq/sqlq"
)

// datetimeLayout is how a DATETIME is written (D13).
const datetimeLayout = "2006-01-02T15:04:05.999999"

// parseRows reads the wanted rows of a case file. A row is a list of values, or
// a run: {from, to, step, then}, which stands for rows whose first column goes
// from one time to another and whose other columns stay the same.
func parseRows(columns []sqlq.Column, texts []any) ([][]any, error) {
	rows := [][]any{}
	for i, text := range texts {
		var (
			more [][]any
			err  error
		)
		switch text := text.(type) {
		case []any:
			more, err = parseRow(columns, text)
		case map[string]any:
			more, err = parseRun(columns, text)
		default:
			err = errors.New("is neither a list nor a run")
		}
		if err != nil {
			return nil, fmt.Errorf("wanted row %d: %w", i, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func parseRow(columns []sqlq.Column, texts []any) ([][]any, error) {
	if len(texts) != len(columns) {
		return nil, fmt.Errorf("has %d values for %d columns", len(texts), len(columns))
	}
	row := make([]any, len(texts))
	for i, text := range texts {
		value, err := parseValue(columns[i].Type, text)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", columns[i].Name, err)
		}
		row[i] = value
	}
	return [][]any{row}, nil
}

func parseRun(columns []sqlq.Column, run map[string]any) ([][]any, error) {
	then, hasThen := run["then"].([]any)
	stepText, hasStep := run["step"].(string)
	if len(run) != 4 || !hasThen || !hasStep {
		return nil, errors.New("a run has from, to, step and then")
	}
	step, err := time.ParseDuration(stepText)
	if err != nil {
		return nil, err
	}
	from, err := parseTime(columns[0].Type, run["from"])
	if err != nil {
		return nil, err
	}
	to, err := parseTime(columns[0].Type, run["to"])
	if err != nil {
		return nil, err
	}
	if step <= 0 {
		return nil, errors.New("the step of a run is above zero")
	}
	var rows [][]any
	for at := from; !at.After(to); at = at.Add(step) {
		row, err := parseRow(columns, append([]any{at.Format(layoutOf(columns[0].Type))}, then...))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	return rows, nil
}

// parseValue converts a value that was read from YAML to what a result holds.
func parseValue(columnType sqlq.Type, value any) (any, error) {
	if value == nil {
		return nil, nil //nolint:nilnil // nil is the value NULL.
	}
	switch columnType { //nolint:exhaustive // No shipped query has a column of another type, except texts.
	case sqlq.Timestamp, sqlq.Datetime:
		return parseTime(columnType, value)
	case sqlq.Int64:
		return strconv.ParseInt(fmt.Sprint(value), 10, 64)
	case sqlq.Float64:
		return strconv.ParseFloat(fmt.Sprint(value), 64)
	}
	text, isText := value.(string)
	switch {
	case !isText:
		return nil, fmt.Errorf("%T %v is not a value of type %s", value, value, columnType)
	case columnType == sqlq.JSON:
		return json.RawMessage(text), nil
	}
	return text, nil
}

func parseTime(columnType sqlq.Type, text any) (time.Time, error) {
	value, isText := text.(string)
	if !isText {
		return time.Time{}, fmt.Errorf("%T %v is not a time", text, text)
	}
	return time.Parse(layoutOf(columnType), value)
}

// layoutOf is how the times of a column are written.
func layoutOf(columnType sqlq.Type) string {
	if columnType == sqlq.Datetime {
		return datetimeLayout
	}
	return time.RFC3339Nano
}
