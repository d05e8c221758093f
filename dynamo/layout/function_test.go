package layout_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

func hexOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func keyOf(pk, sk string) attr.Key {
	return attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(pk)}, Range: attr.Attribute{Name: "SK", Value: attr.String(sk)}}
}

// Functions make the same keys as applications. A key that does not fit is not the key of a lock.
func TestFunctions(t *testing.T) {
	mail := "ada@x.io"
	hash := hexOf("User#email#" + mail)
	for _, tc := range []struct {
		pk, sk string
		key    attr.Key
		value  string
		not    []attr.Key
	}{
		{"{sha256:User#email#{v}}", "LOCK", keyOf(hash, "LOCK"), hash, []attr.Key{keyOf(hash[1:], "LOCK"), keyOf(strings.ToUpper(hash), "LOCK"), keyOf(hash+"0", "LOCK"), keyOf(mail, "LOCK")}},
		{"U#{sha256:{v}}#{tenant}", "{pk}", keyOf("U#"+hexOf(mail)+"#acme", "U#"+hexOf(mail)+"#acme"), hexOf(mail), []attr.Key{keyOf("U#"+mail+"#acme", "U#"+mail+"#acme")}},
		{"{sha256:{{{v}}", "{sha256:{{{v}}", keyOf(hexOf("{"+mail), hexOf("{"+mail)), hexOf("{" + mail), []attr.Key{keyOf(hash, hexOf(mail))}},
		{"L#s{len:v}:{v}", "#", keyOf("L#s8:"+mail, "#"), mail, []attr.Key{keyOf("L#s7:"+mail, "#"), keyOf("L#s08:"+mail, "#"), keyOf("L#s:"+mail, "#"), keyOf("L#s-8:"+mail, "#")}},
		// the keys of the library better-auth-dynamodb
		{"U#s4:user#s8:by_email#s{len:string:{v}}:string:{v}", "#", keyOf("U#s4:user#s8:by_email#s15:string:"+mail, "#"), mail, []attr.Key{keyOf("U#s4:user#s8:by_email#s8:string:"+mail, "#")}},
		{"{len:v}#{v}#T#{tenant}", "{len:pk}/{pk}", keyOf("8#"+mail+"#T#acme", "17/8#"+mail+"#T#acme"), mail, []attr.Key{keyOf("8#"+mail+"#T#acme", "16/8#"+mail+"#T#acme")}},
	} {
		c := constraint(t, config.Constraint{PK: tc.pk, SK: tc.sk, Normalise: []string{"lower"}})
		v := c.Normalised("ADA@x.io")
		k, err := c.LockKey(text, v, map[string]string{"tenant": "acme"})
		if err != nil || v != tc.value || !k.Equal(tc.key) {
			t.Errorf("%s of %q is %v, %v; want %v", tc.pk, v, k, err, tc.key)
		}
		if back, _, ok := c.ParseLock(text, tc.key); !ok || back != tc.value {
			t.Errorf("%v reads back as %q, %v; want %q", tc.key, back, ok, tc.value)
		}
		for _, k := range tc.not {
			if back, _, ok := c.ParseLock(text, k); ok {
				t.Errorf("%s fits %v, with %q", tc.pk, k, back)
			}
		}
		if _, plain := c.Plain(text); plain {
			t.Errorf("%s is said to be plain", tc.pk)
		}
		if _, shows := c.Text(v); shows != (v == mail) {
			t.Errorf("%s: the value shows: %v", tc.pk, shows)
		}
	}
}

// An impossible function in a template is an error that names the mistake.
func TestFunctionsThatCannotWork(t *testing.T) {
	lock := func(pk, sk string) config.Layout {
		return config.Layout{Name: "mine", Accounts: []config.Account{{PK: "A#{id}", Constraints: []config.Constraint{{Attribute: "email", PK: pk, SK: sk}}}}}
	}
	for _, tc := range []struct {
		cfg  config.Layout
		want string
	}{
		{lock("{md5:{v}}", ""), `unknown function "md5"`},
		{lock("{lower:v}", ""), "the functions are {len:v} and {sha256:TEXT}"},
		{lock("{sha256:{v}", ""), "is not closed"},
		{lock("{sha256:User}", ""), "and nowhere else"},
		{lock("{sha256:}", ""), "and nowhere else"},
		{lock("{sha256:{tenant}#{v}}", ""), "}, but may only have"},
		{lock("{sha256:{v}}#{v}", ""), "and nowhere else"},
		{lock("{sha256:a{v}}#{sha256:b{v}}", ""), "two digests"},
		{lock("{sha256:a{v}}", "{sha256:b{v}}"), "two digests"},
		{lock("{sha256:{v}}", "{v}"), "and its digest, but only one of them is allowed"},
		{lock("{sha256:{len:v}#{v}}", ""), "another function"},
		{lock("{sha256:a{v}b{w}{x}}", ""), "two variables touch"},
		{lock("{len:w}#{v}", ""), "} itself is missing"},
		{lock("{len:v}#{sha256:{v}}", ""), "} itself is missing"},
		{lock("{len:v}{v}", ""), "two variables touch"},
		{lock("{len:}#{v}", ""), "brace"},
		{config.Layout{Name: "mine", Accounts: []config.Account{{PK: "A#{sha256:{v}}"}}}, "only keys of locks"},
		{config.Layout{Name: "mine", Counters: []config.Counter{{PK: "A#{sha256:{v}}", Attribute: "n"}}}, "only keys of locks"},
		{config.Layout{Name: "mine", Counters: []config.Counter{{PK: "A", Attribute: "n", IDs: []config.IDs{{Attribute: "x", Text: "{sha256:{v}}"}}}}}, "only keys of locks"},
	} {
		if _, err := tc.cfg.Build(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v; want a word on %q", tc.cfg, err, tc.want)
		}
	}
}

