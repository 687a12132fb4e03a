package logevent

// member is a member of an object in the output of a shaper.
type member struct {
	// key is what the key decodes to.
	key []byte
	// start is the offset of the member, which ends with a comma where the next one starts.
	start int
}

// comparedKeys is the largest number of keys that are compared pair by pair, which is
// faster than a map while they are few.
const comparedKeys = 32

// keepLast removes each member whose key is repeated later from the end of the output. Its
// time is linear however many keys a hostile event has.
//
// A repeated key has the value of its last occurrence, as in encoding/json and in the
// parsers of most senders. DuckDB reads the first one, and callers of logs.all would see both. So
// only one is stored.
func keepLast(output []byte, members []member) []byte {
	repeated := repetitions(members)
	if repeated == nil {
		return output
	}
	kept := output[:members[0].start]
	for i := range members {
		end := len(output)
		if i+1 < len(members) {
			end = members[i+1].start
		}
		if !repeated[i] {
			kept = append(kept, output[members[i].start:end]...)
		}
	}
	return kept
}

// repetitions reports for each member whether its key is repeated later. It returns nil if
// no key is.
func repetitions(members []member) []bool {
	if len(members) > comparedKeys {
		return manyRepetitions(members)
	}
	var repeated []bool
	for i := 1; i < len(members); i++ {
		for j := range i {
			if string(members[j].key) == string(members[i].key) {
				if repeated == nil {
					repeated = make([]bool, len(members))
				}
				repeated[j] = true
			}
		}
	}
	return repeated
}

func manyRepetitions(members []member) []bool {
	last := make(map[string]int, len(members))
	for i := range members {
		last[string(members[i].key)] = i
	}
	if len(last) == len(members) {
		return nil
	}
	repeated := make([]bool, len(members))
	for i := range members {
		repeated[i] = last[string(members[i].key)] != i
	}
	return repeated
}
