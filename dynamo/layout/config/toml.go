package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"tallylock/dynamo/attr"
)

// TOML writes the config as a [[layout]] section of the config file.
func (c Layout) TOML() []byte { return c.Annotated(nil) }

// Annotated is TOML with comments. note returns the comment for a setting, or "" for none. It gets
// the path of the setting's section, such as "account[1].constraint[0]". The path of the layout
// itself is "". Annotated escapes invisible characters, so that the text reads back unchanged.
func (c Layout) Annotated(note func(section, setting string) string) []byte {
	w := &tomlWriter{note: note}
	w.section("layout", "", reflect.ValueOf(c))
	return w.Bytes()
}

type tomlWriter struct {
	bytes.Buffer
	note func(section, setting string) string
}

// section writes one [[head]] section: first its settings, then the sections within it.
func (w *tomlWriter) section(head, path string, v reflect.Value) {
	fmt.Fprintf(w, "[[%s]]\n", head)
	var lines, notes, inner []string
	width, at := 0, map[string]reflect.Value{}
	for n := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(n).Tag.Get("toml"), ",")
		field := v.Field(n)
		optional, inline := strings.Contains(options, "omitempty"), strings.Contains(options, "inline")
		switch {
		case name == "", optional && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0):
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct && !inline:
			inner, at[name] = append(inner, name), field
		default:
			line, note := name+" = "+tomlValue(field), ""
			if w.note != nil {
				note = w.note(path, name)
			}
			if lines, notes = append(lines, line), append(notes, note); note != "" {
				width = max(width, utf8.RuneCountInString(line))
			}
		}
	}
	for n, line := range lines {
		if notes[n] != "" {
			line += strings.Repeat(" ", width-utf8.RuneCountInString(line)) + "  # " + visible(notes[n])
		}
		fmt.Fprintln(w, line)
	}
	for _, name := range inner {
		for n := range at[name].Len() {
			fmt.Fprintln(w)
			w.section(head+"."+name, strings.TrimPrefix(fmt.Sprintf("%s.%s[%d]", path, name, n), "."), at[name].Index(n))
		}
	}
}

func tomlValue(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return tomlValue(v.Elem())
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Slice:
		var all []string
		for n := range v.Len() {
			all = append(all, tomlValue(v.Index(n)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case reflect.Struct:
		var all []string
		for n := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(n).Tag.Get("toml"), ",")
			if strings.Contains(options, "omitempty") && v.Field(n).IsZero() {
				continue
			}
			all = append(all, name+" = "+tomlValue(v.Field(n)))
		}
		return "{ " + strings.Join(all, ", ") + " }"
	}
	return `"` + visible(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.String())) + `"`
}

// visible replaces invisible characters by TOML escapes.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case attr.Shows(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