// An account's key may contain the length of its id.
func TestAccountsWithLengths(t *testing.T) {
	a, err := buildAccount(config.Account{PK: "E#s4:user#s{len:id}:{id}", SK: "#"})
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := a.Matches(text, keyOf("E#s4:user#s3:a:b", "#").Item()); !ok || id != "a:b" {
		t.Errorf("the id is %q, %v", id, ok)
	}
	if id, ok := a.Matches(text, keyOf("E#s4:user#s2:a:b", "#").Item()); ok {
		t.Errorf("a wrong length has the id %q", id)
	}
	if keys := a.Keys(text, "a:b", nil); len(keys) != 1 || keys[0].Hash.Value.Text != "E#s4:user#s3:a:b" {
		t.Errorf("keys of a:b: %v", keys)
	}
}

// drawn is a random template. The function render is a second implementation of it.
type drawn struct {
	text   string
	render func(v, tenant string) string
	v      bool
}

func drawTemplate(t *rapid.T, name string, digest string) drawn {
	d := drawn{render: func(string, string) string { return "" }}
	add := func(text string, of func(v, tenant string) string) {
		before := d.render
		d.text += text
		d.render = func(v, tenant string) string { return before(v, tenant) + of(v, tenant) }
	}
	literal := func() {
		l := rapid.SampledFrom([]string{"#", ":", "UNIQ#", "a", "s", "0", "{{", "}}", "é/"}).Draw(t, name+" literal")
		add(l, func(string, string) string { return strings.NewReplacer("{{", "{", "}}", "}").Replace(l) })
	}
	literal()
	for range rapid.IntRange(0, 3).Draw(t, name+" places") {
		switch rapid.SampledFrom([]string{"v", "v", "tenant", "len"}).Draw(t, name+" place") {
		case "v":
			d.v = true
			if digest != "" {
				add("{sha256:"+digest+"}", func(v, _ string) string { return hexOf(strings.ReplaceAll(digest, "{v}", v)) })
			} else {
				add("{v}", func(v, _ string) string { return v })
			}
		case "tenant":
			add("{tenant}", func(_, tenant string) string { return tenant })
		case "len":
			add("{len:x{tenant}}:{tenant}", func(_, tenant string) string { return fmt.Sprint(len(tenant)+1, ":", tenant) })
		}
		literal()
	}
	return d
}

// A template makes the expected key, and reads the same value and scope back from the key. If that is impossible, it
// makes no key.
func TestTemplatesReadBack(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		digest := rapid.SampledFrom([]string{"", "", "{v}", "User#{v}", "{v}/{v}x"}).Draw(t, "digest")
		pk, sk := drawTemplate(t, "pk", digest), drawTemplate(t, "sk", digest)
		if !pk.v && !sk.v {
			return
		}
		c, err := buildConstraint(config.Constraint{Attribute: "email", PK: pk.text, SK: sk.text})
		if err != nil {
			t.Fatalf("%s / %s: %v", pk.text, sk.text, err)
		}
		word := rapid.StringMatching(`[as0#:é{}]{1,6}`)
		v, tenant := word.Draw(t, "v"), word.Draw(t, "tenant")
		value := c.Normalised(v)
		k, err := c.LockKey(text, value, map[string]string{"tenant": tenant})
		if err != nil {
			if !errors.Is(err, layout.ErrValue) {
				t.Fatal(err)
			}
			return
		}
		made++
		if !k.Equal(keyOf(pk.render(v, tenant), sk.render(v, tenant))) {
			t.Fatalf("%s / %s of %q and %q is %v", pk.text, sk.text, v, tenant, k)
		}
		back, vars, ok := c.ParseLock(text, k)
		if !ok || back != value || (c.Scoped() && vars["tenant"] != tenant) {
			t.Fatalf("%v reads back as %q of %v, %v; want %q of %q", k, back, vars, ok, value, tenant)
		}
	})
	if made == 0 {
		t.Error("no key was made")
	}
}

// An invalid template is an error, never a panic. The keys of a valid template read back.
func FuzzParseTemplate(f *testing.F) {
	for _, text := range []string{"UNIQ#{v}", "{{}}{v}", "{sha256:User#{v}}", "s{len:v}:{v}", "{len:a{v}}#{v}", "{sha256:{{{v}}}}", "{", "{a:", "{sha256:{v", "A#{v}#T#{tenant}"} {
		f.Add(text, "ada", "x")
	}
	f.Fuzz(func(t *testing.T, template, v, other string) {
		parsed, err := layout.ParseTemplate(template)
		if err != nil {
			if !strings.Contains(err.Error(), "bad key template") {
				t.Fatalf("%q: %v is no bad template", template, err)
			}
			return
		}
		c := &layout.Constraint{Attribute: "a", LockKeys: layout.LockKeys{PK: parsed}}
		vars := map[string]string{}
		for _, name := range parsed.Variables() {
			vars[name] = other
		}
		if len(parsed.Variables()) > 3 || !parsed.Uses(layout.ValueVariable) { // more variables may take long to match
			return
		}
		v = c.Normalised(v)
		k, err := c.LockKey(attr.Schema{HashName: "PK", HashKind: attr.S}, v, vars)
		if err != nil {
			return
		}
		if back, _, ok := c.ParseLock(attr.Schema{HashName: "PK", HashKind: attr.S}, k); !ok || back != v {
			t.Fatalf("%q of %q: %v reads back as %q, %v", template, v, k, back, ok)
		}
	})
}
