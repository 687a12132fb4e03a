package googletext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
)

// IPFromString returns the 4 or 16 bytes of an address; nil for a text that is none.
func IPFromString(text string) []byte {
	if strings.Contains(text, "%") { // a zone
		return nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	return address.AsSlice()
}

// IPToString returns the text of an address of 4 or 16 bytes.
func IPToString(address []byte) (string, error) {
	ip, ok := netip.AddrFromSlice(address)
	if !ok {
		return "", errors.New("NET.IP_TO_STRING takes 4 or 16 bytes")
	}
	return ip.String(), nil
}

// IPNetMask returns 4 or 16 bytes whose first bits are set.
func IPNetMask(length, prefix int64) ([]byte, error) {
	if length != 4 && length != 16 {
		return nil, errors.New("the first argument of NET.IP_NET_MASK is 4 or 16")
	}
	if prefix < 0 || prefix > 8*length {
		return nil, fmt.Errorf("the second argument of NET.IP_NET_MASK is from 0 to %d for %d bytes", 8*length, length)
	}
	mask := make([]byte, length)
	for i := range prefix {
		mask[i/8] |= 0x80 >> (i % 8)
	}
	return mask, nil
}

// IPTrunc returns an address of 4 or 16 bytes without its bits behind a prefix.
func IPTrunc(address []byte, prefix int64) ([]byte, error) {
	length := int64(len(address))
	if length != 4 && length != 16 {
		return nil, errors.New("NET.IP_TRUNC takes 4 or 16 bytes")
	}
	if prefix < 0 || prefix > 8*length {
		return nil, fmt.Errorf("the second argument of NET.IP_TRUNC is from 0 to %d for %d bytes", 8*length, length)
	}
	mask, err := IPNetMask(length, prefix)
	for i := range mask {
		mask[i] &= address[i]
	}
	return mask, err
}

// IPv4FromInt64 returns the bytes of an address of 32 bits, with or without a sign.
func IPv4FromInt64(address int64) ([]byte, error) {
	if address < math.MinInt32 || address > math.MaxUint32 {
		return nil, errors.New("NET.IPV4_FROM_INT64 takes a number of 32 bits")
	}
	return binary.BigEndian.AppendUint32(nil, uint32(address)), nil // the lower bits
}

// IPv4ToInt64 is the opposite of [IPv4FromInt64].
func IPv4ToInt64(address []byte) (int64, error) {
	if len(address) != 4 {
		return 0, errors.New("NET.IPV4_TO_INT64 takes 4 bytes")
	}
	return int64(binary.BigEndian.Uint32(address)), nil
}
