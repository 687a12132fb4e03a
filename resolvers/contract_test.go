package resolvers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph/graphtest"
	"savedq/sqlq"
)

// fieldsOfQueries returns the field names of the saved queries that have a field.
func fieldsOfQueries() map[string]string {
	return map[string]string{
		"functions.invocation-stats": "invocationStats",
		"usage.api-counts":           "apiCounts",
		"logs.all":                   "logs",
	}
}

// Each shipped saved query has a field in the schema.
func TestEveryShippedQueryHasAField(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, 8)
	for _, query := range shippedCatalog(t).Queries() {
		names = append(names, query.Name)
	}
	assert.ElementsMatch(t, []string{"functions.invocation-stats", "functions.list", "usage.api-counts", "logs.all", "logs.search", "logs.histogram", "logs.facets", "projects.list"}, names)
}

func TestColumnsAreFields(t *testing.T) {
	t.Parallel()
	for name, fieldName := range fieldsOfQueries() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := graphtest.ShippedSchema(t).AST()
			query, ok := shippedCatalog(t).Find(name)
			require.True(t, ok)
			field := schema.Query.Fields.ForName(fieldName)
			require.NotNil(t, field)
			object := schema.Types[field.Type.Name()]
			assert.Equal(t, "["+object.Name+"!]!", field.Type.String())
			got := make([]string, len(object.Fields))
			for i, field := range object.Fields {
				got[i] = field.Name + ": " + field.Type.String()
			}
			want := make([]string, len(query.Columns))
			for i, column := range query.Columns {
				want[i] = camelCase(column.Name) + ": " + columnType(name, column)
			}
			assert.Equal(t, want, got)
		})
	}
}

// columnType returns the GraphQL type that a column must have.
func columnType(query string, column sqlq.Column) string {
	types := map[sqlq.Type]string{
		sqlq.String: "String", sqlq.Int64: "Int", sqlq.Float64: "Float", sqlq.Bool: "Boolean",
		sqlq.Timestamp: "Time", sqlq.Datetime: "Time", sqlq.JSON: "JSON",
	}
	name := types[column.Type]
	if query == "logs.all" && column.Name == "id" {
		name = "ID"
	}
	if !column.Nullable {
		name += "!"
	}
	return name
}

func TestParametersAreArguments(t *testing.T) {
	t.Parallel()
	for name, fieldName := range fieldsOfQueries() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := graphtest.ShippedSchema(t).AST()
			query, ok := shippedCatalog(t).Find(name)
			require.True(t, ok)
			arguments := schema.Query.Fields.ForName(fieldName).Arguments
			require.Len(t, arguments, len(query.Params))
			for i, param := range query.Params {
				argument := arguments[i]
				require.Equal(t, camelCase(param.Name), argument.Name)
				assert.Equal(t, param.Required, argument.Type.NonNull, argument.Name)
				definition := schema.Types[argument.Type.Name()]
				switch {
				case len(param.Allowed) > 0:
					assert.Equal(t, ast.Enum, definition.Kind, argument.Name)
					checkEnum(t, fieldName, argument, definition, param)
				case param.Type == sqlq.Timestamp:
					assert.Equal(t, "Time", definition.Name, argument.Name)
				default:
					assert.Equal(t, "String", definition.Name, argument.Name)
				}
			}
		})
	}
}

// checkEnum queries the field with each value of an enum. It expects each allowed value of
// the parameter exactly once, and the same default for the argument and the parameter.
func checkEnum(t *testing.T, field string, argument *ast.ArgumentDefinition, enum *ast.Definition, param sqlq.Param) {
	t.Helper()
	values := make(map[string]string)
	for _, value := range enum.EnumValues {
		runner, calls := recording(t)
		dataOf(t, runner, `{ `+field+`(project: "p", `+argument.Name+`: `+value.Name+`) { timestamp } }`)
		require.Len(t, *calls, 1)
		values[value.Name] = (*calls)[0].raw[param.Name][0]
	}
	reached := make([]string, 0, len(values))
	for _, value := range values {
		reached = append(reached, value)
	}
	assert.ElementsMatch(t, param.Allowed, reached, argument.Name)
	if param.Default == nil {
		assert.Nil(t, argument.DefaultValue, argument.Name)
		return
	}
	require.NotNil(t, argument.DefaultValue, argument.Name)
	assert.Equal(t, param.Default[0], values[argument.DefaultValue.Raw], argument.Name)
}

// D18 has the values and their order.
func TestEnumValues(t *testing.T) {
	t.Parallel()
	names := func(enum string) []string {
		var values []string
		for _, value := range graphtest.ShippedSchema(t).AST().Types[enum].EnumValues {
			values = append(values, value.Name)
		}
		return values
	}
	assert.Equal(t, []string{"FIVE_MINUTES", "FIFTEEN_MINUTES", "ONE_HOUR", "ONE_DAY", "SEVEN_DAYS"}, names("InvocationInterval"))
	assert.Equal(t, []string{"MINUTELY", "HOURLY", "DAILY"}, names("ApiCountInterval"))
	assert.Equal(t, []string{"FREE", "PRO", "PAYG", "ENTERPRISE"}, names("ProjectTier"))
}

// camelCase is a second implementation, so that a mistake in one does not hide in both.
func camelCase(name string) string {
	head, rest, more := strings.Cut(name, "_")
	if !more {
		return head
	}
	next := camelCase(rest)
	return head + strings.ToUpper(next[:1]) + next[1:]
}
