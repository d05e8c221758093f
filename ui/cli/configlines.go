package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// configLines knows on which line each setting of a config file is, by its path:
// "layout[1].account.pk". The first of several has no number: one may be written
// as [layout], too.
type configLines map[string]int

// linesOf reads the lines off a config that is TOML.
func linesOf(data []byte) configLines {
	lines := configLines{}
	var p unstable.Parser
	p.Reset(unmarked(data))
	counts := map[string]int{} // of sections that are repeated, by their path
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

// section notes the head of a section, and gives its path.
func (lines configLines) section(p *unstable.Parser, e *unstable.Node, counts map[string]int) string {
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

// setting notes a setting, and those within its value.
func (lines configLines) setting(p *unstable.Parser, path string, e *unstable.Node) {
	line := 0
	for at := e.Key(); at.Next(); {
		name := at.Node()
		line = p.Shape(name.Raw).Start.Line
		path = joined(path, string(name.Data))
		lines.note(path, line)
	}
	lines.value(p, path, line, e.Value())
}

func (lines configLines) value(p *unstable.Parser, path string, line int, v *unstable.Node) {
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

func (lines configLines) note(path string, line int) {
	if _, known := lines[path]; !known && line > 0 {
		lines[path] = line
	}
}

// at is the line of a setting, or of the section that it would be in.
func (lines configLines) at(path string) int {
	path = strings.ReplaceAll(path, "[0]", "")
	for path != "" {
		if line := lines[path]; line > 0 {
			return line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1
}

// keyOn is the whole key of a setting on a line, whose decoder leaves out the names
// before a brace.
func (lines configLines) keyOn(line int, key []string) []string {
	for path, on := range lines {
		parts := strings.Split(indices.ReplaceAllString(path, ""), ".")
		if on == line && len(parts) > len(key) && parts[len(parts)-1] == key[len(key)-1] {
			return parts
		}
	}
	return key
}

// indices are what tells sections of one name apart.
var indices = regexp.MustCompile(`\[\d+\]`)

// within are the lines of the settings of a section, by name.
func (lines configLines) within(path string) map[string]int {
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
