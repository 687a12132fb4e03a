package logevent

// Reader reads valid JSON once, from front to back, such as the metadata of an event. In JSON
// that is not valid it finds less.
type Reader struct{ scanner scanner }

// NewReader returns a reader.
func NewReader(text []byte) *Reader {
	reader := &Reader{scanner{text: text}}
	reader.scanner.space()
	return reader
}

// Next returns the first character of the next value, or 0 at the end.
func (r *Reader) Next() byte { return r.scanner.peek() }

// Enter enters a list or an object with its opening bracket. It reports whether it has an
// element or a member; otherwise it is left again. Callers must then read it and call
// [Reader.More], until that reports false.
func (r *Reader) Enter(opening byte) bool {
	const toClosing = 2 // in ASCII, for [ and { alike
	if !r.scanner.take(opening) {
		return false
	}
	r.scanner.space()
	return !r.scanner.take(opening+toClosing) && r.scanner.position < len(r.scanner.text)
}

// More reports whether another element or member follows in the list or object with the closing
// bracket; otherwise it is left.
func (r *Reader) More(closing byte) bool {
	more, _ := r.scanner.more(closing)
	return more
}

// Key reads the key of a member, and returns what it decodes to. Callers must then read the
// value.
func (r *Reader) Key() []byte {
	quoted, escaped, ok := r.scanner.key()
	switch {
	case !ok:
		r.scanner.position = len(r.scanner.text)
		return nil
	case escaped:
		return []byte(unquote(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// Value reads a value, and returns its text.
func (r *Reader) Value() []byte {
	raw, ok := r.scanner.value(0)
	if !ok {
		r.scanner.position = len(r.scanner.text)
	}
	return raw
}

// Text returns the text of a string in valid JSON. It reports false for a value of another
// type.
func Text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw), true
}
