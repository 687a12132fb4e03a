package auth

import (
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
)

// Tiers returns the tiers that parameters of the saved queries take, in the order in which
// they are declared.
func Tiers(queries []*sqlq.SavedQuery) []string {
	var tiers []string
	for _, query := range queries {
		at := query.Scoped(sqlq.ScopeTier)
		if at < 0 {
			continue
		}
		for _, tier := range query.Params[at].Allowed {
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

// atMost reports whether a tier is not above another one. The tiers are in order, lowest
// first; what is not among them is above all, and nothing is below it.
func atMost(tier, highest string, tiers []string) bool {
	at := slices.Index(tiers, tier)
	return at >= 0 && at <= slices.Index(tiers, highest)
}
