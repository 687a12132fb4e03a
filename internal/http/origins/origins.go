// Package origins decides which origins' pages may send requests (RFC 6454). Every interface
// asks it.
package origins

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Set is a set of origins. The zero value has none.
type Set []pattern

// pattern is an origin, or all whose host has one more label in front of a domain.
type pattern struct {
	// origin has a lower-case scheme and host, and no port if it is the default one. The host of a
	// wildcard lacks the first label.
	origin   origin
	wildcard bool
}

type origin struct{ scheme, host, port string }

// Parse returns the set of some origins, such as https://app.example.com. A first label "*"
// stands for any one label: https://*.example.com allows https://app.example.com, and neither
// https://example.com nor https://a.b.example.com.
func Parse(texts ...string) (Set, error) {
	set := make(Set, 0, len(texts))
	for _, text := range texts {
		parsed, err := parsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not an origin such as https://app.example.com: %w", text, err)
		}
		set = append(set, parsed)
	}
	return set, nil
}

// Allows reports whether the value of an Origin header is in the set.
func (s Set) Allows(header string) bool {
	if len(s) == 0 {
		return false
	}
	asked, err := parse(header)
	if err != nil {
		return false
	}
	label, domain, _ := strings.Cut(asked.host, ".")
	for _, pattern := range s {
		if asked == pattern.origin && !pattern.wildcard ||
			label != "" && pattern.wildcard && pattern.origin == (origin{asked.scheme, domain, asked.port}) {
			return true
		}
	}
	return false
}

func parsePattern(text string) (pattern, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	domain, wildcard := strings.CutPrefix(rest, "*.")
	parsed, err := parse(scheme + "://" + domain)
	switch {
	case strings.Contains(domain, "*"), rest == "*", text == "*":
		return pattern{}, errors.New("* can only be the whole first label, as in https://*.example.com")
	case err != nil:
		return pattern{}, err
	case !isHost(parsed.host):
		return pattern{}, errors.New("its host is not written as browsers send it")
	case wildcard && (!strings.Contains(parsed.host, ".") || net.ParseIP(parsed.host) != nil):
		return pattern{}, errors.New("* must be below a domain of at least two labels, as in https://*.example.com")
	}
	return pattern{parsed, wildcard}, nil
}

// isHost reports whether a host is written as browsers send it: labels of ASCII, or an address in
// its usual form.
func isHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String() == host
	}
	return regexp.MustCompile(`^([a-z0-9_-]+\.)*[a-z0-9_-]+$`).MatchString(host)
}

// parse reads an origin.
func parse(text string) (origin, error) {
	address, err := url.Parse(text)
	if err != nil {
		return origin{}, errors.New("it is not a URL")
	}
	found := origin{strings.ToLower(address.Scheme), strings.ToLower(address.Hostname()), address.Port()}
	usual := map[string]string{"http": "80", "https": "443"}[found.scheme]
	switch {
	case usual == "":
		return origin{}, errors.New("it must begin with https:// or http://")
	case found.host == "":
		return origin{}, errors.New("it has no host")
	case address.User != nil || address.Path != "" || address.RawQuery != "" || address.ForceQuery || strings.Contains(text, "#"):
		return origin{}, errors.New("it must end after the host or the port")
	case strings.HasSuffix(address.Host, ":"):
		return origin{}, errors.New("it has no port after the colon")
	}
	if found.port != "" {
		const most = 65535
		if number, err := strconv.Atoi(found.port); err != nil || number < 1 || number > most || strconv.Itoa(number) != found.port {
			return origin{}, fmt.Errorf("the port must be 1 to %d", most)
		}
	}
	if found.port == usual {
		found.port = ""
	}
	return found, nil
}
