package cli

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// basePath is what begins all paths of a server, such as /savedq; empty for nothing.
type basePath string

// basePaths matches paths that need no escaping.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// UnmarshalText accepts a path, with or without a slash at its end.
func (p *basePath) UnmarshalText(text []byte) error {
	value := strings.TrimSuffix(string(text), "/")
	if !basePaths.MatchString(value) || value != "" && path.Clean(value) != value {
		return fmt.Errorf("%q is not a path such as /savedq: it must begin with a slash, and each part, not . or .., must have only letters, digits and the characters ._~-", text)
	}
	*p = basePath(value)
	return nil
}
