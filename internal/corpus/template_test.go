package corpus_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// spec describes an item of a family. Each attribute is a template, in which {email} stands for a person's e-mail.
// {email|lower|sha256} changes it, and {sha256:User#{v}} changes a whole text. An attribute with an empty result is
// left out.
type spec map[string]any

// The types of other attributes.
type (
	num  string // a number
	many string // a set of several values
	list string // a list of several values
	flag bool
)

// vars has the values of the names in braces. A value is one text, or several.
type vars map[string][]string

// item renders a spec as DynamoDB JSON.
func (v vars) item(s spec) jsonItem {
	item := jsonItem{}
	for name, what := range s {
		if value := v.value(what); value != nil {
			item[name] = value
		}
	}
	return item
}

func (v vars) value(what any) map[string]any {
	switch w := what.(type) {
	case string:
		if text := v.text(w); text != "" {
			return map[string]any{"S": text}
		}
	case num:
		if text := v.text(string(w)); text != "" {
			return map[string]any{"N": text}
		}
	case many:
		if len(v[string(w)]) > 0 {
			return map[string]any{"SS": v[string(w)]}
		}
	case list:
		texts := []any{}
		for _, text := range v[string(w)] {
			texts = append(texts, map[string]any{"S": text})
		}
		return map[string]any{"L": texts}
	case flag:
		return map[string]any{"BOOL": bool(w)}
	case spec:
		return map[string]any{"M": v.item(w)}
	}
	return nil
}

// innermost matches braces without braces in them.
var innermost = regexp.MustCompile(`\{[^{}]*\}`)

// text renders a template, from its innermost braces outwards.
func (v vars) text(template string) string {
	for innermost.MatchString(template) {
		template = innermost.ReplaceAllStringFunc(template, func(hole string) string { return v.hole(strings.Trim(hole, "{}")) })
	}
	return template
}

// hole renders the content of braces.
func (v vars) hole(inner string) string {
	if f, template, ok := strings.Cut(inner, ":"); ok && functions[f] != nil {
		return functions[f](template)
	}
	name, steps, _ := strings.Cut(inner, "|")
	texts, ok := v[name]
	if !ok {
		panic("nobody has a " + name)
	}
	if len(texts) == 0 {
		return ""
	}
	text := texts[0]
	for f := range strings.SplitSeq(steps, "|") {
		if f != "" {
			text = functions[f](text)
		}
	}
	return text
}

var functions = map[string]func(string) string{
	"lower": strings.ToLower,
	"upper": strings.ToUpper,
	"trim":  strings.TrimSpace,
	"sha256": func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	},
	"base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"percent":   url.QueryEscape,
	"len":       func(s string) string { return strconv.Itoa(len(s)) },
	"half":      func(s string) string { return s[:len(s)/2] },
	"undot": func(s string) string { // removes a dot from some names
		if s != "" && s[0] < 'f' {
			return strings.Replace(s, ".", "", 1)
		}
		return s
	},
	"escape": func(s string) string { return strings.ReplaceAll(s, "#", `\#`) },
}

// holding lists the attributes, by their paths, whose templates name a variable.
func (s spec) holding(name string) []string {
	var paths []string
	for _, attribute := range slices.Sorted(maps.Keys(s)) {
		switch w := s[attribute].(type) {
		case string:
			if strings.Contains(w, "{"+name) {
				paths = append(paths, attribute)
			}
		case num:
			if strings.Contains(string(w), "{"+name) {
				paths = append(paths, attribute)
			}
		case many:
			if string(w) == name {
				paths = append(paths, attribute)
			}
		case list:
			if string(w) == name {
				paths = append(paths, attribute)
			}
		case spec:
			for _, path := range w.holding(name) {
				paths = append(paths, attribute+"."+path)
			}
		}
	}
	return paths
}
