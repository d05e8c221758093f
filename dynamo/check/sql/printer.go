package sql

import (
	"fmt"
	"strings"
)

// printer writes the statements of a check as SQL.
type printer struct {
	*Dialect
	c *Check
}

func (p printer) query(q *query) string {
	if len(q.union) > 0 {
		var all []string
		for _, one := range q.union {
			all = append(all, p.query(one))
		}
		return strings.Join(all, "\nUNION ALL\n")
	}
	var columns []string
	if q.all {
		columns = append(columns, "*")
	}
	for _, c := range q.columns {
		columns = append(columns, p.expr(c.expr)+" AS "+c.name)
	}
	text := "SELECT " + strings.Join(columns, ",\n  ") + "\nFROM " + p.from(q.from)
	if q.where.op != "" {
		text += "\nWHERE " + p.expr(q.where)
	}
	if q.group > 0 {
		var by []string
		for n := range q.group {
			by = append(by, fmt.Sprint(n+1))
		}
		text += "\nGROUP BY " + strings.Join(by, ", ")
	}
	if q.having.op != "" {
		text += "\nHAVING " + p.expr(q.having)
	}
	return text
}

func (p printer) from(f from) string {
	text := p.c.called(f.table)
	switch {
	case f.inner != nil:
		text = "(\n" + indent(p.query(f.inner)) + "\n)"
	case f.lines > 0 && p.lines == nil:
		text = p.files(p.c.Tables[f.lines-1])
	case f.lines > 0:
		text = p.c.called(linesTable(f.lines))
	}
	if f.as != "" {
		text += " AS " + f.as
	}
	for _, j := range f.joins {
		j.table = p.c.called(j.table)
		if j.query != nil {
			j.table = "(\n" + indent(p.query(j.query)) + "\n)"
		}
		switch {
		case j.each.op != "":
			text += fmt.Sprintf("\nCROSS JOIN UNNEST(%s) AS %s", p.expr(j.each), j.as)
		case j.on.op == "":
			text += fmt.Sprintf("\n%s JOIN %s AS %s", j.how, j.table, j.as)
		default:
			text += fmt.Sprintf("\n%s JOIN %s AS %s ON %s", j.how, j.table, j.as, p.expr(j.on))
		}
	}
	return text
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
