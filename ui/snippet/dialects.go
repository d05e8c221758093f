package snippet

import (
	"strconv"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

var dialects = map[Language]dialect{
	Go: {
		language: Go,
		quote:    strconv.Quote,
		length:   func(text string) string { return "strconv.Itoa(len(" + text + "))" },
		value: func(kind attr.Kind, text string) string {
			if kind == attr.B {
				text = "[]byte(" + text + ")"
			}
			return "&types.AttributeValueMember" + string(kind) + "{Value: " + text + "}"
		},
		before: "from", after: "to",
		item:  "map[string]types.AttributeValue{",
		inner: "&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{", close: "}",
		accountKey: "accountKey", lockKey: "lockKey", lock: "lock",
	},
	Python: {
		language: Python,
		quote:    strconv.Quote, // each of its escapes means the same in Python
		length:   func(text string) string { return "str(len((" + text + ").encode()))" },
		value: func(kind attr.Kind, text string) string {
			switch kind {
			case attr.N:
				return "Decimal(" + text + ")"
			case attr.B:
				return "(" + text + ").encode()"
			}
			return text
		},
		before: "old", after: "new",
		item: "{", inner: "{", close: "}",
		accountKey: "account_key", lockKey: "lock_key", lock: "lock",
	},
	JavaScript: {
		language: JavaScript,
		quote:    quoteJSON,
		length:   func(text string) string { return "String(Buffer.byteLength(" + text + "))" },
		value: func(kind attr.Kind, text string) string {
			switch kind {
			case attr.N:
				return "NumberValue.from(" + text + ")"
			case attr.B:
				return "Buffer.from(" + text + ")"
			}
			return text
		},
		before: "from", after: "to",
		item: "{ ", inner: "{ ", close: " }",
		accountKey: "accountKey", lockKey: "lockKey", lock: "lock",
	},
}

// quoteJSON writes a text as JSON, which is a string of JavaScript, too.
func quoteJSON(text string) string {
	line, err := attr.Line(text, "")
	if err != nil {
		return `""` // unreachable: JSON can represent every string
	}
	return strings.TrimSpace(string(line))
}

// steps has the statements of each normaliser. They do exactly what tallylock does with the value v.
var steps = map[Language]map[layout.Normaliser]string{
	Go: {
		layout.Trim:      "v = strings.TrimFunc(v, isSpace)",
		layout.Lower:     "v = cases.Lower(language.Und).String(v)",
		layout.Upper:     "v = cases.Upper(language.Und).String(v)",
		layout.NFC:       "v = norm.NFC.String(v)",
		layout.NFKC:      "v = norm.NFKC.String(v)",
		layout.SHA256:    "v = digest(v)",
		layout.Base64:    "v = base64.StdEncoding.EncodeToString([]byte(v))",
		layout.Base64URL: "v = base64.RawURLEncoding.EncodeToString([]byte(v))",
		layout.Percent:   "v = percent.Replace(url.QueryEscape(v))",
	},
	Python: {
		layout.Trim:      "v = v.strip(WHITE_SPACE)",
		layout.Lower:     "v = v.lower()",
		layout.Upper:     "v = v.upper()",
		layout.NFC:       `v = unicodedata.normalize("NFC", v)`,
		layout.NFKC:      `v = unicodedata.normalize("NFKC", v)`,
		layout.SHA256:    "v = digest(v)",
		layout.Base64:    "v = base64.b64encode(v.encode()).decode()",
		layout.Base64URL: `v = base64.urlsafe_b64encode(v.encode()).decode().rstrip("=")`,
		layout.Percent:   `v = quote(v, safe="!*'()")`,
	},
	JavaScript: {
		layout.Trim:      "v = v.trim();",
		layout.Lower:     "v = v.toLowerCase();",
		layout.Upper:     "v = v.toUpperCase();",
		layout.NFC:       `v = v.normalize("NFC");`,
		layout.NFKC:      `v = v.normalize("NFKC");`,
		layout.SHA256:    "v = digest(v);",
		layout.Base64:    `v = Buffer.from(v).toString("base64");`,
		layout.Base64URL: `v = Buffer.from(v).toString("base64url");`,
		layout.Percent:   "v = encodeURIComponent(v);",
	},
}

// normaliser lists the statements of the steps. It returns ErrNoCode if a step has no code.
func normaliser(of []layout.Normaliser, language Language) ([]string, error) {
	var all []string
	for _, step := range of {
		statement := steps[language][step]
		if statement == "" {
			return nil, ErrNoCode
		}
		all = append(all, statement)
	}
	return all, nil
}
