package cli

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/cli/app"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// jsonSchema is a JSON Schema, or a part of one.
type jsonSchema map[string]any

// schemas makes schemas of types. No library of reflection can use the names of JSON and of TOML, find the pointers
// that are written as null, and read the comments of unexported types.
type schemas struct {
	t        *testing.T
	tag      string // json or toml
	open     bool   // other properties are allowed: in printed JSON, but not in the config
	defs     jsonSchema
	said     map[string]string // the comment of each setting in the example config
	comments map[string]map[string]string
}

// of returns the schema of a type. at is the path of the setting that has this type.
func (s *schemas) of(t reflect.Type, at string) jsonSchema {
	if known := s.known(t); known != nil {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), at)
	case reflect.Slice:
		return jsonSchema{"type": "array", "items": s.of(t.Elem(), at)}
	case reflect.Map:
		return jsonSchema{"type": "object", "additionalProperties": s.of(t.Elem(), at)}
	case reflect.Struct:
		name := strings.TrimPrefix(t.String(), "cli.")
		if _, begun := s.defs[name]; !begun {
			s.defs[name] = jsonSchema{} // a type may contain itself
			s.defs[name] = s.object(t, at)
		}
		return jsonSchema{"$ref": "#/$defs/" + name}
	case reflect.Bool:
		return jsonSchema{"type": "boolean"}
	case reflect.String:
		return jsonSchema{"type": "string"}
	case reflect.Int, reflect.Int64:
		return jsonSchema{"type": "integer"}
	case reflect.Float64:
		return jsonSchema{"type": "number"}
	case reflect.Interface:
		return jsonSchema{}
	}
	s.t.Fatalf("there is no schema for a %s", t)
	return nil
}

// object returns the schema of a struct.
func (s *schemas) object(t reflect.Type, at string) jsonSchema {
	properties, required := jsonSchema{}, []string{}
	s.fields(t, at, properties, &required)
	o := jsonSchema{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		o["required"] = required
	}
	if !s.open {
		o["additionalProperties"] = false
	}
	if about := s.comment(t, ""); about != "" && s.tag == "json" {
		o["description"] = about
	}
	return o
}

func (s *schemas) fields(t reflect.Type, at string, properties jsonSchema, required *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get(s.tag), ",")
		switch {
		case f.Anonymous && name == "":
			s.fields(f.Type, at, properties, required)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		here := strings.TrimPrefix(at+"."+name, ".")
		is := s.of(f.Type, here)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if s.tag == "json" && f.Type.Kind() == reflect.Pointer && !optional {
			is = jsonSchema{"anyOf": []jsonSchema{is, {"type": "null"}}}
		}
		if about := s.about(t, f.Name, here); about != "" {
			is["description"] = about
		}
		if properties[name] = is; s.required(here, optional) && !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
}

// required reports whether a property is required. In printed JSON, each property is required unless it has omitempty
// or omitzero. In the config, only a few settings are required.
func (s *schemas) required(at string, optional bool) bool {
	if s.tag == "toml" {
		return at == "connection.name" || at == "layout.name" || strings.HasPrefix(at, "serve.user.")
	}
	return !optional
}

// about returns the description of a field: for a setting, its text in the example config; for JSON output, the field's
// comment.
func (s *schemas) about(t reflect.Type, field, at string) string {
	if s.tag == "json" {
		return s.comment(t, field)
	}
	return cmp.Or(s.said[at], s.said[strings.TrimSuffix(at, path.Ext(at))]) // inner settings share their parent's comment
}

