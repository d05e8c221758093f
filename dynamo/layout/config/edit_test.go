package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
)

func people() config.Layout {
	return config.Layout{Name: "people", Tables: []string{"people"}, Accounts: []config.Account{{
		PK: "P#{id}", SK: "DATA", Is: &config.Discriminator{Attribute: "type", Value: "person"},
		Constraints: []config.Constraint{
			{Name: "mail", Attribute: "mail", PK: "TAKEN#{v}", Normalise: []string{"trim", "lower"}},
			{Name: "phone", Attribute: "phone", Unique: true},
		},
	}}, Counters: []config.Counter{{PK: "C", Attribute: "n", Semantics: "last", IDs: []config.IDs{{PK: "O#{number}"}}}}}
}

// A person who types the present text of a setting does not change the config.
func TestPartsAreTypedBack(t *testing.T) {
	c := people()
	var paths []string
	for _, part := range c.Parts() {
		paths = append(paths, part.Path+" "+part.Name)
		for _, s := range part.Settings {
			same, err := c.With(part.Path, s.Name, s.Text)
			if err != nil || !reflect.DeepEqual(same.TOML(), c.TOML()) {
				t.Errorf("%s.%s typed as %q: %v\n%s", part.Path, s.Name, s.Text, err, same.TOML())
			}
		}
	}
	want := "account[0] P#{id}, account[0].constraint[0] mail, account[0].constraint[1] phone, counter[0] n, counter[0].ids[0] O#{number}"
	if got := strings.Join(paths, ", "); got != want {
		t.Errorf("parts: %s", got)
	}
}

// differences are the lines that only one of two configs has.
func differences(a, b config.Layout) string {
	was, is := strings.Split(string(a.TOML()), "\n"), strings.Split(string(b.TOML()), "\n")
	var all []string
	for _, line := range was {
		if !slices.Contains(is, line) {
			all = append(all, "- "+line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			all = append(all, "+ "+line)
		}
	}
	return strings.Join(all, "\n")
}

// An edit changes one line in a copy of the config. The original config stays unchanged.
func TestEdits(t *testing.T) {
	c := people()
	before := string(c.TOML())
	for _, edit := range []struct{ path, setting, text, want string }{
		{"account[0].constraint[0]", "pk", "MAIL#{v}", "- pk = \"TAKEN#{v}\"\n+ pk = \"MAIL#{v}\""},
		{"account[0].constraint[0]", "normalise", " lower ,", "- normalise = [\"trim\", \"lower\"]\n+ normalise = [\"lower\"]"},
		{"account[0].constraint[0]", "normalise", "", "- normalise = [\"trim\", \"lower\"]"},
		{"account[0].constraint[1]", "unique", "", "- unique = true"},
		{"account[0]", "is", "kind=x=y", "- is = { attribute = \"type\", value = \"person\" }\n+ is = { attribute = \"kind\", value = \"x=y\" }"},
		{"counter[0].ids[0]", "text", "INV-{number}", "+ text = \"INV-{number}\""},
	} {
		is, err := c.With(edit.path, edit.setting, edit.text)
		if err != nil {
			t.Error(err)
		}
		if got := differences(c, is); got != edit.want {
			t.Errorf("%s.%s: %s", edit.path, edit.setting, got)
		}
	}
	if got := c.Without("account[0].constraint[0]"); len(got.Accounts[0].Constraints) != 1 || got.Accounts[0].Constraints[0].Name != "phone" {
		t.Errorf("without a rule: %s", got.TOML())
	}
	if got := c.Without("account[0]").Without("counter[0]"); len(got.Accounts)+len(got.Counters) != 0 {
		t.Errorf("without both: %s", got.TOML())
	}
	if after := string(c.TOML()); after != before {
		t.Errorf("the config itself is changed:\n%s", after)
	}
	for _, wrong := range []struct{ path, setting, text string }{
		{"account[1]", "pk", "x"},
		{"account[-1]", "pk", "x"},
		{"nosuch[0]", "pk", "x"},
		{"account[0]", "nosuch", "x"},
		{"account[0]", "is", "type"},
		{"account[0].constraint[0]", "unique", "perhaps"},
		{"", "copies", "x"},
	} {
		if _, err := c.With(wrong.path, wrong.setting, wrong.text); err == nil {
			t.Errorf("%v is taken", wrong)
		} else if wrong.path == "account[0]" && wrong.setting == "is" && mistake.Path(err) != "account[0].is" {
			t.Errorf("it is placed at %q", mistake.Path(err))
		}
	}
}
