package logevent

import (
	"bytes"
	"slices"
)

// member is a member of an object that the shaper writes. It holds no pointers, since
// every key of every event passes here. Metadata is far shorter than 2 GiB.
type member struct {
	// keyStart and keyEnd enclose the key, with its quotes, in the input.
	keyStart, keyEnd int32
	// start is where the member starts in the output.
	start int32
}

// key returns the key without quotes and escapes: "\u0061" is the key a.
func (m member) key(input []byte) []byte {
	quoted := input[m.keyStart:m.keyEnd]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(unquote(quoted))
}

// comparedKeys is the largest number of keys that are compared pair by pair, which is
// faster than sorting while they are few.
const comparedKeys = 32

// hasRepeatedKey reports whether two members have the same key. Its time stays close
// to linear however many keys a hostile event has.
func hasRepeatedKey(input []byte, members []member) bool {
	if len(members) > comparedKeys {
		keys := make([][]byte, len(members))
		for i, member := range members {
			keys[i] = member.key(input)
		}
		slices.SortFunc(keys, bytes.Compare)
		return len(slices.CompactFunc(keys, bytes.Equal)) < len(members)
	}
	for i := range members {
		key := members[i].key(input)
		for j := range i {
			if bytes.Equal(key, members[j].key(input)) {
				return true
			}
		}
	}
	return false
}

// keyMark returns one of 64 bits, which equal keys without escapes have in common. Most
// keys of an object have one of their own, and then need not be compared.
func keyMark(quoted []byte) uint64 {
	hash := 31*len(quoted) + 3*int(quoted[1]) + 13*int(quoted[len(quoted)/2]) + 7*int(quoted[len(quoted)-2])
	return 1 << (hash % 64)
}

// keepLast removes from the object that output ends with, still without its closing
// brace, each member whose key stands again further behind.
//
// A repeated key has the value of its last occurrence, as in encoding/json and in the
// parsers of most senders. Readers of the store disagree: gjson and DuckDB take the
// first one, and callers of logs.all see both. So only one is stored.
func keepLast(output, input []byte, members []member) []byte {
	last := make(map[string]int, len(members))
	for i := range members {
		last[string(members[i].key(input))] = i
	}
	kept := int(members[0].start)
	for i := range members {
		if last[string(members[i].key(input))] != i {
			continue
		}
		end := len(output) // of the last member, which is kept and has no comma behind it
		if i+1 < len(members) {
			end = int(members[i+1].start)
		}
		kept += copy(output[kept:], output[members[i].start:end])
	}
	return output[:kept]
}
