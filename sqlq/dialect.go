package sqlq

// Dialect is the language that an engine's SQL is written in. Each engine has its own.
// Implementations can be compared with ==.
type Dialect interface {
	// Name is the name of the engine. With ".sql" it is the name of the engine's file in
	// the folder of a saved query.
	Name() string
	// ParamPrefix stands before the name of a parameter, such as "$".
	ParamPrefix() string
	// TokenLength returns the length of the token that a non-empty SQL text begins with. A
	// string, a quoted name, a comment and a parameter with its prefix are one token each.
	TokenLength(sql string) int
	// IsComment reports whether a token is a comment.
	IsComment(token string) bool
}
