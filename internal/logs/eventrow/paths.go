package eventrow

import "savedq/internal/jsontext"

// paths are paths in metadata, as a tree. Each list on a way counts with its first element, which is how metadata has
// objects (D14).
type paths struct {
	// slot is the place of the value at this path.
	slot    int
	members []member
	// lengths has a bit for each length of a member's name, so that most other names are not compared.
	lengths uint64
	// byName has the members by name if there are many.
	byName map[string]int
}

type member struct {
	name string
	paths
}

// manyMembers is the number of members from which a map is faster than comparing.
const manyMembers = 12

// add adds a path, and returns the slot of its value. slots is the number of slots, which it updates.
func (p *paths) add(path []string, slots *int) int {
	if len(path) == 0 {
		return p.slot
	}
	at := p.find([]byte(path[0]))
	if at < 0 {
		at = len(p.members)
		p.members = append(p.members, member{path[0], paths{slot: *slots}})
		*slots++
		p.lengths |= lengthBit(len(path[0]))
		if p.byName != nil {
			p.byName[path[0]] = at
		} else if len(p.members) == manyMembers {
			p.byName = make(map[string]int)
			for i := range p.members {
				p.byName[p.members[i].name] = i
			}
		}
	}
	return p.members[at].add(path[1:], slots)
}

func lengthBit(length int) uint64 {
	const longest = 63
	return 1 << min(length, longest)
}

// find returns the place of a member, or -1.
func (p *paths) find(name []byte) int {
	if p.lengths&lengthBit(len(name)) == 0 {
		return -1
	}
	if p.byName != nil {
		if at, found := p.byName[string(name)]; found {
			return at
		}
		return -1
	}
	for i := range p.members {
		if p.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// values reads the values at paths in one pass over valid JSON.
type values struct {
	input jsontext.Scanner
	// found has the values by slot, which are nil where the path leads nowhere. Of repeated names the first counts, as
	// in DuckDB.
	found []jsontext.Value
	// lists describe the lists on the ways, by slot. They are those of an earlier text where nothing is found.
	lists []list
}

// list describes a list on a way, or another value as one without elements.
type list struct {
	length int
	// opens is what the first element begins with.
	opens byte
}

func newValues(slots int) values {
	return values{found: make([]jsontext.Value, slots), lists: make([]list, slots)}
}

// read reads metadata. The values refer to it.
func (v *values) read(metadata []byte, paths *paths) {
	clear(v.found)
	v.input = jsontext.Scanner{Text: metadata}
	v.input.Space()
	v.list(paths)
}

// list reads a list, or passes another value.
func (v *values) list(paths *paths) {
	start, found := v.input.Position, list{}
	if v.input.Peek() != '[' {
		v.input.Skip()
	} else {
		for more := v.input.Enter('['); more; more, _ = v.input.More(']') {
			if found.length == 0 {
				found.opens = v.input.Peek()
			}
			if found.length == 0 && found.opens == '{' {
				v.object(paths)
			} else {
				v.input.Skip()
			}
			found.length++
		}
	}
	v.found[paths.slot], v.lists[paths.slot] = v.input.Text[start:v.input.Position], found
}

// object reads the members of an object.
func (v *values) object(paths *paths) {
	for more := v.input.Enter('{'); more; more, _ = v.input.More('}') {
		name, _, ok := v.input.Key()
		if !ok {
			return
		}
		at := paths.find(name)
		if at < 0 {
			v.input.Skip()
			continue
		}
		member := &paths.members[at].paths
		switch {
		case v.found[member.slot] != nil:
			v.input.Skip()
		case len(member.members) > 0:
			v.list(member)
		default:
			start := v.input.Position
			v.input.Skip()
			v.found[member.slot] = v.input.Text[start:v.input.Position]
		}
	}
}
