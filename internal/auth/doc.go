// Package auth says who may ask what. A [Keyring] holds the tokens, [Handler] lets
// nobody in without one (D17), and [Runner] holds each request for a saved query
// against the token's scope, before cache and engine, for every interface.
//
// What is not allowed is denied: a request whose context holds no token, an
// endpoint that is not listed, a value that is not known.
package auth
