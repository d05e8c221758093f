package cli

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	coreadopt "tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/cli/adopt"
	"tallylock/ui/cli/check"
	"tallylock/ui/cli/configfile"
	clijournal "tallylock/ui/cli/journal"
	clilayout "tallylock/ui/cli/layout"
	"tallylock/ui/cli/write"
	"tallylock/ui/record"
)

var update = flag.Bool("update", false, "write docs/schema again")

// journalLine is a line of the journal's file.
type journalLine struct {
	// Chain is a hash of the line and of the line before it.
	Chain string `json:"chain,omitempty"`
	journal.Entry
	// Plan is the planned change.
	Plan *plan.Plan `json:"plan,omitempty"`
}

// documents lists the schemas: the file in docs/schema, its title, and the types. Each type is one
// form of the document.
var documents = []struct {
	name, title string
	forms       []reflect.Type
}{
	{"find", "tallylock find --output json; each element is a line of jsonl", forms[[]record.Answer]()},
	{"explain", "tallylock explain --output json; each element is a line of jsonl", forms[[]record.Event]()},
	{"counters", "tallylock counters --output json; each element is a line of jsonl", forms[[]record.Counter]()},
	{
		"change", "bump, release, change, delete-account, undo and apply with --output json; for several releases, each element is a line of jsonl",
		slices.Concat(forms[write.Result](), forms[write.Planned](), forms[write.UndoneBackfill]()),
	},
	{"check", "tallylock check --output json", forms[check.Result]()},
	{"status", "A file that tallylock check --status wrote, if its name ends in .json", forms[record.Status]()},
	{"finding", "A line of tallylock check --output jsonl: a finding, or the summary at the end", append(forms[finding.Finding](), forms[check.End]()...)},
	{
		"adopt", "tallylock adopt --output json: a survey, the transactions of writers, their verification, a backfill, the state of the adoption, a verification, or a refused phase",
		slices.Concat(forms[adopt.Survey](), forms[adopt.Standing](), forms[adopt.VerificationAll](), forms[adopt.Refused](),
			forms[adopt.BackfillRun](), forms[adopt.PlannedBackfill](), forms[adopt.AbandonedAdoption](), forms[adopt.WritersPage](), forms[adopt.WritersJudged](), forms[adopt.TimesUnchosen]()),
	},
	{
		"adopt-line", "A line of tallylock adopt --survey, --backfill or --verify with --output jsonl: a problem or a finding, or the result at the end",
		slices.Concat(forms[coreadopt.Problem](), forms[finding.Finding](), forms[adopt.SurveyEnd](), forms[adopt.Verification](),
			forms[change.BackfillFinding](), forms[adopt.BackfillEnd]()),
	},
	{"mend", "tallylock mend --output json, and apply for a plan with findings", forms[write.MendedAll]()},
	{"mended", "A line of tallylock mend --output jsonl: the outcome of a finding, or the summary at the end", append(forms[write.Mended](), forms[write.MendEnd]()...)},
	{"plan", "A file that --plan wrote", forms[change.PlanFile]()},
	{"journal", "tallylock journal --output json; each element is a line of jsonl", forms[[]clijournal.Receipt]()},
	{"journal-resolve", "tallylock journal --resolve --output json; each element is a line of jsonl", forms[[]clijournal.Resolved]()},
	{"journal-verify", "tallylock journal --verify --output json", forms[clijournal.Chain]()},
	{"journal-line", "A line of the journal's file", forms[journalLine]()},
	{"layout-presets", "tallylock layout --list --output json; each element is a line of jsonl", forms[[]clilayout.Preset]()},
	{"doctor", "tallylock doctor --output json; each element is a line of jsonl", forms[[]examined]()},
	{"policy", "tallylock policy", forms[client.Policy]()},
	{"version", "tallylock --version --output json", forms[versionJSON]()},
}

func forms[T any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[T]()} }

