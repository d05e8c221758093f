package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/attr"
)

// Config is the layout as a config file has it, for the tables named: what Build
// makes of it is this layout again, but that a person has described it.
func (l *Layout) Config(tables ...string) Config {
	c := Config{Name: l.Name, Tables: tables, WrittenIn: l.WrittenIn, Ignore: l.Ignore}
	for _, a := range l.Accounts {
		ac := AccountConfig{Model: a.Model, PK: a.PK.String(), SK: a.SK.String(), Is: a.Is.config(), Version: a.Version}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			cc := ConstraintConfig{
				Unique: con.Lockless(), Name: con.Name, Attribute: con.Attribute, Table: con.Table, PK: con.PK.String(),
				SK: con.SK.String(),
				Is: con.Is.config(), Owner: con.Owner, OwnerForm: con.OwnerForm.String(), Scope: con.Within, Lapses: con.Lapses,
				Index: con.Index, Moves: con.Moves, TwoSteps: con.TwoSteps,
				Shared:      con.Shared,
				ReservedFor: con.Reserved.Words(), ReservedSince: con.Reserved.Since,
			}
			for _, form := range con.Also {
				cc.Also = append(cc.Also, LockKeyConfig{form.PK.String(), form.SK.String()})
			}
			cc.answered(con)
			for _, step := range con.Normalise {
				cc.Normalise = append(cc.Normalise, string(step))
			}
			ac.Constraints = append(ac.Constraints, cc)
		}
		for _, d := range a.Derived {
			ac.Derived = append(ac.Derived, d.config())
		}
		c.Accounts = append(c.Accounts, ac)
	}
	for _, counter := range l.Counters {
		cc := CounterConfig{
			Name: counter.Name, PK: counter.PK.String(), SK: counter.SK.String(), Is: counter.Is.config(),
			Attribute: counter.Attribute, Semantics: string(counter.Semantics),
			Start: unlike(counter.Start, 0), Step: unlike(counter.Step, 1), Offset: unlike(counter.Offset, 0),
			Max: unlike(counter.Max, 0), Modulo: unlike(counter.Modulo, 0),
			Resets: counter.Resets,
		}
		for _, ids := range slices.Concat(counter.IDs, counter.uncompared) {
			cc.IDs = append(cc.IDs, ids.config())
		}
		c.Counters = append(c.Counters, cc)
	}
	return c
}

// answered writes what people have said of other items that hold the values.
func (cc *ConstraintConfig) answered(con *Constraint) {
	holders, others, nowhereElse := con.Answers.All()
	for _, h := range holders {
		cc.Holders = append(cc.Holders, HolderConfig{h.Table, h.Items, h.Attribute, h.PutsLock, h.Exact})
	}
	cc.NoHolders, cc.NowhereElse = others, nowhereElse
	if con.AlsoIn != nil {
		cc.AlsoIn = &con.AlsoIn
	}
}

// Hash tells one layout from another. Its name, derived keys, and what a person has said of single
// shapes of items, are no part of it: no lock is judged by those.
func (l *Layout) Hash() string {
	if l.Empty() {
		return ""
	}
	c := l.Config().unanswered()
	c.Name = ""
	for n := range c.Accounts {
		c.Accounts[n].Derived = nil
	}
	return c.hash()
}

// HashOf is the hash that changes of one constraint carry: it covers the constraint and its account.
// Of a change without a constraint it covers all accounts. Counters, and other constraints, may
// change meanwhile.
func (l *Layout) HashOf(constraint string) string {
	_, c := l.Constraint(constraint)
	if c == nil {
		return (&Layout{Accounts: l.Accounts}).Hash()
	}
	of := l.Only(c)
	of.Name = ""
	return of.hash()
}

func (c Config) hash() string {
	return HashSettings(struct {
		Layouts []Config `toml:"layout"`
	}{[]Config{c}})
}

// HashSettings is a hash of settings. It does not rest on how Config.TOML writes them: that may change,
// and journals keep hashes.
func HashSettings(settings any) string {
	text, err := toml.Marshal(settings)
	if err != nil {
		return "" // a Config has nothing that TOML cannot say
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// config is nil where every item is of the kind.
func (d Discriminator) config() *DiscriminatorConfig {
	if d.Attribute == "" {
		return nil
	}
	c := DiscriminatorConfig(d)
	return &c
}

// unlike writes a number where it is not the default.
func unlike(n *big.Int, common int64) string {
	if n == nil || n.Cmp(big.NewInt(common)) == 0 {
		return ""
	}
	return n.String()
}

// TOML writes the config as a [[layout]] of the config file.
func (c Config) TOML() []byte { return c.Annotated(nil) }

// Annotated is TOML with a comment behind each setting that note has one for. A section is
// named as Locate names it: "account[1].constraint[0]", and "" for the layout itself. Text
// that does not show is escaped, so that it reads back as it was.
func (c Config) Annotated(note func(section, setting string) string) []byte {
	w := &tomlWriter{note: note}
	w.section("layout", "", reflect.ValueOf(c))
	return w.Bytes()
}

type tomlWriter struct {
	bytes.Buffer
	note func(section, setting string) string
}

// section writes one table of an array, its settings first.
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

// visible escapes what does not show, as TOML has it.
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
