package eventrow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// D43: a field is read from metadata as its type says; a value of another type is NULL, and counted. The reader of fields
// and that of rows read the same.
func TestFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		field, metadata, want string
		mistyped              bool
	}{
		"a string":                   {"STRING a", `{"a":"x y"}`, "x y", false},
		"escapes":                    {"STRING a", `{"a":"\u00e4\n\""}`, "ä\n\"", false},
		"an empty string":            {"STRING a", `{"a":""}`, "", false},
		"a number as a string":       {"STRING a", `{"a":12.50}`, "12.50", false},
		"a boolean as a string":      {"STRING a", `{"a":true}`, "true", false},
		"an object as a string":      {"STRING a", `{"a":{"b":1}}`, "NULL", true},
		"a list as a string":         {"STRING a", `{"a":["x"]}`, "NULL", true},
		"missing":                    {"STRING a", `{"b":1}`, "NULL", false},
		"null":                       {"INT64 a", `{"a":null}`, "NULL", false},
		"a whole number":             {"INT64 a", `{"a":-9223372036854775808}`, "-9223372036854775808", false},
		"a whole number in a string": {"INT64 a", `{"a":" 42 "}`, "42", false},
		"a whole number as .0":       {"INT64 a", `{"a":5.0}`, "5", false},
		"a whole number as 1e3":      {"INT64 a", `{"a":1e3}`, "1000", false},
		"beyond INT64":               {"INT64 a", `{"a":9223372036854775808}`, "NULL", true},
		"a huge exponent":            {"INT64 a", `{"a":1e999999999}`, "NULL", true},
		"a fraction":                 {"INT64 a", `{"a":1.5}`, "NULL", true},
		"a word":                     {"INT64 a", `{"a":"many"}`, "NULL", true},
		"an empty number":            {"INT64 a", `{"a":""}`, "NULL", false},
		"a hexadecimal number":       {"INT64 a", `{"a":"0x10"}`, "NULL", true},
		"a float":                    {"FLOAT64 a", `{"a":-1.25e2}`, "-125", false},
		"a float in a string":        {"FLOAT64 a", `{"a":"0.1"}`, "0.1", false},
		"infinity":                   {"FLOAT64 a", `{"a":"inf"}`, "NULL", true},
		"NaN":                        {"FLOAT64 a", `{"a":"NaN"}`, "NULL", true},
		"a NUMERIC":                  {"NUMERIC a", `{"a":12.50}`, "12.5", false},
		"a negative NUMERIC":         {"NUMERIC a", `{"a":"-0.000000001"}`, "-0.000000001", false},
		"the largest NUMERIC":        {"NUMERIC a", `{"a":99999999999999999999999999999.999999999}`, "99999999999999999999999999999.999999999", false},
		"the least NUMERIC":          {"NUMERIC a", `{"a":-99999999999999999999999999999.999999999}`, "-99999999999999999999999999999.999999999", false},
		"a NUMERIC of 64 bits":       {"NUMERIC a", `{"a":-9223372036.854775809}`, "-9223372036.854775809", false},
		"too many digits":            {"NUMERIC a", `{"a":0.1234567891}`, "NULL", true},
		"an exponent":                {"NUMERIC a", `{"a":1.5e3}`, "1500", false},
		"no NUMERIC":                 {"NUMERIC a", `{"a":"1,5"}`, "NULL", true},
		"a boolean":                  {"BOOL a", `{"a":true}`, "true", false},
		"a boolean in a string":      {"BOOL a", `{"a":"False"}`, "false", false},
		"a number as a boolean":      {"BOOL a", `{"a":1}`, "NULL", true},
		"a date":                     {"DATE a", `{"a":"2024-02-29"}`, "2024-02-29", false},
		"a date before 1970":         {"DATE a", `{"a":"0001-01-01"}`, "0001-01-01", false},
		"no date":                    {"DATE a", `{"a":"2023-02-29"}`, "NULL", true},
		"a number as a date":         {"DATE a", `{"a":20240229}`, "NULL", true},
		"a time":                     {"TIMESTAMP a", `{"a":"2026-11-20T10:00:00.1234567+01:00"}`, "2026-11-20 09:00:00.123456", false},
		"a time in milliseconds":     {"TIMESTAMP a", `{"a":1795258675123}`, "2026-11-21 10:57:55.123", false},
		"no time":                    {"TIMESTAMP a", `{"a":"noon"}`, "NULL", true},
		"nested":                     {"STRING a.b.c", `{"a":{"b":{"c":"x"}}}`, "x", false},
		"a list on the way":          {"STRING a.b", `{"a":[{"b":"first"},{"b":"second"}]}`, "first", false},
		"an empty list on the way":   {"STRING a.b", `{"a":[]}`, "NULL", false},
		"a text on the way":          {"STRING a.b", `{"a":"x"}`, "NULL", false},
		"the first of two objects":   {"STRING a", `[{"b":1},{"a":"x"}]`, "NULL", false},
		"no metadata":                {"STRING a", `null`, "NULL", false},
	} {
		fieldType, path, _ := strings.Cut(test.field, " ")
		source := &sqlq.Table{Name: "orders", Fields: []sqlq.Field{{Name: "f", Type: sqlq.Type(fieldType), Path: strings.Split(path, ".")}}}
		event, _, err := logevent.Decode([]byte(`{"event_message":"","metadata":`+test.metadata+`}`), logevent.Defaults{ID: func() string { return "1" }})
		require.NoError(t, err, name)
		fields, reader := eventrow.NewFields(source.Fields), eventrow.NewReader(sqlq.Tables{source})
		row, err := reader.Row(source, &event, time.Time{})
		require.NoError(t, err, name)
		read, ofRow := fields.Read(event.Metadata)[0], plain(row)[len(row)-1]
		assert.Equal(t, read, ofRow, name)
		switch value := read.(type) {
		case nil:
			read = "NULL"
		case time.Time:
			read = value.Format("2006-01-02 15:04:05.999999")
		case sqlq.EpochDay:
			read = value.Time().Format(time.DateOnly)
		}
		assert.Equal(t, test.want, fmt.Sprint(read), name)
		assert.Equal(t, test.mistyped, len(fields.Mistyped) > 0, name)
		assert.Equal(t, fields.Mistyped, append([]eventrow.MistypedField(nil), reader.Mistyped()...), name)
	}
}

