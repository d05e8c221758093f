package configfile

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tallylock/dynamo/layout/config"
)

func aLayout(name, table, text string) config.Layout {
	return config.Layout{Name: name, Tables: []string{table}, Accounts: []config.Account{{
		PK: "P#{id}", SK: text, Constraints: []config.Constraint{{Name: "mail", Attribute: "mail", PK: "TAKEN#{v}", Normalise: []string{"trim", "lower"}}},
	}}}
}

// FuzzAppendLayout appends a layout to a config. The new layout must read back unchanged, and the old text must keep
// its bytes and its meaning.
func FuzzAppendLayout(f *testing.F) {
	for _, old := range []string{
		"", "\n", "# only a comment", "settle = \"5s\"\r\n# dos\r\n", "layout = []\n", "[layout]\nname = 'x'\npk = 'y'\n",
		"[[layout]]\nname = 'people'\ntables = ['t']\n[[layout.account]]\npk = 'A#{id}'", "[[connection]]\nname = \"a\" # one", "[keys]\nquit = ['q']",
		"[[layout]]\nname = 'one'\ntables = ['people']\n[[layout.account]]\npk = 'A#{id}'", "journal = '''\n[[layout]]\n'''\n", "journal = '''\nopen", "\ufeffsettle = \"5s\"\n",
	} {
		f.Add([]byte(old), "people", "people", "DATA", "12 of 12 values")
	}
	f.Fuzz(func(t *testing.T, old []byte, name, table, sk, note string) {
		l := aLayout(name, table, sk)
		want, err := l.Build()
		if err != nil {
			t.Skip()
		}
		was, bad := Parse(old)
		text, err := appendLayout(old, l, func(string, string) string { return note })
		if err != nil {
			return
		}
		if bad != nil {
			t.Fatalf("something is put behind a config that is none: %v", bad)
		}
		if !bytes.HasPrefix(text, old) {
			t.Fatalf("the old text is changed:\n%q\n%q", old, text)
		}
		is, err := Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := is.Layouts[len(is.Layouts)-1].Build()
		if err != nil {
			t.Fatal(err)
		}
		if want.Name = got.Name; !strings.HasPrefix(got.Name, name) || !reflect.DeepEqual(got, want) {
			t.Fatalf("it is read as\n%+v\nand was\n%+v\n%s", got, want, text)
		}
		is.Layouts = is.Layouts[:len(is.Layouts)-1]
		if len(is.Layouts) == 0 {
			is.Layouts, was.Layouts = nil, nil
		}
		if !reflect.DeepEqual(is, was) {
			t.Fatalf("the rest is read as\n%+v\nand was\n%+v", is, was)
		}
	})
}

// If a config cannot be written, the error has the reason, and the file stays unchanged.
func TestWriteLayout(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) Source { return Source(filepath.Join(dir, name)) }
	file := filepath.Join(dir, "real.toml")
	if err := os.WriteFile(file, []byte("# mine\nsettle = \"5s\""), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.toml", filepath.Join(dir, "config.toml")); err != nil {
		t.Fatal(err)
	}
	if err := at("config.toml").AppendLayout(aLayout("people", "people", "DATA"), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "# mine\nsettle = \"5s\"\n\n[[layout]]\nname = \"people\"\n") {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "config.toml")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
	for _, wrong := range []struct{ file, table, says string }{
		{"config.toml", "people", "line 4: the layout people already describes the table people"},
		{"nosuch.toml", "people", "no such file"},
		{".", "people", "is a directory"},
		{"real.toml/config.toml", "people", "not a directory"},
	} {
		err := at(wrong.file).AppendLayout(aLayout("people", wrong.table, "DATA"), nil)
		if err == nil || !strings.Contains(err.Error(), wrong.says) || !strings.Contains(err.Error(), "copy the layout") {
			t.Errorf("%s: %v", wrong.file, err)
		}
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(after, text) {
		t.Errorf("it is changed:\n%s", after)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tallylock-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
