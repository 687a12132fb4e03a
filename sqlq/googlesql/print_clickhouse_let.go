package googlesql

import (
	"strconv"
	"strings"
)

// mostWritten is how long the uses of a value are together that are written where it is used.
const mostWritten = 400

// A name that [clickhousePrinter.lets] gives is between these until its expression is complete. No text of ClickHouse's SQL has
// their characters, see [clickhouseText].
const (
	letBegin = "\x03"
	letEnd   = "\x04"
)

// let writes an expression that uses a value more than once; see [clickhousePrinter.lets].
func (p *clickhousePrinter) let(value string, body func(name string) string) string {
	return p.lets([]string{value}, func(names []string) string { return body(names[0]) })
}

// lets writes an expression that uses values, of which it gets the names. A value that is short, or used once, is written where it
// is used. Others are parameters of a lambda: ClickHouse's analyzer copies what an alias stands for to each use of the alias, so
// that values in values would grow with each level. The names depend on the level only, so that ClickHouse computes an expression
// that is written twice once.
func (p *clickhousePrinter) lets(values []string, body func(names []string) string) string {
	return p.letsUpTo(values, func(int) int { return mostWritten }, body)
}

// letsUpTo is as lets, with how long the uses of a value are together that are written where it is used.
func (p *clickhousePrinter) letsUpTo(values []string, most func(i int) int, body func(names []string) string) string {
	names := each(values, func(int, string) string {
		p.lettered++
		return letBegin + strconv.Itoa(p.lettered) + letEnd
	})
	level := p.letLevel
	p.letLevel += len(values)
	sql := body(names)
	p.letLevel = level
	var params, lists []string
	for i, value := range values {
		if uses := strings.Count(sql, names[i]); uses < 2 || uses*len(value) <= most(i) {
			sql = strings.ReplaceAll(sql, names[i], inBrackets(value))
			continue
		}
		param := "`#x" + strconv.Itoa(level+i) + "`"
		sql = strings.ReplaceAll(sql, names[i], param)
		params = append(params, param)
		lists = append(lists, "["+value+"]")
	}
	switch len(params) {
	case 0:
		return sql
	case 1:
		return "arrayMap(" + params[0] + " -> " + sql + ", " + lists[0] + ")[1]"
	}
	return "arrayMap((" + strings.Join(params, ", ") + ") -> " + sql + ", " + strings.Join(lists, ", ") + ")[1]"
}

// inBrackets is an expression in brackets unless it is a name.
func inBrackets(sql string) string {
	if strings.Trim(sql, letBegin+letEnd+"0123456789") == "" || sql != "" && !strings.ContainsAny(sql, " (") {
		return sql
	}
	return "(" + sql + ")"
}
