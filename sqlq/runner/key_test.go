package runner

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// keyedQuery is a saved query with everything that is part of its keys.
func keyedQuery() *sqlq.SavedQuery {
	return &sqlq.SavedQuery{
		ID: uuid.MustParse("2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10"), Name: "any", Engine: "duckdb", SQL: "SELECT 1\n-- column", MaxRows: 1000,
		Params:  []sqlq.Param{{Name: "project", Type: sqlq.String}, {Name: "most", Type: sqlq.Int64}},
		Columns: []sqlq.Column{{Name: "day", Type: sqlq.Date}, {Name: "n", Type: sqlq.Int64, Nullable: true}},
	}
}

// The key of an entry is the id of the saved query, the hash of its definition, the
// engine's dialect and the arguments (D29).
func TestKey(t *testing.T) {
	t.Parallel()
	query := keyedQuery()
	const prefix = "2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10/de118ff9ec365f2d6b496767ffdb9df6/duckdb"
	at := time.Date(2026, 11, 20, 10, 0, 0, 1000, time.UTC)
	tests := map[string]struct {
		args []sqlq.Arg
		want string
	}{
		"none": {nil, prefix},
		"one":  {[]sqlq.Arg{{Name: "project", Value: "acme"}}, prefix + `?project="acme"`},
		"each type": {
			[]sqlq.Arg{{Name: "a", Value: "x"}, {Name: "b", Value: int64(-1)}, {Name: "c", Value: 0.5}, {Name: "d", Value: true}, {Name: "e", Value: at}, {Name: "f"}},
			prefix + `?a="x"&b=-1&c=0.5&d=true&e=2026-11-20T10:00:00.000001Z&f=NULL`,
		},
		"decimals":                    {[]sqlq.Arg{{Name: "a", Value: sqlq.Decimal("-1.5")}, {Name: "b", Value: []any{sqlq.Decimal("2")}}}, prefix + `?a=-1.5&b=[2,]`},
		"a text that looks like more": {[]sqlq.Arg{{Name: "a", Value: `x"&b="y`}}, prefix + `?a="x\"&b=\"y"`},
		"a text that looks like NULL": {[]sqlq.Arg{{Name: "a", Value: "NULL"}}, prefix + `?a="NULL"`},
		"an empty text":               {[]sqlq.Arg{{Name: "a", Value: ""}}, prefix + `?a=""`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, string(appendArgs([]byte(keyPrefix(query)), test.args)))
		})
	}
}

// The definition is spelled in one way only.
func TestDefinition(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `{MaxRows:1000
Stream:false
Params:[{Name:"project"
Type:"STRING"
},{Name:"most"
Type:"INT64"
},]
Columns:[{Name:"day"
Type:"DATE"
Big:false
Fields:[]
Nullable:false
},{Name:"n"
Type:"INT64"
Big:false
Fields:[]
Nullable:true
},]
Series:none
Pages:none
Tables:[]
SQL:"SELECT 1\n-- column"
}`, string(appendDefinition(nil, reflect.ValueOf(*keyedQuery()))))
}

// wholeQuery is a saved query with one of each that a definition can have.
func wholeQuery() *sqlq.SavedQuery {
	query := keyedQuery()
	query.Columns[0].Fields = []sqlq.Column{{Name: "field", Type: sqlq.String}}
	query.Series = &sqlq.Series{Windows: map[string]sqlq.Window{"": {Length: time.Hour, Bucket: time.Minute}}, Tables: []string{"mine"}}
	query.Pages = &sqlq.Pages{Limit: "most", After: []sqlq.PageKey{{Param: "project", Column: 1}}}
	query.Tables = sqlq.Tables{{
		Name: "mine", Fields: []sqlq.Field{{Name: "f", Type: sqlq.String, Path: []string{"a"}}}, Own: []sqlq.Column{{Name: "own", Type: sqlq.String}},
		Files: &sqlq.Files{Pattern: "/data/*.csv", Format: "csv", Columns: []sqlq.Column{{Name: "c", Type: sqlq.String}}},
	}}
	return query
}

