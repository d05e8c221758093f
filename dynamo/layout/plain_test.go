package layout_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout/config"
)

// Plain makes and reads the same keys as the templates.
func TestPlainKeysAreKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := attr.Schema{HashName: "PK", HashKind: attr.S}
		sk := rapid.SampledFrom([]string{"", "LOCK", "{pk}"}).Draw(t, "sk")
		if sk != "" {
			s.RangeName, s.RangeKind = "SK", attr.S
		}
		pk := rapid.SampledFrom([]string{"{v}", "UNIQ#{v}", "a{{b}}#{v}", "é:{v}"}).Draw(t, "pk")
		con, err := buildConstraint(config.Constraint{Attribute: "a", PK: pk, SK: sk})
		if err != nil {
			t.Fatal(err)
		}
		p, ok := con.Plain(s)
		if !ok {
			t.Fatalf("%s / %s is not plain", pk, sk)
		}
		v := rapid.OneOf(rapid.String(), rapid.StringN(1000, 1030, 2100), rapid.SampledFrom([]string{"", "\xff", "UNIQ#x", strings.Repeat("x", 2040), strings.Repeat("x", 2044)})).Draw(t, "v")
		k, err := con.LockKey(s, v, nil)
		if makes := p.Makes(v); makes != (err == nil) {
			t.Fatalf("a key of %q is made: %v; %v", v, makes, err)
		}
		if err == nil {
			want := p.Sort
			if p.Same {
				want = p.Prefix + v
			}
			if k.Hash.Value.Text != p.Prefix+v || k.Range.Value.Text != want {
				t.Fatalf("the key of %q is %v", v, k)
			}
		}
		text := func(name string) string {
			return rapid.SampledFrom([]string{k.Hash.Value.Text, k.Range.Value.Text, "UNIQ#", "UNIQ#x", "LOCK", "x"}).Draw(t, name)
		}
		k = attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(text("hash"))}}
		if sk != "" {
			k.Range = attr.Attribute{Name: "SK", Value: attr.String(text("range"))}
		}
		want, _, fits := con.ParseLock(s, k)
		if got, ok := p.Read(k.Hash.Value.Text, k.Range.Value.Text); ok != fits || (ok && got != want) {
			t.Fatalf("%v reads as %q, %v; want %q, %v", k, got, ok, want, fits)
		}
	})
}

func TestWhatIsNotPlain(t *testing.T) {
	text := attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}
	number := attr.Schema{HashName: "PK", HashKind: attr.N}
	for _, test := range []struct {
		s      attr.Schema
		pk, sk string
	}{
		{text, "UNIQ#{v}#", "LOCK"}, {text, "{tenant}#{v}", "LOCK"}, {text, "UNIQ#{v}", "{tenant}"}, {text, "UNIQ", "{v}"}, {number, "{v}", ""},
	} {
		con, err := buildConstraint(config.Constraint{Attribute: "a", PK: test.pk, SK: test.sk})
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := con.Plain(test.s); ok {
			t.Errorf("%s / %s is said to be plain: %+v", test.pk, test.sk, p)
		}
	}
}
