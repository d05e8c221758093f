package script

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/testscript"
)

// described has the schemas of each command's output: whole for --output json, and line for a line of jsonl. If line is
// nil, a line is an element of the array in json.
var described = map[string]struct{ whole, line []string }{
	"find":           {whole: []string{"find"}},
	"explain":        {whole: []string{"explain"}},
	"counters":       {whole: []string{"counters"}},
	"bump":           {whole: []string{"change"}},
	"release":        {whole: []string{"change"}},
	"change":         {whole: []string{"change"}},
	"delete-account": {whole: []string{"change"}},
	"undo":           {whole: []string{"change"}},
	"apply":          {[]string{"change", "mend"}, []string{"change", "mended"}},
	"check":          {[]string{"check"}, []string{"finding"}},
	"adopt":          {[]string{"adopt"}, []string{"adopt-line", "adopt"}},
	"mend":           {[]string{"mend"}, []string{"mended"}},
	"--resolve":      {whole: []string{"journal-resolve"}},
	"--verify":       {whole: []string{"journal-verify"}},
	"journal":        {whole: []string{"journal"}},
	"--list":         {whole: []string{"layout-presets"}},
	"layout":         {whole: []string{"layout"}},
	"doctor":         {whole: []string{"doctor"}},
	"policy":         {whole: []string{"policy"}},
	"--version":      {whole: []string{"version"}},
}

// asDescribed fails if the output, the written files or the config of a command do not fit docs/schema. It also fails
// if they have names that the schema does not have.
func asDescribed(ts *testscript.TestScript, args []string, status int, stdout string) {
	if len(args) == 0 || args[0] == "__complete" { // a completion for shells
		return
	}
	if status != 2 {
		config := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "tallylock", "config.toml")
		if file, ok := after(args, "--config"); ok {
			config = ts.MkAbs(file)
		}
		text, err := os.ReadFile(config)
		var settings map[string]any
		if err == nil && toml.Unmarshal(text, &settings) == nil && !slices.Contains(args, "doctor") {
			ts.Check(Fits(settings, "config"))
		}
	}
	format, _ := after(args, "--output")
	switch to, plans := after(args, "--plan"); {
	case plans && to == "-":
		ts.Check(fitsText(stdout, "plan"))
		return
	case plans && status == 0:
		files := []string{ts.MkAbs(to)}
		if in, _ := filepath.Glob(filepath.Join(files[0], "*.json")); len(in) > 0 { // a directory
			files = in
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); !errors.Is(err, fs.ErrNotExist) { // mend writes no file without repairs
				ts.Check(fitsText(string(text), "plan"))
			}
		}
	}
	if file, ok := after(args, "--status"); ok && strings.HasSuffix(file, ".json") && status != 2 {
		if text, err := os.ReadFile(ts.MkAbs(file)); err == nil { // there is no file if the check could not begin
			ts.Check(fitsText(string(text), "status"))
		}
	}
	if stdout == "" || slices.Contains(args, "--help") || format == "" && args[0] != "policy" || format == "text" {
		return
	}
	is, ok := described[commandOf(args)]
	switch lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n"); {
	case !ok:
		ts.Fatalf("docs/schema does not describe what %q prints", args)
	case format == "jsonl" && is.line != nil:
		for _, line := range lines {
			ts.Check(fitsText(line, is.line...))
		}
	case format == "jsonl" && fitsText(lines[0], is.whole...) != nil:
		ts.Check(fitsText("["+strings.Join(lines, ",")+"]", is.whole...))
	default:
		ts.Check(fitsText(stdout, is.whole...))
	}
	if slices.Contains(args, "--verify") && args[0] != "adopt" && status == 0 {
		file, named := after(args, "--journal")
		if !named {
			file = filepath.Join(ts.Getenv("XDG_STATE_HOME"), "tallylock", "journal.jsonl")
		}
		for line := range strings.Lines(ts.ReadFile(file)) {
			ts.Check(fitsText(line, "journal-line"))
		}
	}
}

// commandOf returns the name in described for a command line.
func commandOf(args []string) string {
	for _, name := range []string{"--resolve", "--verify", "--list", "--version"} {
		if slices.Contains(args, name) && args[0] != "adopt" {
			return name
		}
	}
	for _, a := range args {
		if _, ok := described[a]; ok {
			return a
		}
	}
	return ""
}

// after returns the value of a flag.
func after(args []string, flag string) (string, bool) {
	n := slices.Index(args, flag)
	if n < 0 || n+1 == len(args) {
		return "", false
	}
	return args[n+1], true
}

func fitsText(text string, schemas ...string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	return Fits(v, schemas...)
}

// Fits returns an error if a value fits none of the schemas.
func Fits(v any, schemas ...string) error {
	known, err := compiled()
	if err != nil {
		return err
	}
	var why error
	for _, name := range schemas {
		one := known[name].Validate(v)
		if one == nil {
			return nil
		}
		why = errors.Join(why, one)
	}
	return why
}

// compiled returns the schemas by name.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	files, err := filepath.Glob(filepath.Join(source, "..", "..", "..", "docs", "schema", "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Resolved{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var parts map[string]any
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, err
		}
		strict(parts)
		if text, err = json.Marshal(parts); err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if all[name], err = s.Resolve(nil); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// source is the directory of the tests. Scripts run in other directories.
var source, _ = os.Getwd()

// moment matches a time in RFC 3339.
const moment = `^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`

// strict changes a schema, so that it refuses additional names, and texts in a wrong format.
func strict(part any) {
	switch p := part.(type) {
	case []any:
		for _, each := range p {
			strict(each)
		}
	case map[string]any:
		_, object := p["properties"].(map[string]any)
		if _, says := p["additionalProperties"]; object && !says {
			p["additionalProperties"] = false
		}
		if p["format"] == "date-time" { // the schemas have no other format
			p["pattern"] = moment
		}
		for _, each := range p {
			strict(each)
		}
	}
}
