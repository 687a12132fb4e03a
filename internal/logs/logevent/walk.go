package logevent

import "iter"

// Members yields the members of an object in valid JSON: what each key decodes to, and the
// text of the value. It yields nothing for a value of another type.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		s := scanner{text: object}
		s.space()
		if !s.take('{') {
			return
		}
		s.space()
		for more := s.peek() == '"'; more; {
			quoted, escaped, ok := s.key()
			if !ok {
				return
			}
			raw, ok := s.value(1)
			if !ok {
				return
			}
			key := quoted[1 : len(quoted)-1]
			if escaped {
				key = []byte(unquote(quoted))
			}
			if !yield(key, raw) {
				return
			}
			more, _ = s.more('}')
		}
	}
}

// Objects yields the texts of the elements of a list in valid JSON that are objects. It
// yields nothing for a value of another type.
func Objects(list []byte) iter.Seq[[]byte] {
	return func(yield func(object []byte) bool) {
		s := scanner{text: list}
		s.space()
		if !s.take('[') {
			return
		}
		s.space()
		for more := s.peek() != ']'; more; {
			raw, ok := s.value(1)
			if !ok || raw[0] == '{' && !yield(raw) {
				return
			}
			more, _ = s.more(']')
		}
	}
}

// Text returns the text of a string in valid JSON. It reports false for a value of another
// type.
func Text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw), true
}