// Each field of everything in a definition changes the key, unless it is left out on purpose. The test changes them one
// after the other, whatever they are, so it finds a field that was forgotten.
func TestEachFieldIsKeyed(t *testing.T) {
	t.Parallel()
	seen := make(map[reflect.Type]bool)
	// visit changes the fields of a value in the definition of a query. of finds the value in another definition.
	var visit func(path string, of func(*sqlq.SavedQuery) reflect.Value)
	visit = func(path string, of func(*sqlq.SavedQuery) reflect.Value) {
		value := of(wholeQuery())
		switch value.Kind() { //nolint:exhaustive // The others have no fields.
		case reflect.Pointer:
			if !value.IsNil() {
				visit(path, func(q *sqlq.SavedQuery) reflect.Value { return of(q).Elem() })
			}
		case reflect.Slice:
			for i := range value.Len() {
				visit(path+"[]", func(q *sqlq.SavedQuery) reflect.Value { return of(q).Index(i) })
			}
		case reflect.Struct:
			seen[value.Type()] = true
			left := unkeyed(value.Type())
			for name := range left {
				_, exists := value.Type().FieldByName(name)
				assert.True(t, exists, "%s has no field %s", path, name)
			}
			for i := range value.NumField() {
				field, name := value.Type().Field(i), path+"."+value.Type().Field(i).Name
				_, isLeft := left[field.Name]
				if !field.IsExported() {
					assert.True(t, isLeft, "%s is not exported, so nothing can change it", name)
					continue
				}
				changed := wholeQuery()
				if !changes(of(changed).Field(i)) {
					assert.True(t, isLeft, "%s: the test cannot change a %s", name, field.Type)
					continue
				}
				assert.Equal(t, isLeft, keyPrefix(wholeQuery()) == keyPrefix(changed) || path == "" && (field.Name == "ID" || field.Name == "Engine"), name)
				if !isLeft {
					visit(name, func(q *sqlq.SavedQuery) reflect.Value { return of(q).Field(i) })
				}
			}
		}
	}
	visit("", func(q *sqlq.SavedQuery) reflect.Value { return reflect.ValueOf(q).Elem() })
	for _, each := range []reflect.Type{
		reflect.TypeFor[sqlq.Param](), reflect.TypeFor[sqlq.Column](), reflect.TypeFor[sqlq.Series](), reflect.TypeFor[sqlq.Pages](), reflect.TypeFor[sqlq.PageKey](),
		reflect.TypeFor[sqlq.Table](), reflect.TypeFor[sqlq.Field](), reflect.TypeFor[sqlq.Files](),
	} {
		assert.True(t, seen[each], each)
	}
}

// changes changes a value to another one, and reports whether it could.
func changes(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		value.SetString(value.String() + "x")
	case reflect.Bool:
		value.SetBool(!value.Bool())
	case reflect.Int, reflect.Int64:
		value.SetInt(value.Int() + 1)
	case reflect.Slice:
		value.Set(reflect.Append(value, reflect.Zero(value.Type().Elem())))
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(reflect.Zero(value.Type().Key()), reflect.Zero(value.Type().Elem()))
	case reflect.Array:
		return changes(value.Index(0))
	case reflect.Uint8:
		value.SetUint(value.Uint() + 1)
	case reflect.Pointer:
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		} else {
			value.SetZero()
		}
	case reflect.Struct:
		return changes(value.Field(0))
	default:
		return false
	}
	return true
}

// Everything that can change the rows or their meaning changes the key, and nothing else
// does (D29).
func TestKeyDependsOnWhatChangesTheRows(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*sqlq.SavedQuery)
		same   bool
	}{
		"id":                  {change: func(q *sqlq.SavedQuery) { q.ID = uuid.MustParse("7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21") }},
		"SQL":                 {change: func(q *sqlq.SavedQuery) { q.SQL = "SELECT 2" }},
		"engine":              {change: func(q *sqlq.SavedQuery) { q.Engine = "bigquery" }},
		"max rows":            {change: func(q *sqlq.SavedQuery) { q.MaxRows = 999 }},
		"name of a parameter": {change: func(q *sqlq.SavedQuery) { q.Params[0].Name = "owner" }},
		"type of a parameter": {change: func(q *sqlq.SavedQuery) { q.Params[1].Type = sqlq.Float64 }},
		"order of parameters": {change: func(q *sqlq.SavedQuery) { slices.Reverse(q.Params) }},
		"name of a column":    {change: func(q *sqlq.SavedQuery) { q.Columns[1].Name = "m" }},
		"type of a column":    {change: func(q *sqlq.SavedQuery) { q.Columns[1].Type = sqlq.JSON }},
		"BIGNUMERIC":          {change: func(q *sqlq.SavedQuery) { q.Columns[1].Big = true }},
		"nullability":         {change: func(q *sqlq.SavedQuery) { q.Columns[1].Nullable = false }},
		"order of columns":    {change: func(q *sqlq.SavedQuery) { slices.Reverse(q.Columns) }},
		"a column less":       {change: func(q *sqlq.SavedQuery) { q.Columns = q.Columns[:1] }},
		"name":                {func(q *sqlq.SavedQuery) { q.Name = "another" }, true},
		"descriptions": {func(q *sqlq.SavedQuery) {
			q.Description, q.Params[0].Description, q.Columns[0].Description = "a", "b", "c"
		}, true},
		"caching":              {func(q *sqlq.SavedQuery) { q.Cache, q.Warm = time.Hour, time.Minute }, true},
		"scope of a parameter": {func(q *sqlq.SavedQuery) { q.Params[0].Scope = sqlq.ScopeProject }, true},
		"values of parameters": {func(q *sqlq.SavedQuery) { q.Params[0].Required, q.Params[0].Allowed = true, []string{"acme"} }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := keyedQuery()
			test.change(changed)
			assert.Equal(t, test.same, keyPrefix(keyedQuery()) == keyPrefix(changed))
		})
	}
}
