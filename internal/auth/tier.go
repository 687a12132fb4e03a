package auth

import (
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
)

// Tiers returns the tiers that the saved queries' parameters allow, in declaration order.
func Tiers(queries []*sqlq.SavedQuery) []string {
	var tiers []string
	for _, query := range queries {
		index := query.Scoped(sqlq.ScopeTier)
		if index < 0 {
			continue
		}
		for _, tier := range query.Params[index].Allowed {
			if !slices.Contains(tiers, tier) {
				tiers = append(tiers, tier)
			}
		}
	}
	return tiers
}

// CheckTier returns an error unless the tier, which is case-sensitive (D10), is among those
// of the saved queries.
func CheckTier(tier string, tiers []string) error {
	switch {
	case slices.Contains(tiers, tier):
		return nil
	case len(tiers) == 0:
		return fmt.Errorf("the project tier %q cannot be a limit, since no saved query has a parameter with scope: %s", tier, sqlq.ScopeTier)
	}
	return fmt.Errorf("the project tier must be one of %s", strings.Join(tiers, ", "))
}

// atMost reports whether a tier is not above the highest allowed one. The tiers are
// ordered, lowest first. An unknown tier is above all others, and nothing is below it.
func atMost(tier, highest string, tiers []string) bool {
	index := slices.Index(tiers, tier)
	return index >= 0 && index <= slices.Index(tiers, highest)
}
