package logevent

// member is a member of an object.
type member struct {
	key string
	// quotedKey and value are JSON.
	quotedKey, value string
}

// comparedKeys is the largest number of keys that are compared pair by pair, which is
// faster than a map while they are few.
const comparedKeys = 32

// lastOccurrences removes each member whose key is repeated later, in place. Its time is
// linear however many keys a hostile event has.
//
// A repeated key has the value of its last occurrence, as in encoding/json and in the
// parsers of most senders. Readers of the store disagree: gjson and DuckDB take the
// first one, and callers of logs.all see both. So only one is stored.
func lastOccurrences(members []member) []member {
	var last map[string]int
	if len(members) > comparedKeys {
		last = make(map[string]int, len(members))
		for i := range members {
			last[members[i].key] = i
		}
	}
	unique := members[:0]
	for i := range members {
		if last == nil && !hasKey(members[i+1:], members[i].key) || last != nil && last[members[i].key] == i {
			unique = append(unique, members[i])
		}
	}
	return unique
}

func hasKey(members []member, key string) bool {
	for i := range members {
		if members[i].key == key {
			return true
		}
	}
	return false
}
