package logbody

import (
	"encoding/base64"
	"math"
	"strconv"

	common "go.opentelemetry.io/proto/otlp/common/v1"
)

// appendAny appends a value of OTLP as JSON: bytes as Base64, and what JSON has no number for
// as null. Decoding has limited the depth of values.
func appendAny(output []byte, value *common.AnyValue) []byte {
	switch kind := value.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return appendString(output, kind.StringValue)
	case *common.AnyValue_BoolValue:
		return strconv.AppendBool(output, kind.BoolValue)
	case *common.AnyValue_IntValue:
		return strconv.AppendInt(output, kind.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		if math.IsNaN(kind.DoubleValue) || math.IsInf(kind.DoubleValue, 0) {
			return append(output, "null"...)
		}
		return strconv.AppendFloat(output, kind.DoubleValue, 'g', -1, 64)
	case *common.AnyValue_BytesValue:
		return appendString(output, base64.StdEncoding.EncodeToString(kind.BytesValue))
	case *common.AnyValue_ArrayValue:
		output = append(output, '[')
		for i, element := range kind.ArrayValue.GetValues() {
			if i > 0 {
				output = append(output, ',')
			}
			output = appendAny(output, element)
		}
		return append(output, ']')
	case *common.AnyValue_KvlistValue:
		return appendAttributes(output, kind.KvlistValue.GetValues())
	}
	return append(output, "null"...)
}

// appendAttributes appends attributes as an object in JSON.
func appendAttributes(output []byte, attributes []*common.KeyValue) []byte {
	output = append(output, '{')
	for _, attribute := range attributes {
		output = appendAny(appendKey(output, attribute.GetKey()), attribute.GetValue())
	}
	return append(output, '}')
}

// anyText returns a value as a string in JSON: what is not a string as its JSON.
func anyText(value *common.AnyValue) []byte {
	if text, isString := value.GetValue().(*common.AnyValue_StringValue); isString {
		return appendString(nil, text.StringValue)
	}
	return appendString(nil, string(appendAny(nil, value)))
}

// textOf is [anyText] of a value that can be absent, which it returns nil for.
func textOf(value *common.AnyValue) []byte {
	if value.GetValue() == nil {
		return nil
	}
	return anyText(value)
}

// isStructure reports whether a value has values in it.
func isStructure(value *common.AnyValue) bool {
	switch value.GetValue().(type) {
	case *common.AnyValue_ArrayValue, *common.AnyValue_KvlistValue:
		return true
	}
	return false
}
