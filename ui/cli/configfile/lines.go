package configfile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tallylock/dynamo/mistake"
)

// lines has the line of each setting in a config file, by its path: "layout[1].account.pk".
// The first section of a list has no index, since it may also be written as [layout].
type lines map[string]int

// linesOf finds the lines of the settings in valid TOML.
func linesOf(data []byte) lines {
	lines := lines{}
	var p unstable.Parser
	p.Reset(unmarked(data))
	counts := map[string]int{} // counts sections of a list, by path
	section := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = lines.section(&p, e, counts)
		case unstable.KeyValue:
			lines.setting(&p, section, e)
		}
	}
	return lines
}

// section records the line of a section's heading, and returns the section's path.
func (lines lines) section(p *unstable.Parser, e *unstable.Node, counts map[string]int) string {
	path, line := "", 0
	for at := e.Key(); at.Next(); {
		name := at.Node()
		line = p.Shape(name.Raw).Start.Line
		path = joined(path, string(name.Data))
		if e.Kind == unstable.ArrayTable && at.IsLast() {
			counts[path]++
		}
		path = numbered(path, counts[path]-1)
	}
	lines.note(path, line)
	return path
}

// setting records the line of a setting, and of the settings inside its value.
func (lines lines) setting(p *unstable.Parser, path string, e *unstable.Node) {
	line := 0
	for at := e.Key(); at.Next(); {
		name := at.Node()
		line = p.Shape(name.Raw).Start.Line
		path = joined(path, string(name.Data))
		lines.note(path, line)
	}
	lines.value(p, path, line, e.Value())
}

func (lines lines) value(p *unstable.Parser, path string, line int, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for in := v.Children(); in.Next(); {
			lines.setting(p, path, in.Node())
		}
	case unstable.Array:
		n := 0
		for in := v.Children(); in.Next(); n++ {
			one := in.Node()
			if one.Raw.Length > 0 {
				line = p.Shape(one.Raw).Start.Line
			}
			lines.note(numbered(path, n), line)
			lines.value(p, numbered(path, n), line, one)
		}
	}
}

func (lines lines) note(path string, line int) {
	if _, known := lines[path]; !known && line > 0 {
		lines[path] = line
	}
}

