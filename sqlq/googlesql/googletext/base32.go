package googletext

import (
	"encoding/base32"
	"errors"
)

// ToBase32 returns the text of bytes in base 32.
func ToBase32(of []byte) string { return base32.StdEncoding.EncodeToString(of) }

// FromBase32 is the opposite of [ToBase32].
func FromBase32(text string) ([]byte, error) {
	decoded, err := base32.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("the text of FROM_BASE32 is no base 32")
	}
	return decoded, nil
}
