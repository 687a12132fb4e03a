package catalog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// mostAliases limits the aliases of a saved query.
	mostAliases   = 100
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

// CheckAlias returns an error if a saved query cannot have the alias. Names of other services have capital letters,
// spaces and letters of any script. An alias is a segment of a path, percent-encoded, so it has no slash.
func CheckAlias(alias string) error {
	id, isID := sqlq.ParseID(alias)
	isName := !isID && alias != "" && len(alias) <= mostNameBytes && utf8.ValidString(alias) && strings.TrimSpace(alias) == alias &&
		!strings.HasPrefix(alias, ".") && !strings.ContainsFunc(alias, func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == '\\' })
	if isID && id != uuid.Nil || isName {
		return nil
	}
	return fmt.Errorf("%q is neither a UUID nor a name of at most %d bytes without slashes, invisible characters, a dot at its start and spaces at its ends", alias, mostNameBytes)
}
