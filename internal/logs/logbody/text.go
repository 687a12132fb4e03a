package logbody

import "savedq/sqlq"

// appendString appends a JSON string.
func appendString(output []byte, text string) []byte {
	return sqlq.AppendValue(output, sqlq.String, text)
}

// appendMember appends a member of an object, with a comma unless it is the first one. The
// value is JSON.
func appendMember(output []byte, key string, value []byte) []byte {
	output = appendKey(output, key)
	return append(output, value...)
}

// appendTexts appends members with texts, which are pairs of the key and the text, without the
// empty ones.
func appendTexts(output []byte, pairs [][2]string) []byte {
	for _, pair := range pairs {
		if pair[1] != "" {
			output = appendMember(output, pair[0], appendString(nil, pair[1]))
		}
	}
	return output
}

// appendKey appends the key of a member and its colon, with a comma before it unless the
// member is the first one of its object.
func appendKey(output []byte, key string) []byte {
	if output[len(output)-1] != '{' {
		output = append(output, ',')
	}
	return append(appendString(output, key), ':')
}