// at returns the line of a setting. If the setting is missing, it returns the line of its section.
func (lines lines) at(path string) int {
	path = strings.ReplaceAll(path, "[0]", "")
	for path != "" {
		if line := lines[path]; line > 0 {
			return line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1
}

// keyOn returns the whole key of a setting on a line. The decoder omits the names before a brace.
func (lines lines) keyOn(line int, key []string) []string {
	for path, on := range lines {
		parts := strings.Split(indices.ReplaceAllString(path, ""), ".")
		if on == line && len(parts) > len(key) && parts[len(parts)-1] == key[len(key)-1] {
			return parts
		}
	}
	return key
}

// indices matches the index of a section in a list.
var indices = regexp.MustCompile(`\[\d+\]`)

// within returns the lines of a section's settings, by name.
func (lines lines) within(path string) map[string]int {
	path = strings.ReplaceAll(path, "[0]", "")
	own := map[string]int{}
	for setting, line := range lines {
		if name, in := strings.CutPrefix(setting, path+"."); in && !strings.ContainsAny(name, ".[") {
			own[name] = line
		}
	}
	return own
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func numbered(path string, n int) string {
	if n <= 0 {
		return path
	}
	return fmt.Sprintf("%s[%d]", path, n)
}

// placed returns an error of the decoder in plain words, with its line.
func placed(data []byte, err error) (line int, why string) {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		line, _ = strict.Errors[0].Position()
		return line, unknownSetting(linesOf(data).keyOn(line, strict.Errors[0].Key()))
	}
	e, ok := errors.AsType[*toml.DecodeError](err)
	if !ok { // the config has a number in place of a text, and the decoder does not return the line
		return firstLine(data, err), err.Error()
	}
	line, _ = e.Position()
	why = strings.TrimPrefix(e.Error(), "toml: ")
	// The decoder names the Go type of the setting. People need the TOML type.
	if what, _, found := strings.Cut(why, " into "); found && strings.HasPrefix(what, "cannot decode TOML ") {
		why = "this is a TOML " + strings.TrimPrefix(what, "cannot decode TOML ") + ", but it must be " + wanted(settingType(e.Key()))
	} else if unquoted := unquotedOn(data, line); unquoted != "" {
		why = unquoted
	} else if strings.HasPrefix(why, "cannot store an array table") {
		why = fmt.Sprintf("a config has only one such section: write [%s], not [[%[1]s]]", strings.Join(e.Key(), "."))
	}
	if key := strings.Join(e.Key(), "."); key != "" {
		why = key + ": " + why
	}
	return line, why
}

// bareText matches a setting whose text has no quotes.
var bareText = regexp.MustCompile(`^\s*([\w.-]+)\s*=\s*([^\s"'=\[{#][^"'#]*?)\s*(?:#.*)?$`)

// unquotedOn explains that the text on a line needs quotes. It returns "" for other mistakes.
func unquotedOn(data []byte, line int) string {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	found := bareText.FindStringSubmatch(lines[line-1])
	if found == nil || !strings.ContainsFunc(found[2], unicode.IsLetter) ||
		toml.Unmarshal([]byte(lines[line-1]), &map[string]any{}) == nil {
		return ""
	}
	switch strings.ToLower(found[2]) {
	case "true", "yes", "on":
		return "write " + found[1] + " = true"
	case "false", "no", "off":
		return "write " + found[1] + " = false"
	}
	return fmt.Sprintf("text needs quotes: write %s = %q", found[1], found[2])
}

// firstLine returns the first line that causes this error: without that line, the decoder returns another error or
// none.
func firstLine(data []byte, err error) int {
	line := 1
	for end := range data {
		if data[end] != '\n' {
			continue
		}
		if _, early := decodeConfig(data[:end]); early != nil && early.Error() == err.Error() {
			return line
		}
		line++
	}
	return line
}

// unknownSetting says that a setting does not exist, and suggests another one or the right section.
func unknownSetting(key []string) string {
	name := key[len(key)-1]
	why := fmt.Sprintf("there is no setting %q", strings.Join(key, "."))
	in := settingType(key[:len(key)-1])
	for in == nil && len(key) > 1 { // the section is unknown, too
		key = key[:len(key)-1]
		name, in = key[len(key)-1], settingType(key[:len(key)-1])
	}
	if sections := sectionsWith(reflect.TypeFor[File](), "", name); len(sections) > 0 {
		return why + ": move it under " + strings.Join(sections, " or ")
	}
	if meant := mistake.Meant(name, settingsOf(in)...); meant != "" {
		return why + meant
	}
	return why + "; the settings here are " + strings.Join(settingsOf(in), ", ")
}

// fieldsOf calls visit for each setting of a section, with its type.
func fieldsOf(section reflect.Type, visit func(name string, t reflect.Type)) {
	if section = bare(section); section == nil || section.Kind() != reflect.Struct {
		return
	}
	for field := range section.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		switch {
		case field.Anonymous && name == "":
			fieldsOf(field.Type, visit)
		case name != "":
			visit(name, field.Type)
		}
	}
}

// bare returns the element type of pointers and of lists of sections.
func bare(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Pointer || (t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct)) {
		t = t.Elem()
	}
	return t
}

func settingsOf(section reflect.Type) []string {
	var names []string
	fieldsOf(section, func(name string, _ reflect.Type) { names = append(names, name) })
	return names
}

// settingType returns the type of a setting. It returns nil if there is no such setting.
func settingType(key []string) reflect.Type {
	t := reflect.TypeFor[File]()
	for _, part := range key {
		var next reflect.Type
		if in := bare(t); in.Kind() == reflect.Map {
			next = in.Elem()
		}
		fieldsOf(t, func(name string, is reflect.Type) {
			if name == part {
				next = is
			}
		})
		if t = next; t == nil {
			return nil
		}
	}
	return t
}

// sectionsWith returns the headings of the sections that have a setting with this name.
func sectionsWith(section reflect.Type, path, name string) []string {
	var heads []string
	fieldsOf(section, func(own string, t reflect.Type) {
		if bare(t).Kind() != reflect.Struct || len(settingsOf(t)) == 0 {
			return
		}
		inner, head := joined(path, own), ""
		switch {
		case t.Kind() == reflect.Slice:
			head = "[[" + inner + "]]"
		case t.Kind() == reflect.Struct:
			head = "[" + inner + "]"
		default:
			return // an inline table has no heading
		}
		if slices.Contains(settingsOf(t), name) {
			heads = append(heads, head)
		}
		heads = append(heads, sectionsWith(t, inner, name)...)
	})
	return heads
}

// wanted describes the values that a setting of a type may have.
func wanted(t reflect.Type) string {
	if t == nil {
		return "of another kind"
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return "a section with two brackets, [[…]]"
	}
	switch t = bare(t); t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text in quotes"
	case reflect.Slice:
		return "a list of texts"
	case reflect.Map:
		return "a table, such as { accounts = … }"
	case reflect.Struct:
		if settings := settingsOf(t); len(settings) > 0 {
			return "{ " + strings.Join(settings, " = …, ") + " = … }"
		}
		return "a text in quotes"
	}
	return "of another kind"
}
