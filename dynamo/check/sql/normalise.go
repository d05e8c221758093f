package sql

import (
	"tallylock/dynamo/layout"
)

// whiteSpace is the ASCII that is trimmed.
const whiteSpace = `\A[\x09-\x0D\x20]+|[\x09-\x0D\x20]+\z`

// steps are the normalisers in SQL. They equal a layout's only for ASCII, since engines
// differ in everything else. A normaliser without a row has no equal.
var steps = map[layout.Normaliser]func(expr) expr{
	layout.Trim:   func(v expr) expr { return of("replaced", v, str(whiteSpace), str("")) },
	layout.Lower:  func(v expr) expr { return of("lower", v) },
	layout.Upper:  func(v expr) expr { return of("upper", v) },
	layout.NFC:    func(v expr) expr { return v },
	layout.NFKC:   func(v expr) expr { return v },
	layout.SHA256: func(v expr) expr { return of("sha256", v) },
	layout.Base64: func(v expr) expr { return of("base64", v) },
	layout.Base64URL: func(v expr) expr {
		return of("translate", of("base64", v), str("+/="), str("-_"))
	},
	layout.Percent: func(v expr) expr { return of("percent", v) },
}

// normalised is a value as its lock keeps it, and its text before it was encoded.
func normalised(c *layout.Constraint, v expr) (value, spelt expr) {
	spelt = v
	encoded := false
	for _, step := range c.Normalise {
		v = steps[step](v)
		switch step {
		case layout.Trim, layout.Lower, layout.Upper, layout.NFC, layout.NFKC:
		default:
			encoded = true
		}
		if !encoded {
			spelt = v
		}
	}
	return v, spelt
}

// unequal returns the first normaliser of the constraint that has no equal in SQL; empty if
// there is none.
func unequal(c *layout.Constraint) layout.Normaliser {
	for _, step := range c.Normalise {
		if steps[step] == nil {
			return step
		}
	}
	return ""
}