// TestSchemas compares docs/schema with the types. With -update it writes docs/schema.
func TestSchemas(t *testing.T) {
	written := map[string]jsonSchema{"config": configSchema(t), "layout": layoutSchema(t)}
	for _, d := range documents {
		written[d.name] = documentSchema(t, d.forms)
		written[d.name]["title"] = d.title
	}
	dir, base := filepath.Join("..", "..", "docs", "schema"), schemaBase(t)
	for name, s := range written {
		s["$schema"], s["$id"] = "https://json-schema.org/draft/2020-12/schema", base+name+".json"
		want, err := attr.Line(s, "  ")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".json")
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if is, err := os.ReadFile(file); err != nil || string(is) != string(want) {
			t.Errorf("docs/schema/%s.json does not match the types (%v); run: make schemas", name, err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "schema.go" { // this file embeds the schemas
			continue
		}
		if written[strings.TrimSuffix(f.Name(), ".json")] == nil {
			t.Errorf("docs/schema/%s belongs to no printed type", f.Name())
		}
	}
}

func newSchemas(t *testing.T, tag string) *schemas {
	return &schemas{t: t, tag: tag, open: tag == "json", defs: jsonSchema{}, comments: map[string]map[string]string{}}
}

func documentSchema(t *testing.T, forms []reflect.Type) jsonSchema {
	s := newSchemas(t, "json")
	var all []jsonSchema
	for _, form := range forms {
		all = append(all, s.of(form, ""))
	}
	if len(all) == 1 {
		all[0]["$defs"] = s.defs
		return all[0]
	}
	one := jsonSchema{"anyOf": all, "$defs": s.defs}
	if forms[0] == reflect.TypeFor[write.Result]() { // several releases are an array
		one["anyOf"] = append(all, jsonSchema{"type": "array", "items": jsonSchema{"anyOf": all}})
	}
	return one
}

func configSchema(t *testing.T) jsonSchema {
	s := newSchemas(t, "toml")
	s.said = settings(exampleConfig(t))
	c := s.object(reflect.TypeFor[configfile.File](), "")
	keys := jsonSchema{}
	for setting, about := range s.said {
		if action, ok := strings.CutPrefix(setting, "keys."); ok {
			keys[action] = s.of(reflect.TypeFor[[]string](), "")
			keys[action].(jsonSchema)["description"] = about
		}
	}
	c["properties"].(jsonSchema)["keys"] = jsonSchema{"type": "object", "description": s.said["keys"], "additionalProperties": false, "properties": keys}
	c["title"], c["$defs"] = "The config file of tallylock", s.defs
	return c
}

// layoutSchema returns the schema of a layout in JSON. It has the settings of the config, and more properties.
func layoutSchema(t *testing.T) jsonSchema {
	tomlSchema, more := newSchemas(t, "toml"), newSchemas(t, "json")
	tomlSchema.said, tomlSchema.open = settings(exampleConfig(t)), true
	known := tomlSchema.object(reflect.TypeFor[config.Layout](), "layout")
	beside := more.object(reflect.TypeFor[clilayout.Beside](), "")
	maps.Copy(known["properties"].(jsonSchema), beside["properties"].(jsonSchema))
	known["required"] = append(known["required"].([]string), beside["required"].([]string)...)
	unknown := more.of(reflect.TypeFor[clilayout.Unknown](), "")
	maps.Copy(more.defs, tomlSchema.defs)
	for _, name := range []string{"config.Constraint", "config.Counter"} {
		def, ok := more.defs[name].(jsonSchema)
		if !ok {
			t.Fatalf("no schema of %s: %v", name, slices.Sorted(maps.Keys(more.defs)))
		}
		accepted := def["properties"].(jsonSchema)
		accepted["state"] = more.of(reflect.TypeFor[layout.State](), "who answers for it")
		accepted["hash"] = jsonSchema{"type": "string", "description": "the HASH for layout --accept"}
	}
	return jsonSchema{"title": "tallylock layout --output json: a table's layout, or the forms of keys if no layout was recognised", "anyOf": []jsonSchema{known, unknown}, "$defs": more.defs}
}

// TestSettingsAreDescribed tests that each setting in the schema of the config has a description.
func TestSettingsAreDescribed(t *testing.T) {
	var look func(at string, s map[string]any)
	text, err := json.Marshal(configSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	look = func(at string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name, is := range properties {
			if about, _ := is.(map[string]any)["description"].(string); about == "" {
				t.Errorf("%s%s has no description", at, name)
			}
		}
		defs, _ := s["$defs"].(map[string]any)
		for name, is := range defs {
			look(name+": ", is.(map[string]any))
		}
	}
	look("", all)
}
