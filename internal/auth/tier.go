package auth

import (
	"fmt"
	"slices"
	"strings"
)

// Tier is a value of the parameter "project_tier" of logs.all.
type Tier string

// The tiers, lowest first. PAYG and ENTERPRISE have the same retention, but are in
// order all the same.
const (
	Free       Tier = "FREE"
	Pro        Tier = "PRO"
	PayAsYouGo Tier = "PAYG"
	Enterprise Tier = "ENTERPRISE"
)

// ParseTier reads the name of a tier, which is case-sensitive (D10).
func ParseTier(text string) (Tier, error) {
	tier := Tier(text)
	if tier.rank() < 0 {
		return "", fmt.Errorf("the project tier must be one of %s", strings.Join(tierNames(), ", "))
	}
	return tier, nil
}

// includes says whether a value of the parameter is at most this tier. What is no
// tier is included in none.
func (t Tier) includes(value string) bool {
	rank := Tier(value).rank()
	return rank >= 0 && rank <= t.rank()
}

func (t Tier) rank() int { return slices.Index(tierNames(), string(t)) }

func tierNames() []string {
	return []string{string(Free), string(Pro), string(PayAsYouGo), string(Enterprise)}
}