// known returns the schema of a type with its own encoding, or of an enumeration. For other types, it returns nil.
func (s *schemas) known(t reflect.Type) jsonSchema {
	text, number := jsonSchema{"type": "string"}, jsonSchema{"type": "number", "minimum": 0}
	switch t {
	case reflect.TypeFor[attr.Value]():
		s.defs["value"] = dynamoValue
		return jsonSchema{"$ref": "#/$defs/value"}
	case reflect.TypeFor[attr.Item](), reflect.TypeFor[attr.Key]():
		return jsonSchema{"type": []string{"object", "null"}, "additionalProperties": s.of(reflect.TypeFor[attr.Value](), "")}
	case reflect.TypeFor[finding.Question]():
		s.defs["question"] = jsonSchema{"anyOf": []jsonSchema{s.object(t, ""), {"const": "tables"}}}
		return jsonSchema{"$ref": "#/$defs/question"}
	case reflect.TypeFor[time.Time]():
		return jsonSchema{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return jsonSchema{}
	case reflect.TypeFor[client.Settle]():
		return jsonSchema{"anyOf": []jsonSchema{text, number}}
	case reflect.TypeFor[client.Ceiling](), reflect.TypeFor[setting.Dollars]():
		return number
	case reflect.TypeFor[setting.Parts](), reflect.TypeFor[setting.Size]():
		return jsonSchema{"type": []string{"string", "integer"}}
	case reflect.TypeFor[session.Interval](), reflect.TypeFor[access.Span]():
		return text
	case reflect.TypeFor[session.Role]():
		return oneWord(session.Viewer, session.Operator)
	case reflect.TypeFor[kit.Colour]():
		return jsonSchema{"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}
	case reflect.TypeFor[client.Colour]():
		return oneWord(append(client.Colours(), "")...)
	case reflect.TypeFor[client.Guard]():
		return oneWord("", client.GuardConfirm, client.GuardType, client.GuardDeny)
	case reflect.TypeFor[session.ThemeName]():
		return oneWord(session.Auto, session.Dark, session.Light)
	case reflect.TypeFor[setting.ConfirmName]():
		return oneWord(setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone)
	case reflect.TypeFor[setting.LookName]():
		return oneWord(setting.Strong, setting.Eventual)
	case reflect.TypeFor[finding.Kind]():
		return oneWord(finding.Kinds()...)
	case reflect.TypeFor[journal.Outcome]():
		return oneWord(journal.Applied, journal.Refused, journal.Unknown, journal.Planned, say.InOrder, say.Skipped)
	case reflect.TypeFor[journal.Event]():
		return oneWord(journal.EventSend, journal.EventAnswer, journal.EventResolved)
	case reflect.TypeFor[layout.Standing]():
		return oneWord("", layout.Supported, layout.Thin, layout.Contradicted)
	case reflect.TypeFor[verdict.Holding]():
		return text
	}
	return nil
}

// oneWord returns the schema of an enumeration.
func oneWord[T any](words ...T) jsonSchema { return jsonSchema{"enum": words} }

// dynamoValue is the schema of DynamoDB JSON, which attr.Value writes.
var dynamoValue = func() jsonSchema {
	text := jsonSchema{"type": "string"}
	texts := jsonSchema{"type": "array", "items": text}
	self := jsonSchema{"$ref": "#/$defs/value"}
	return jsonSchema{
		"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
		"description": "A value in DynamoDB JSON. Numbers are text, because JSON readers round large numbers.",
		"properties": jsonSchema{
			"S": text, "N": text, "B": text, "SS": texts, "NS": texts, "BS": texts, "BOOL": jsonSchema{"type": "boolean"}, "NULL": jsonSchema{"const": true},
			"L": jsonSchema{"type": "array", "items": self}, "M": jsonSchema{"type": "object", "additionalProperties": self},
		},
	}
}()

// comment returns the source comment of a type, or of one of its fields.
func (s *schemas) comment(t reflect.Type, field string) string {
	module := strings.TrimSuffix(reflect.TypeFor[app.App]().PkgPath(), "ui/cli/app")
	dir, ours := strings.CutPrefix(t.PkgPath(), module)
	if !ours {
		return ""
	}
	if s.comments[dir] == nil {
		s.comments[dir] = comments(s.t, filepath.Join("..", "..", dir))
	}
	return s.comments[dir][strings.TrimSuffix(t.Name()+"."+field, ".")]
}

// comments returns the comments of all types and fields in the source of a package.
func comments(t *testing.T, dir string) map[string]string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	add := func(name string, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if all[name] == "" {
				all[name] = strings.Join(strings.Fields(g.Text()), " ")
			}
		}
	}
	for _, file := range files {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range source.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				is := spec.(*ast.TypeSpec)
				add(is.Name.Name, is.Doc, types.Doc)
				fields, ok := is.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						add(is.Name.Name+"."+name.Name, f.Doc, f.Comment)
					}
				}
			}
		}
	}
	return all
}

// These match the lines of sections and settings in the example config. All of them are commented out.
var (
	sectionLine = regexp.MustCompile(`^#\[\[?([\w.]+)]]?$`)
	settingLine = regexp.MustCompile(`^#([\w-]+) = `)
)

// settings returns the comment above each setting in the example config.
func settings(example string) map[string]string {
	said := map[string]string{}
	var section, about string
	var used bool // a setting above already has the comment
	for line := range strings.Lines(example) {
		line = strings.TrimSuffix(line, "\n")
		head, setting := sectionLine.FindStringSubmatch(line), settingLine.FindStringSubmatch(line)
		switch {
		case head != nil:
			section, said[head[1]], used = head[1], about, true
		case setting != nil:
			said[strings.TrimPrefix(section+"."+setting[1], ".")], used = about, true
		case used || line == "":
			about, used = "", false
			fallthrough
		default:
			about = strings.TrimSpace(about + " " + strings.TrimSpace(strings.TrimLeft(line, "# ")))
		}
	}
	return said
}

// exampleConfig returns the text of the example config.
func exampleConfig(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "config.example.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// schemaBase returns the address of the schemas. Only the first line of the example config contains it.
func schemaBase(t *testing.T) string {
	first, _, _ := strings.Cut(exampleConfig(t), "\n")
	at, ok := strings.CutPrefix(first, "#:schema ")
	if !ok {
		t.Fatalf("the example config begins with %q, and not with its schema", first)
	}
	base, name := path.Split(at)
	if name != "config.json" {
		t.Fatalf("the schema of the config is %s", name)
	}
	return base
}
