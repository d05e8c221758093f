package layout_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// The encodings give the same results as Node.js.
func TestEncodings(t *testing.T) {
	for _, tc := range []struct {
		steps   []layout.Normaliser
		in, out string
	}{
		{[]layout.Normaliser{layout.Upper}, "straße", "STRASSE"},
		{[]layout.Normaliser{layout.NFC}, "e\u0301ﬁ", "éﬁ"},
		{[]layout.Normaliser{layout.Base64}, "ada?>~", "YWRhPz5+"},
		{[]layout.Normaliser{layout.Base64}, "a", "YQ=="},
		{[]layout.Normaliser{layout.Base64URL}, "ada?>~", "YWRhPz5-"},
		{[]layout.Normaliser{layout.Base64URL}, "a", "YQ"},
		{[]layout.Normaliser{layout.Percent}, "joan+clarke@x.test/é~*'()!", "joan%2Bclarke%40x.test%2F%C3%A9~*'()!"},
		{[]layout.Normaliser{layout.Trim, layout.Lower, layout.NFC, layout.Percent}, " ADA@x.io ", "ada%40x.io"},
		{[]layout.Normaliser{layout.Percent, layout.Lower}, "é", "%c3%a9"},
		{[]layout.Normaliser{layout.DynamoFlow}, `Ada#B\#c`, `ada\#b\\#c`},
		{[]layout.Normaliser{layout.DynamoFlow}, strings.Repeat("x", 99) + "##", strings.Repeat("x", 99) + `\`},
		{[]layout.Normaliser{layout.DynamoFlow}, strings.Repeat("é", 101), strings.Repeat("é", 100)},
		{[]layout.Normaliser{layout.DynamoFlow}, strings.Repeat("😀", 51), strings.Repeat("😀", 50)}, // two UTF-16 units each
		{[]layout.Normaliser{layout.Lower, layout.SHA256, layout.Upper}, "A", "CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB"},
	} {
		if got := layout.Normalise(tc.steps, tc.in); got != tc.out {
			t.Errorf("%v of %q is %q; want %q", tc.steps, tc.in, got, tc.out)
		}
	}
}

// Text decodes a lock's value to the text before encoding. If that is impossible, Text reports false.
func TestValuesAreReadBack(t *testing.T) {
	for _, tc := range []struct {
		steps []layout.Normaliser
		value string
		text  string
		ok    bool
	}{
		{nil, "Ada", "Ada", true},
		{[]layout.Normaliser{layout.Lower, layout.Base64}, "YWRh", "ada", true},
		{[]layout.Normaliser{layout.Base64}, "ada", "ada", false}, // not in base64
		{[]layout.Normaliser{layout.Base64}, "YQ=\n=", "YQ=\n=", false},
		{[]layout.Normaliser{layout.Base64}, "//4=", "//4=", false}, // valid base64, but not UTF-8
		{[]layout.Normaliser{layout.Base64, layout.Lower}, "ywrh", "ywrh", false},
		{[]layout.Normaliser{layout.Percent}, "a%40x", "a@x", true},
		{[]layout.Normaliser{layout.Percent, layout.Lower}, "%c3%a9", "é", true},
		{[]layout.Normaliser{layout.Percent}, "50%", "50%", false},
		{[]layout.Normaliser{layout.SHA256, layout.Base64}, "YWRh", "ada", false},
		{[]layout.Normaliser{layout.Base64URL, layout.Percent}, "YQ", "a", true},
		{[]layout.Normaliser{layout.DynamoFlow}, `a\#b\\#`, `a#b\#`, true},
		{[]layout.Normaliser{layout.DynamoFlow}, "a#b", "a#b", false},
		{[]layout.Normaliser{layout.DynamoFlow}, strings.Repeat("é", 99), strings.Repeat("é", 99), true},
		{[]layout.Normaliser{layout.DynamoFlow}, strings.Repeat("é", 100), strings.Repeat("é", 100), false}, // perhaps truncated
		{[]layout.Normaliser{layout.Base64, layout.DynamoFlow}, "ywrh", "ywrh", false},
	} {
		c := &layout.Constraint{Normalise: tc.steps}
		if text, ok := c.Text(tc.value); text != tc.text || ok != tc.ok {
			t.Errorf("%v: %q is of %q, %v; want %q, %v", tc.steps, tc.value, text, ok, tc.text, tc.ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.SampledFrom([]layout.Normaliser{layout.Base64, layout.Base64URL, layout.Percent}), 0, 3).Draw(t, "steps")
		c, v := &layout.Constraint{Normalise: steps}, rapid.String().Draw(t, "v")
		if text, ok := c.Text(c.Normalised(v)); !ok || text != v {
			t.Fatalf("%v of %q reads back as %q, %v", steps, v, text, ok)
		}
	})
}

// Two keys fold alike if their decoded texts differ only in spelling. Keys whose base64 differs only in case do not
// fold alike.
func TestSpellingsOfEncodedValues(t *testing.T) {
	build := func(steps ...string) *layout.Constraint {
		return constraint(t, config.Constraint{PK: "T#{tenant}#{v}", SK: "LOCK", Normalise: steps})
	}
	key := func(pk string) attr.Key {
		return attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(pk)}, Range: attr.Attribute{Name: "SK", Value: attr.String("LOCK")}}
	}
	for _, tc := range []struct {
		c     *layout.Constraint
		a, b  string
		alike bool
	}{
		{build(), "T#x#Ada", "T#x#ada", true},
		{build("base64"), "T#x#QWRh", "T#x#YWRh", true},  // the base64 of Ada and of ada
		{build("base64"), "T#X#QWRh", "T#x#YWRh", true},  // another spelling of the scope
		{build("base64"), "T#y#QWRh", "T#x#YWRh", false}, // another scope
		{build("base64"), "T#x#YWRH", "T#x#YWRh", false}, // the base64 of adG and of ada
		{build("base64", "lower"), "T#x#ywrh", "T#x#YWRh", false},
		{build("percent"), "T#x#%20a%40x", "T#x#a@x", true},
		{build("sha256"), "T#x#CA97", "T#x#ca97", true},
	} {
		if alike := tc.c.FoldKey(key(tc.a)) == tc.c.FoldKey(key(tc.b)); alike != tc.alike {
			t.Errorf("%v: %s and %s are spelt alike: %v", tc.c.Normalise, tc.a, tc.b, alike)
		}
	}
}

// DynamoFlow truncates values. Values that differ only after the cut have the same lock. A cut inside a character makes
// no key.
func TestDynamoFlow(t *testing.T) {
	c := constraint(t, config.Constraint{PK: "user_unique_email#{v}#", SK: "user_unique_email#", Normalise: []string{"dynamoflow"}})
	made := func(v string) (string, error) {
		k, err := c.LockKey(text, c.Normalised(v), nil)
		return k.Hash.Value.Text, err
	}
	if got, err := made("Ada#1@x.io"); got != `user_unique_email#ada\#1@x.io#` || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	long := strings.Repeat("x", 100)
	one, _ := made(long + "a")
	if other, _ := made(long + "b"); one != other || one != "user_unique_email#"+long+"#" {
		t.Errorf("two values with one beginning have the locks %q and %q", one, other)
	}
	if got, err := made(strings.Repeat("x", 99) + "😀"); !errors.Is(err, layout.ErrValue) {
		t.Errorf("half a character makes the key %q, %v", got, err)
	}
}