// Fields that statistics ignore because of their type are reported once. A missing field and null are not mistakes.
func TestMistypedFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source, metadata string
		want             []eventrow.MistypedField
	}{
		"right":             {"function_edge_logs", `[{"project_ref":"p","function_id":"f","execution_time_ms":9,"response":[{"status_code":200.5}]}]`, nil},
		"missing":           {"function_edge_logs", `[{"response":[{}]}]`, nil},
		"null":              {"function_edge_logs", `[{"execution_time_ms":null,"response":[{"status_code":null}]}]`, nil},
		"no record":         {"function_edge_logs", `[{"execution_time_ms":"9"}]`, nil},
		"numbers as text":   {"function_edge_logs", `[{"execution_time_ms":"9","response":[{"status_code":"200"},{"status_code":"500"}]}]`, []eventrow.MistypedField{{Name: "execution_time_ms", Want: "a number"}, {Name: "response.status_code", Want: "a number"}}},
		"texts as numbers":  {"function_edge_logs", `[{"project_ref":1,"function_id":true,"response":[{}]}]`, []eventrow.MistypedField{{Name: "project_ref", Want: "a string"}, {Name: "function_id", Want: "a string"}}},
		"requests":          {"edge_logs", `[{"request":[{"url":["u"],"path":7,"status_code":"200"}]}]`, []eventrow.MistypedField{{Name: "request.url", Want: "a string"}, {Name: "request.path", Want: "a string"}}},
		"without statistic": {"auth_logs", `[{"request":[{"url":1}],"execution_time_ms":"9"}]`, nil},
	} {
		source, _ := all().FindSource(test.source)
		event := logevent.Event{Timestamp: noon(), Metadata: json.RawMessage(test.metadata)}
		assert.ElementsMatch(t, test.want, eventrow.NewTypeCheck(source).Mistyped(&event), name)
		reader := eventrow.NewReader(all())
		_, err := reader.Row(source, &event, time.Time{})
		require.NoError(t, err)
		assert.ElementsMatch(t, test.want, reader.Mistyped(), name)
	}
}
