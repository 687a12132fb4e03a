package catalog

import (
	"fmt"
	"regexp"

	"github.com/google/uuid"

	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

const (
	// mostAliases limits the aliases of a saved query.
	mostAliases = 100
	// aliasPattern allows capital letters, because names of other services have them.
	aliasPattern  = `^[A-Za-z0-9_][A-Za-z0-9._-]*$`
	mostNameBytes = 128
)

// readAliases reads the further names and ids of a saved query. UUIDs are stored in lower
// case.
func readAliases(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	nodes := m.List("aliases", emptyList)
	if len(nodes) > mostAliases {
		m.At("aliases").Mistakef("aliases has %d entries; a saved query can have %d", len(nodes), mostAliases)
		return
	}
	for _, node := range nodes {
		alias, _ := node.Scalar()
		if err := CheckAlias(alias); err != nil {
			node.Mistakef("alias %s", err)
			continue
		}
		if id, isID := sqlq.ParseID(alias); isID {
			alias = id.String()
		}
		query.Aliases = append(query.Aliases, alias)
		places.aliases = append(places.aliases, places.of(node))
	}
}

// CheckAlias returns an error if a saved query cannot have the alias.
func CheckAlias(alias string) error {
	id, isID := sqlq.ParseID(alias)
	if isID && id != uuid.Nil || !isID && len(alias) <= mostNameBytes && regexp.MustCompile(aliasPattern).MatchString(alias) {
		return nil
	}
	return fmt.Errorf("%q is neither a UUID nor a name of letters, digits, dots, dashes and underscores (at most %d)", alias, mostNameBytes)
}
