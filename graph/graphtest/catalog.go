package graphtest

import (
	"fmt"
	"regexp"
	"strings"
	"testing/fstest"

	"savedq/graph"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// Catalog returns the shipped saved queries and the declared ones: query.yaml files
// without id, name and description, by name. They declare a parameter with the key param
// instead of name, and the SQL of each query uses its parameters.
func Catalog(declarations map[string]string) (*catalog.Catalog, error) {
	files, number := make(fstest.MapFS), 0
	for name, declaration := range declarations {
		number++
		yaml := fmt.Sprintf("id: 00000000-0000-4000-8000-%012d\nname: %s\ndescription: Rows of %s.\n%s", number, name, name, declaration)
		values := []string{"1"}
		for _, param := range regexp.MustCompile(`param: (\w+)`).FindAllStringSubmatch(declaration, -1) {
			values = append(values, "$"+param[1])
		}
		yaml = strings.ReplaceAll(yaml, "param: ", "name: ")
		files[name+"/query.yaml"] = &fstest.MapFile{Data: []byte(yaml)}
		files[name+"/duckdb.sql"] = &fstest.MapFile{Data: []byte("SELECT " + strings.Join(values, ", "))}
	}
	return graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: files, Path: "mine"})
}
