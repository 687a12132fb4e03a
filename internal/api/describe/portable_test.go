package describe

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPortable(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		`[a-z]+(-[a-z]+)*`:     true,
		`(?:a|b){1,3}\.\d{2,}`: true,
		`[^\]]+`:               true,
		`\/v[0-9]$`:            true,
		`(?i)acme`:             false,
		`(?P<name>a)`:          false,
		`\Aacme\z`:             false,
		`[[:alpha:]]`:          false,
		`\pL`:                  false,
		`\Qa.b\E`:              false,
		`[]a]`:                 false,
		`a{,3}`:                false,
		`\s`:                   false, // ECMAScript matches more than ASCII
		`ä`:                    false,
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, portable(expression))
		})
	}
}
