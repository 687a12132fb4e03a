// Package auth authenticates and authorizes requests. A [Keyring] holds the tokens,
// [Handler] requires one (D17), and [Runner] checks each request for a saved query against
// the token's scope, before cache and engine, for every interface.
//
// Everything that is not explicitly allowed is denied: a request whose context holds no
// token, an endpoint that is not listed, an unknown value.
package auth
