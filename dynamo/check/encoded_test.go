package check_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// A lock's key may be a digest of more than the value, or may contain the value's length.
func TestComputedKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	of := func(pk string) func(*config.Constraint) {
		return func(c *config.Constraint) { c.PK, c.Normalise = pk, []string{"lower"} }
	}
	lock := func(pk string) doc { return doc{"PK": str(pk), "SK": str("LOCK")} }
	digest := func(v string) string {
		return layout.Normalise([]layout.Normaliser{layout.SHA256}, "User#email#"+v)
	}
	f.create("digests", "PK:S", "SK:S", user("1", "Ada"), lock(digest("ada")), user("2", "b"), user("3", "c"), user("4", "C"), lock(digest("c")), lock(digest("d")), lock("X"+digest("e")[1:]))
	found, _ := f.run(f.described("digests", users(of("{sha256:User#email#{v}}"))), setting.Options{})
	f.want(found, "missing-lock "+digest("b")+"?", "duplicate-value "+digest("c"), "orphaned-lock "+digest("d")+"?")

	f.create("lengths", "PK:S", "SK:S", user("1", "Ada#x"), lock("L#s5:ada#x"), user("2", "b"), user("3", " c"), lock("L#s1:c"), lock("L#s1:d"), lock("L#s2:e"))
	found, _ = f.run(f.described("lengths", users(of("L#s{len:v}:{v}"))), setting.Options{})
	f.want(found, "missing-lock b", "unnormalised-value  c", "orphaned-lock d")
}

func normalised(steps ...string) func(*config.Constraint) {
	return func(c *config.Constraint) { c.Normalise = steps }
}

// A lock in another spelling is paired with an account by its decoded value, not by its encoded key.
func TestSpellingsOfEncodedValues(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("b64", "PK:S", "SK:S", user("1", "adG"), mail("YWRh"), user("2", "b"), mail("Yg=="), user("3", "c"), mail("Yw=="))
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads} {
		mark := map[setting.Confirm]string{setting.ConfirmReads: "?"}[confirm]
		found, _ := f.run(f.described("b64", users(normalised("base64"))), setting.Options{Confirm: confirm})
		f.want(found, "missing-lock YWRH", "orphaned-lock YWRh"+mark)
	}
	f.put("b64", user("1", "Ada"))
	found, _ := f.run(f.described("b64", users(normalised("base64"))), setting.Options{})
	f.want(found, "unnormalised-value QWRh")
	found, _ = f.run(f.described("b64", users(normalised("lower", "base64"))), setting.Options{})
	f.want(found)

	f.create("flow", "PK:S", "SK:S", user("1", "Ada#1"), mail(`ada\#1`), user("2", "b#"), mail("b#"), mail(`c\#`))
	found, _ = f.run(f.described("flow", users(normalised("dynamoflow"))), setting.Options{})
	f.want(found, `unnormalised-value b\#`, `orphaned-lock c\#`)

	f.create("percent", "PK:S", "SK:S", user("1", "a@x"), mail("a@x"), user("2", "é"), mail("%c3%a9"), user("3", "c d"), mail("c%20d"), mail("d%40x"))
	found, _ = f.run(f.described("percent", users(normalised("percent"))), setting.Options{})
	f.want(found, "unnormalised-value a%40x", "unnormalised-value %C3%A9", "orphaned-lock d%40x")
	found, _ = f.run(f.described("percent", users(normalised("percent", "lower"))), setting.Options{})
	f.want(found, "unnormalised-value a%40x", "orphaned-lock d%40x")
}

// If memory is too small for all keys, the check follows up a partition of them. A lock and an account that belong
// together are in the same partition, however different their encodings are.
func TestEncodedValuesBeyondMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{user("0", "0"), mail("MA==")}
	enc := func(v string) string { return layout.Normalise([]layout.Normaliser{layout.Base64}, v) }
	const each = 300
	for n := range each {
		v := fmt.Sprint("s", n)
		items = append(items, user(v, strings.ToUpper(v)), mail(enc(v)), user("h"+v, "h"+v), mail(enc("h"+v)))
	}
	f.create("much", "PK:S", "SK:S", items...)
	table := f.described("much", users(normalised("base64")))
	for _, memory := range []int64{0, 100 << 10} {
		found, sum := f.run(table, setting.Options{Memory: memory})
		if sum.Complete != (memory == 0) || sum.Findings[finding.UnnormalisedLock] != len(found) || len(found) == 0 || len(found) > each || sum.Complete && len(found) != each {
			t.Errorf("%d bytes: %d found, %+v", memory, len(found), sum)
		}
	}
}

// An empty text is no value, even if the lock's key has a digest.
func TestNoDigestOfAnEmptyText(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("emptied", "PK:S", "SK:S", user("1", ""), user("2", ""), user("3", "a"), mail(layout.Normalise([]layout.Normaliser{layout.SHA256}, "a")))
	table := f.described("emptied", users(func(c *config.Constraint) { c.Normalise = []string{"lower", "sha256"} }))
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmNone} {
		found, sum := f.run(table, setting.Options{Confirm: confirm})
		f.want(found)
		if len(sum.Checked) != 1 || *sum.Checked[0].Accounts != 1 {
			t.Errorf("%s: %+v", confirm, sum.Checked)
		}
	}
}
