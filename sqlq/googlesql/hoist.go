package googlesql

import (
	"regexp"
	"slices"
	"strings"
)

// hoisted returns a fragment that is made of arguments. If they hold what the fragment cannot have inside, they are
// computed first, and stand for themselves as the fields of a struct: the body of a lambda takes no subquery, and
// errors of arguments are none of what SAFE makes NULL.
func (r *resolver) hoisted(args []value, isForbidden func(sql string) bool, body func(args []value) fragment) fragment {
	direct := body(args)
	param := quoteName(r.alias("args"))
	var fields []fragment
	inner := slices.Clone(args)
	for i, arg := range args {
		if arg.constant == nil && arg.dyn == nil {
			fields = append(fields, text("a"+itoa(i)+" := ", arg))
			inner[i] = element(arg.typ, text("struct_extract("+param+", 'a"+itoa(i)+"')"), arg.at)
		}
	}
	around := text("list_extract(list_transform([struct_pack(", list(", ", fields), ")], lambda "+param+": ", body(inner), "), 1)")
	return &hoisting{fields, direct, around, isForbidden}
}

// hoisting is a fragment that is made of arguments, or is around them where one of them is forbidden inside.
type hoisting struct {
	args           []fragment
	direct, around fragment
	isForbidden    func(sql string) bool
}

func (h *hoisting) print(p *printer) {
	isAround, known := p.hoisted[h]
	if !known {
		isAround = slices.ContainsFunc(h.args, func(arg fragment) bool {
			sql := p.printed(arg)
			p.spend(len(sql))
			return h.isForbidden(unquoted(sql))
		})
		p.hoisted[h] = isAround
	}
	if isAround {
		h.around.print(p)
	} else {
		h.direct.print(p)
	}
}

// quoted matches texts and names in quotes.
var quoted = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"`)

// unquoted returns SQL without what is in quotes.
func unquoted(sql string) string { return quoted.ReplaceAllString(sql, "") }

func hasSubquery(sql string) bool { return strings.Contains(sql, "SELECT") }

// called matches what is called in the SQL, and operators that can overflow.
var called = regexp.MustCompile(`[A-Za-z_0-9]+\(|[-+*/%]|<<`)

// quiet are functions that raise no error, as they are used here. Their arguments can.
var quiet = []string{ //nolint:gochecknoglobals // It is constant.
	"regexp_extract(", "regexp_matches(", "regexp_replace(", "struct_extract(", "list_extract(", "json_extract_string(", "json_extract(", "json_value(", "json_type(",
	"trim(", "ltrim(", "rtrim(", "lower(", "upper(", "replace(", "string_split(", "coalesce(", "nullif(", "length(", "strlen(", "starts_with(", "contains(",
	"from_json(", "TRY(", "TRY_CAST(", "round(", "timezone(", "regexp_full_match(", "IN(", "min(", "max(", "any_value(", "count(", "len(",
}

// canFailInTry reports whether SQL cannot be in DuckDB's TRY: it may raise an error, or it reads a field of a struct, for
// which TRY raises errors all the same.
func canFailInTry(sql string) bool { return strings.Contains(sql, "struct_extract(") || canFail(sql) }

// canFail reports whether SQL may raise an error.
func canFail(sql string) bool {
	if sql = strings.ReplaceAll(sql, "CAST($", "("); hasSubquery(sql) {
		return true
	}
	return slices.ContainsFunc(called.FindAllString(sql, -1), func(name string) bool { return !slices.Contains(quiet, name) })
}
