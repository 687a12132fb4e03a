package openapi

import (
	"net/http"
	"strconv"

	"savedq/internal/api/tokenhttp"
)

// Names of components of the paths of tokens.
const (
	tokensTag     = "Tokens"
	tokenList     = "Tokens"
	tokenCreated  = "TokenCreated"
	tokenRevoked  = "TokenRevoked"
	tokenSchema   = "Token"
	tokenRequest  = "TokenRequest"
	tokenName     = "Tokens.name"
	invalidTokens = "InvalidToken"
)

// addTokens adds the paths that list, create and revoke tokens.
func (d *document) addTokens() {
	d.Tags = append(d.Tags, tag{Name: tokensTag, Description: "The tokens of the server, for tokens that manage them."})
	d.Components.Schemas[tokenSchema] = schemaOf[tokenhttp.Token]()
	d.Components.Schemas[tokenRequest] = schemaOf[tokenhttp.CreateRequest]()
	d.Components.Responses[tokenList] = uncached("The tokens, by name, and what new ones can have. No secrets are among it.",
		object(required("result", schemaOf[tokenhttp.List]())))
	d.Components.Responses[tokenCreated] = uncached("The token with its secret.", object(required("result", schemaOf[tokenhttp.Created]())))
	d.Components.Responses[tokenRevoked] = response{Description: "The token is revoked.", Headers: headerReferences("Cache-Control", "X-Request-Id")}
	d.Components.Responses[invalidTokens] = failureResponse("A limit of the token is invalid, or its name is taken.", nil, nil)
	d.Components.Parameters[tokenName] = parameter{Name: "name", In: "path", Description: "Name of the token.", Required: true, Schema: schema{Type: "string"}}
	failures := isOneOf("Unauthenticated", "PermissionDenied", "ResourceExhausted", "Internal", "Unavailable")
	create := responsesWith(tokenCreated, failures)
	delete(create, strconv.Itoa(http.StatusOK))
	create[strconv.Itoa(http.StatusCreated)] = refer("responses", tokenCreated)
	create[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidTokens)
	d.Paths[tokenhttp.Path] = pathItem{
		Get: &operation{
			OperationID: "tokens", Summary: "The tokens of the server", Tags: []string{tokensTag},
			Description: "What each token may do, and when and how much it was used.",
			Responses:   responsesWith(tokenList, failures),
		},
		Post: &operation{
			OperationID: "createToken", Summary: "Create a token", Tags: []string{tokensTag},
			Description: "Adds a token to the tokens file of the server. It can have no scope that the token of the request lacks, and not live longer.",
			RequestBody: &requestBody{Description: "What the token may do.", Content: map[string]mediaType{mediaJSON: {Schema: component(tokenRequest)}}},
			Responses:   create,
		},
	}
	revoke := responsesWith(tokenRevoked, func(f *failure) bool { return failures(f) || f.name == "NotFound" })
	delete(revoke, strconv.Itoa(http.StatusOK))
	revoke[strconv.Itoa(http.StatusNoContent)] = refer("responses", tokenRevoked)
	revoke[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidTokens)
	d.Paths[tokenhttp.Path+"/{name}"] = pathItem{Delete: &operation{
		OperationID: "revokeToken", Summary: "Revoke a token", Tags: []string{tokensTag},
		Description: "Removes a token from the tokens file of the server. Requests with it are rejected at once.",
		Parameters:  []reference{refer("parameters", tokenName)}, Responses: revoke,
	}}
}
