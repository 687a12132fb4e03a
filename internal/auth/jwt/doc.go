// Package jwt verifies JSON Web Tokens, which an app's backend or its identity provider signs,
// and maps their claims to what [auth.Token] allows. A file lists the trusted issuers.
//
// The library go-jose parses keys and checks signatures. This package decides which key and which
// algorithm may check a token, fetches keys, and checks claims.
//
// Everything that is not explicitly allowed is denied: an issuer, an algorithm or a key that
// the file does not name, a claim that is missing or has another type.
package jwt
