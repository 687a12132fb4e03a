package eventrow

import (
	"bytes"

	"savedq/internal/text/jsontext"
)

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
	text []byte
	// escaped means that the text has escapes somewhere.
	escaped bool
	// found has the values by slot, which are nil where the path leads nowhere. Of repeated names the first counts, as
	// in DuckDB.
	found []jsontext.Value
	// lists describe the lists along the paths, by slot. Where found has no value, they are left over from an earlier text.
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
	v.text, v.escaped = metadata, bytes.IndexByte(metadata, '\\') >= 0
	v.list(jsontext.SkipSpace(metadata, 0), paths)
}

// list reads a list that begins at an offset, or another value, and returns the offset after it.
func (v *values) list(start int, paths *paths) (end int) {
	text := v.text
	found := list{}
	if start >= len(text) || text[start] != '[' {
		end = jsontext.Skip(text, start)
	} else {
		for end = first(text, start); end < len(text) && text[end] != ']'; end = next(text, end) {
			if found.length == 0 {
				found.opens = text[end]
			}
			if found.length == 0 && found.opens == '{' {
				end = v.object(end, paths)
			} else {
				end = jsontext.Skip(text, end)
			}
			found.length++
		}
		end = min(end+1, len(text))
	}
	v.set(paths.slot, start, end)
	v.lists[paths.slot] = found
	return end
}

// object reads the members of an object that begins at an offset, and returns the offset after it.
func (v *values) object(start int, paths *paths) (end int) {
	text := v.text
	for end = first(text, start); end < len(text) && text[end] != '}'; end = next(text, end) {
		quoted := end
		end = jsontext.SkipString(text, end)
		at := -1
		if length := end - quoted - len(`""`); length >= 0 {
			at = paths.find(text[quoted+1 : end-1])
			if at < 0 && v.escaped && bytes.IndexByte(text[quoted:end], '\\') >= 0 {
				at = paths.find([]byte(jsontext.Unquote(text[quoted:end])))
			}
		}
		if end < len(text) && text[end] != ':' {
			end = jsontext.SkipSpace(text, end)
		}
		end = min(end+1, len(text)) // the colon
		if end < len(text) && text[end] <= ' ' {
			end = jsontext.SkipSpace(text, end)
		}
		if at < 0 {
			end = jsontext.Skip(text, end)
			continue
		}
		member := &paths.members[at].paths
		switch {
		case v.found[member.slot] != nil:
			end = jsontext.Skip(text, end)
		case len(member.members) > 0:
			end = v.list(end, member)
		default:
			value := end
			end = jsontext.Skip(text, end)
			v.set(member.slot, value, end)
		}
	}
	return min(end+1, len(text))
}

// set sets a value, which is empty only at the end of text that is no JSON.
func (v *values) set(slot, start, end int) {
	if start < end {
		v.found[slot] = v.text[start:end]
	}
}

// first returns the offset of the first element or member after the bracket at an offset, or that of the closing bracket.
func first(text []byte, at int) int { return jsontext.SkipSpace(text, at+1) }

// next returns the offset of the next element or member after the one that ends at an offset, or that of the closing
// bracket.
func next(text []byte, at int) int {
	if at < len(text) && text[at] <= ' ' {
		at = jsontext.SkipSpace(text, at)
	}
	if at < len(text) && text[at] == ',' {
		at++
		if at < len(text) && text[at] <= ' ' {
			at = jsontext.SkipSpace(text, at)
		}
	}
	return at
}
