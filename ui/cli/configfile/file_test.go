package configfile

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/session"
)

// example returns the text of config.example.toml, and the text with each commented-out setting in force.
func example(t *testing.T) (plain, said string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "config.example.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), regexp.MustCompile(`(?m)^#([^ :\n])`).ReplaceAllString(string(data), "$1")
}

func TestExampleSaysNothingByItself(t *testing.T) {
	plain, _ := example(t)
	c, err := Parse([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, File{}) {
		t.Errorf("the example sets %+v", c)
	}
}

// The example shows the default value of each setting.
func TestExampleShowsTheDefaults(t *testing.T) {
	_, said := example(t)
	c, err := Parse([]byte(said))
	if err != nil {
		t.Fatal(err)
	}
	if c.DefaultConnection != "" || c.Journal != "" {
		t.Errorf("default_connection = %q, journal = %q", c.DefaultConnection, c.Journal)
	}
	for _, s := range []client.Settings{c.Settings, c.Connections[0].Settings} {
		if *s.Guard != client.GuardConfirm || *s.Write || *s.RequireReason || s.Settle.Duration != client.DefaultSettle || s.AutoReadUnits.Units != client.DefaultAutoReadUnits || s.SessionReadUnits.Units != client.DefaultSessionReadUnits {
			t.Errorf("write = %v, settle = %v, auto_read_units = %v, session_read_units = %v", *s.Write, s.Settle, s.AutoReadUnits, s.SessionReadUnits)
		}
	}
	conn := c.Connections[0]
	conn.Settings, conn.Name = client.Settings{}, ""
	if !reflect.DeepEqual(conn, client.Config{}) {
		t.Errorf("the connection says %+v", conn)
	}
	if got, want := c.Check.Options(), (setting.Config{}).Options(); !reflect.DeepEqual(got, want) {
		t.Errorf("[check] says %+v, want %+v", got, want)
	}
	if got, want := c.UI.Options(), (session.Options{Theme: session.Auto, Refresh: session.DefaultRefresh}); !reflect.DeepEqual(got, want) {
		t.Errorf("[ui] says %+v, want %+v", got, want)
	}
	for _, info := range keymap.Actions() {
		if got := c.Keys[string(info.Action)]; !slices.Equal(got, info.Keys) {
			t.Errorf("%s = %q, want %q", info.Action, got, info.Keys)
		}
	}
	if len(c.Keys) != len(keymap.Actions()) {
		t.Errorf("[keys] has %d actions, want %d", len(c.Keys), len(keymap.Actions()))
	}
}

// The example has each setting of each section.
func TestExampleHasEverySetting(t *testing.T) {
	_, said := example(t)
	var doc map[string]any
	if err := toml.Unmarshal([]byte(said), &doc); err != nil {
		t.Fatal(err)
	}
	has(t, doc, reflect.TypeFor[File](), "")
}

func has(t *testing.T, doc map[string]any, typ reflect.Type, path string) {
	t.Helper()
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if field.Anonymous && name == "" {
			has(t, doc, field.Type, path)
			continue
		}
		if name == "" {
			continue
		}
		value, ok := doc[name]
		if !ok {
			t.Errorf("%s is missing", path+name)
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if list, ok := value.([]any); ok && inner.Kind() == reflect.Slice && len(list) > 0 {
			value, inner = list[0], inner.Elem()
		}
		if table, ok := value.(map[string]any); ok && inner.Kind() == reflect.Struct {
			has(t, table, inner, path+name+".")
		}
	}
}

// The example has a comment above each setting, or above its group.
func TestExampleExplains(t *testing.T) {
	plain, _ := example(t)
	lines := strings.Split(plain, "\n")
	explained := false
	for n, line := range lines {
		switch {
		case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "#:schema "):
			explained = true
		case line == "":
			explained = false
		case !explained:
			t.Errorf("line %d is not explained: %s", n+1, line)
		}
	}
}

// LayoutReader reads the layouts again after each change of the config.
func TestTheConfigIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	read := Source(path).LayoutReader()
	const one = "[[layout]]\nname = \"one\"\n[[layout.counter]]\npk = \"C\"\nattribute = \"n\"\nsemantics = \"last\"\n"
	for _, of := range []struct{ text, name, fails string }{
		{text: one, name: "one"},
		{text: "# a comment\n" + one, name: "one"},
		{text: strings.Replace(one, `"one"`, `"two"`, 1), name: "two"},
		{text: one + "[[layout", fails: "line 7"},
		{text: one, name: "one"},
		{fails: "no such file"},
	} {
		err := os.Remove(path)
		if of.text != "" {
			err = os.WriteFile(path, []byte(of.text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		all, err := read()
		switch {
		case of.fails != "":
			if err == nil || !strings.Contains(err.Error(), of.fails) {
				t.Errorf("%q: %v; want %q", of.text, err, of.fails)
			}
		case err != nil || len(all) != 1 || all[0].Name != of.name:
			t.Errorf("%q: %v, %v", of.text, all, err)
		}
	}
}
