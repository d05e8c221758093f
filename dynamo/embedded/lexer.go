package embedded

import "strings"

// token is a piece of an expression.
type token struct {
	kind tokenKind
	text string
}

type tokenKind byte

const (
	tokenEnd    tokenKind = iota
	tokenWord             // an attribute's name, a keyword or a function
	tokenName             // #placeholder
	tokenValue            // :placeholder
	tokenNumber           // of a list index
	tokenSymbol           // operators and punctuation
)

const maxExpression = 4096

// tokenize cuts an expression into tokens, the last of which is tokenEnd.
func tokenize(text string) ([]token, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("The expression can not be empty;")
	}
	if len(text) > maxExpression {
		return nil, invalid("Expression size has exceeded the maximum allowed size; expression size: %d", len(text))
	}
	tokens := make([]token, 0, len(text)/4+2)
	for at := 0; at < len(text); {
		c := text[at]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' {
			at++
			continue
		}
		t := lex(text[at:])
		if t.kind == tokenEnd {
			return nil, invalid("Syntax error; token: %q, near: %q", text[at:at+1], near(text, at))
		}
		tokens = append(tokens, t)
		at += len(t.text)
	}
	return append(tokens, token{kind: tokenEnd, text: "<EOF>"}), nil
}

func near(text string, at int) string {
	return text[max(0, at-10):min(len(text), at+10)]
}

// lex gives the token that s begins with, tokenEnd if there is none.
func lex(s string) token {
	c := s[0]
	switch {
	case isLetter(c):
		return token{tokenWord, wordAt(s, 0)}
	case isDigit(c):
		return token{tokenNumber, leadingDigits(s)}
	case c == '#' || c == ':':
		kind := tokenName
		if c == ':' {
			kind = tokenValue
		}
		if name := wordAt(s, 1); len(name) > 1 {
			return token{kind, name}
		}
		return token{}
	case strings.HasPrefix(s, "<=") || strings.HasPrefix(s, ">=") || strings.HasPrefix(s, "<>"):
		return token{tokenSymbol, s[:2]}
	case strings.IndexByte("=<>(),.[]+-", c) >= 0:
		return token{tokenSymbol, s[:1]}
	}
	return token{}
}

// wordAt gives s up to the end of the word that begins at i.
func wordAt(s string, i int) string {
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	return s[:i]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
