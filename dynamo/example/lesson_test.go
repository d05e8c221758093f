package example_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// item returns an item with these attributes. texts has names and values in turn.
func item(texts ...string) attr.Item {
	i := attr.Item{}
	for n := 0; n < len(texts); n += 2 {
		i[texts[n]] = attr.String(texts[n+1])
	}
	return i
}

// people is a table with the keys pk and sk.
func people(items ...attr.Item) guess.Sample {
	return guess.Sample{
		Name: "people", Items: items, Whole: len(items) > 0,
		Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S},
	}
}

func user(id, email string, more ...string) attr.Item {
	return item(append([]string{"pk", "USER#" + id, "sk", "PROFILE", "email", email}, more...)...)
}

func lock(kind, v string, more ...string) attr.Item {
	return item(append([]string{"pk", "UNIQ#" + kind + "#" + v, "sk", "LOCK"}, more...)...)
}

// derived derives the layout of pairs, and returns its only kind of account.
func derived(t *testing.T, own guess.Sample, l example.Lesson) (config.Account, *example.Result) {
	t.Helper()
	got, err := l.Derive(t.Context(), own, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Config.Accounts) != 1 {
		t.Fatalf("%s", got.Config.TOML())
	}
	return got.Config.Accounts[0], got
}

// chosen returns the choice about a setting.
func chosen(r *example.Result, setting string) (c example.Choice) {
	for _, one := range r.Choices {
		if one.Setting == setting {
			c = one
		}
	}
	return c
}

// One account and its lock are enough for a layout.
func TestPairGivesLayout(t *testing.T) {
	l := example.Lesson{}.WithPair(example.Pair{
		Account: user("17", "Ada@example.org", "name", "Ada"), Lock: lock("EMAIL", "ada@example.org", "userId", "17"),
	})
	a, got := derived(t, people(), l)
	want := config.Account{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
		Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Owner: "userId",
	}}}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("%s", got.Config.TOML())
	}
	if c := chosen(got, "owner"); len(c.Candidates) != 2 {
		t.Errorf("one lock does not tell whether userId names its account: %v", got.Choices)
	}
}

// Pairs of two constraints give a layout with both. The first constraint has an owner form, and the second has the
// tenant in its lock key.
func TestPairsOfSeveralConstraints(t *testing.T) {
	one := user("17", "ada@example.org", "handle", "ada", "tenant", "acme")
	l := example.Lesson{}.WithPair(example.Pair{Account: one, Lock: lock("EMAIL", "ada@example.org", "by", "user/17")}).
		WithPair(example.Pair{Account: one, Lock: lock("acme#HANDLE", "ada")})
	a, got := derived(t, people(one, user("18", "bob@example.org", "handle", "bob", "tenant", "globex"),
		lock("globex#HANDLE", "bob"), user("19", "cyd@example.org", "handle", "cyd", "tenant", "globex"),
		lock("globex#HANDLE", "cyd")), l)
	if len(a.Constraints) != 2 || a.Constraints[0].OwnerForm != "user/{id}" ||
		a.Constraints[1].PK != "UNIQ#{tenant}#HANDLE#{v}" {
		t.Errorf("%s", got.Config.TOML())
	}
}

// If two attributes hold the value, a person is asked, and the answer or a second pair decides.
func TestChoiceIsAnswered(t *testing.T) {
	first := example.Pair{Account: user("17", "ada@x.io", "login", "ada@x.io"), Lock: lock("EMAIL", "ada@x.io")}
	l := example.Lesson{}.WithPair(first)
	_, got := derived(t, people(), l)
	c := chosen(got, "attribute")
	if c.Chosen != "email" || len(c.Candidates) != 2 || c.Answered {
		t.Fatalf("%+v", c)
	}
	a, got := derived(t, people(), l.WithAnswer(example.Answer{Section: c.Section, Setting: c.Setting, Text: "login"}))
	if c := chosen(got, "attribute"); a.Constraints[0].Attribute != "login" || !c.Answered || c.Chosen != "login" {
		t.Errorf("%+v\n%s", c, got.Config.TOML())
	}
	a, got = derived(t, people(), l.WithPair(example.Pair{
		Account: user("18", "bob@x.io", "login", "robert@x.io"), Lock: lock("EMAIL", "robert@x.io"),
	}))
	if a.Constraints[0].Attribute != "login" || len(chosen(got, "attribute").Candidates) > 0 {
		t.Errorf("%v\n%s", got.Choices, got.Config.TOML())
	}
}

// If no value shows whether the application folds case, a person is asked. A second pair with capital letters shows it.
func TestSecondPairTellsTheCase(t *testing.T) {
	l := example.Lesson{}.WithPair(example.Pair{Account: user("17", "ada@x.io"), Lock: lock("EMAIL", "ada@x.io")})
	a, got := derived(t, people(), l)
	c := chosen(got, "normalise")
	if len(a.Constraints[0].Normalise) > 0 || len(c.Candidates) != 2 || c.Candidates[1].Text != "lower" {
		t.Fatalf("%+v", c)
	}
	a, _ = derived(t, people(), l.WithAnswer(example.Answer{Section: c.Section, Setting: c.Setting, Text: "lower"}))
	if !reflect.DeepEqual(a.Constraints[0].Normalise, []string{"lower"}) {
		t.Errorf("answered: %v", a.Constraints[0].Normalise)
	}
	a, got = derived(t, people(), l.WithPair(example.Pair{Account: user("18", "Bob@x.io"), Lock: lock("EMAIL", "bob@x.io")}))
	if !reflect.DeepEqual(a.Constraints[0].Normalise, []string{"lower"}) || chosen(got, "normalise").Question != "" {
		t.Errorf("%v\n%s", got.Choices, got.Config.TOML())
	}
}

// If the lock of a second pair has another key, the key is another form of the first lock's key. A person may answer
// that it is another constraint.
func TestSecondPairOfAnotherForm(t *testing.T) {
	l := example.Lesson{}.WithPair(example.Pair{Account: user("17", "ada@x.io"), Lock: lock("EMAIL", "ada@x.io")}).
		WithPair(example.Pair{Account: user("18", "bob@x.io"), Lock: item("pk", "MAIL#bob@x.io", "sk", "LOCK")})
	a, got := derived(t, people(), l)
	if c := a.Constraints[0]; len(a.Constraints) != 1 || !reflect.DeepEqual(c.Also, []config.LockKey{{PK: "MAIL#{v}", SK: "LOCK"}}) {
		t.Fatalf("%s", got.Config.TOML())
	}
	c := chosen(got, "also")
	a, got = derived(t, people(), l.WithAnswer(example.Answer{Section: c.Section, Setting: c.Setting, Text: ""}))
	if len(a.Constraints) != 2 || len(a.Constraints[0].Also) > 0 || a.Constraints[1].PK != "MAIL#{v}" {
		t.Errorf("%s", got.Config.TOML())
	}
}

// An answer stays with its constraint, even if another answer adds a new constraint before it.
func TestAnswerStaysWithItsConstraint(t *testing.T) {
	one := user("17", "ada@x.io", "handle", "ada")
	l := example.Lesson{}.WithPair(example.Pair{Account: one, Lock: lock("EMAIL", "ada@x.io")}).
		WithPair(example.Pair{Account: user("18", "bob@x.io"), Lock: item("pk", "MAIL#bob@x.io", "sk", "LOCK")}).
		WithPair(example.Pair{Account: one, Lock: lock("HANDLE", "ada")})
	say := func(attribute, setting, text string) *example.Result {
		_, got := derived(t, people(), l)
		for _, part := range got.Config.Parts() {
			if part.Name == attribute {
				l = l.WithAnswer(got.Answer(part.Path, setting, text))
			}
		}
		_, got = derived(t, people(), l)
		return got
	}
	say("handle", "normalise", "lower")
	got := say("email", "also", "")
	all := got.Config.Accounts[0].Constraints
	if len(all) != 3 || all[1].PK != "MAIL#{v}" || len(all[1].Normalise) > 0 || !reflect.DeepEqual(all[2].Normalise, []string{"lower"}) {
		t.Fatalf("%s", got.Config.TOML())
	}
	got = say("email-2", "normalise", "trim")
	all = got.Config.Accounts[0].Constraints
	if !reflect.DeepEqual(all[1].Normalise, []string{"trim"}) || !reflect.DeepEqual(all[2].Normalise, []string{"lower"}) {
		t.Errorf("%s", got.Config.TOML())
	}
}

// Kinds of accounts whose locks have the same keys get their own constraints.
func TestPairsOfSeveralKinds(t *testing.T) {
	l := example.Lesson{}.WithPair(example.Pair{
		Account: item("pk", "EMP#17", "sk", "DATA", "email", "ada@x.io"), Lock: lock("EMAIL", "ada@x.io", "employeeId", "17"),
	}).WithPair(example.Pair{
		Account: item("pk", "CLI#9", "sk", "DATA", "email", "bob@x.io"), Lock: lock("EMAIL", "bob@x.io", "clientId", "9"),
	})
	got, err := l.Derive(t.Context(), people(), nil, nil)
	if err != nil || len(got.Config.Accounts) != 2 || got.Config.Accounts[1].Constraints[0].Owner != "clientId" {
		t.Fatalf("%v %s", err, got.Config.TOML())
	}
}

// Examples that cannot fit a layout are refused, with the reason in plain words.
func TestRefusals(t *testing.T) {
	pair := func(pairs ...example.Pair) (l example.Lesson) {
		for _, p := range pairs {
			l = l.WithPair(p)
		}
		return l
	}
	ada := example.Pair{Account: user("17", "ada@x.io"), Lock: lock("EMAIL", "ada@x.io")}
	counter := attr.Item{"pk": attr.String("COUNTER"), "sk": attr.String("ORDER"), "val": attr.Number("5")}
	for want, l := range map[string]example.Lesson{
		"there are no examples yet": {},
		"UNIQ#EMAIL#bob@x.io / LOCK cannot be the lock of USER#17 / PROFILE: no part of the lock's key is a value of the account": pair(
			example.Pair{Account: ada.Account, Lock: lock("EMAIL", "bob@x.io")}),
		"the account and the lock are the same item":             pair(example.Pair{Account: ada.Account, Lock: ada.Account}),
		"the lock lacks a key attribute of the table people":     pair(example.Pair{Account: ada.Account, Lock: item("pk", "x")}),
		"the table mails of the lock is unknown":                 pair(example.Pair{Account: ada.Account, Lock: ada.Lock, LockTable: "mails"}),
		`the first pair does not fit the answer pk = "POST#{v}"`: pair(ada).WithAnswer(example.Answer{Section: "account[0].constraint[0]", Setting: "pk", Text: "POST#{v}"}),
		"the first pair needs normalise = [lower], but the second pair needs normalise = []": pair(
			example.Pair{Account: user("17", "Ada@x.io"), Lock: lock("EMAIL", "ada@x.io")},
			example.Pair{Account: user("18", "Bob@x.io"), Lock: lock("EMAIL", "Bob@x.io")}),
		"USER#17 / PROFILE cannot be a counter: no attribute is a whole number": example.Lesson{}.WithNumber(
			example.Number{Counter: ada.Account, ID: ada.Lock}),
		"ORDER#7 / META cannot have a number from the counter COUNTER / ORDER: it has no number between 0 and the counter's number": example.Lesson{}.WithNumber(
			example.Number{Counter: counter, ID: item("pk", "ORDER#7", "sk", "META")}),
	} {
		_, err := l.Derive(t.Context(), people(), nil, nil)
		var refusal *example.Refusal
		if !errors.As(err, &refusal) || refusal.Why != want || refusal.Do == "" {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// A text that many accounts have is not a value: its key keeps nothing unique.
func TestSharedTextIsNoValue(t *testing.T) {
	var items []attr.Item
	for n := range 9 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n), "tenant", "acme"))
	}
	l := example.Lesson{}.WithPair(example.Pair{Account: items[0], Lock: lock("TENANT", "acme")})
	_, err := l.Derive(t.Context(), people(items...), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "the lock's key has only the tenant of the account, but many accounts have the same tenant") {
		t.Error(err)
	}
}

// emails returns a table whose only key is pk. The key of a lock is a whole e-mail address, and the account's name is
// the beginning of this address.
func emails(more ...string) (own guess.Sample, pair example.Pair) {
	own = guess.Sample{Name: "people", Whole: true, Schema: attr.Schema{HashName: "pk", HashKind: attr.S}}
	for n, name := range []string{"ada", "bob", "cyd", "dan", "eve", "fay"} {
		account := item("pk", fmt.Sprint("u-", n), "mail", name+"@x.io", "name", name)
		lock := item(append([]string{"pk", name + "@x.io", "user", fmt.Sprint("u-", n)}, more...)...)
		own.Items = append(own.Items, account, lock)
	}
	return own, example.Pair{Account: own.Items[0], Lock: own.Items[1]}
}

// If the lock key is {v} and nothing distinguishes such locks from accounts, the pair is refused. A shorter text of the
// account must not become the value: otherwise the lock of mia2@x.io would be an orphan as soon as the account mia
// exists.
func TestPartOfAValueIsNoValue(t *testing.T) {
	own, pair := emails()
	got, err := example.Lesson{}.WithPair(pair).Derive(t.Context(), own, nil, nil)
	want := "ada@x.io cannot be the lock of u-0: the lock's key {v} has the mail, but keys of accounts have the same form, " +
		"and no attribute distinguishes locks from accounts"
	if err == nil || err.Error() != want {
		t.Errorf("%v %v", err, got)
	}
	own, pair = emails("type", "lock")
	a, _ := derived(t, own, example.Lesson{}.WithPair(pair))
	if c := a.Constraints[0]; c.Attribute != "mail" || c.PK != "{v}" || c.Is == nil {
		t.Errorf("%+v", c)
	}
}

// A prefix before a separator is not part of the value, even if the account also has the lock's whole key.
func TestAccountWithItsLocksKey(t *testing.T) {
	own := guess.Sample{Name: "people", Whole: true, Schema: attr.Schema{HashName: "pk", HashKind: attr.S}}
	for n, name := range []string{"ada", "bob", "cyd", "dan", "eve", "fay"} {
		own.Items = append(own.Items, item("pk", fmt.Sprint("U#", n), "handle", name, "lock", "H#"+name), item("pk", "H#"+name))
	}
	a, got := derived(t, own, example.Lesson{}.WithPair(example.Pair{Account: own.Items[0], Lock: own.Items[1]}))
	if a.Constraints[0].Attribute != "handle" || a.Constraints[0].PK != "H#{v}" {
		t.Errorf("%s", got.Config.TOML())
	}
}

// The first word of a key may be the name of a kind of account, or the first word of an id. If locks name ids without
// this word, it is the name of a kind.
func TestFirstWordOfAnID(t *testing.T) {
	for _, tc := range []struct {
		first []string
		owner string // the format of a lock's owner
		pk    string
	}{
		{[]string{"ada", "grace", "edsger", "barbara"}, "%[1]s-%[2]d", "{id}"},
		{[]string{"user", "org"}, "%[2]d", "user-{id}"},
	} {
		own := guess.Sample{Name: "people", Whole: true, Schema: attr.Schema{HashName: "id", HashKind: attr.S}}
		for n := range 60 {
			first, email := tc.first[n%len(tc.first)], fmt.Sprintf("m%d@x.io", n)
			own.Items = append(own.Items, item("id", fmt.Sprint(first, "-", n), "email", email, "plan", "free"),
				item("id", "MAIL#"+email, "by", fmt.Sprintf(tc.owner, first, n)))
		}
		a, got := derived(t, own, example.Lesson{}.WithPair(example.Pair{Account: own.Items[0], Lock: own.Items[1]}))
		if a.PK != tc.pk || a.Constraints[0].PK != "MAIL#{v}" || a.Constraints[0].Owner != "by" {
			t.Errorf("%s", got.Config.TOML())
		}
	}
}

// If a lock key has a prefix and a digest of fixed words and the value, the digest is found.
func TestDigestBehindAHyphen(t *testing.T) {
	digest := func(name string) string { return fmt.Sprintf("lk-%x", sha256.Sum256([]byte("email:"+name+"@x.io"))) }
	own := guess.Sample{Name: "people", Whole: true, Schema: attr.Schema{HashName: "pk", HashKind: attr.S}}
	for n, name := range []string{"ada", "bob", "cyd", "dan", "eve", "fay"} {
		own.Items = append(own.Items, item("pk", fmt.Sprint("usr-", n), "email", name+"@x.io"), item("pk", digest(name)))
	}
	a, got := derived(t, own, example.Lesson{}.WithPair(example.Pair{Account: own.Items[0], Lock: own.Items[1]}))
	if a.Constraints[0].PK != "lk-{sha256:email:{v}}" {
		t.Errorf("%s", got.Config.TOML())
	}
}

// A counter and an item with its number are enough for a counter. The meaning of the number comes from the counter's
// name, or from a person.
func TestNumberGivesCounter(t *testing.T) {
	counter := attr.Item{"pk": attr.String("COUNTER"), "sk": attr.String("ORDER"), "val": attr.Number("5"), "at": attr.Number("1795076047")}
	own := people(counter, item("pk", "ORDER#0004", "sk", "META"), item("pk", "ORDER#0003", "sk", "META"), item("pk", "ORDER#0001", "sk", "META"))
	l := example.Lesson{}.WithNumber(example.Number{Counter: counter, ID: item("pk", "ORDER#0003", "sk", "META")})
	got, err := l.Derive(t.Context(), own, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Counter{{
		PK: "COUNTER", SK: "ORDER", Attribute: "val", Semantics: "next", Max: "9999",
		IDs: []config.IDs{{PK: "ORDER#{number}", SK: "META"}},
	}}
	if c := chosen(got, "semantics"); !reflect.DeepEqual(got.Config.Counters, want) || len(c.Candidates) != 3 {
		t.Errorf("%v\n%s", got.Choices, got.Config.TOML())
	}
	got, err = l.WithAnswer(example.Answer{Section: "counter[0]", Setting: "semantics", Text: "tally"}).Derive(t.Context(), own, nil, nil)
	if err != nil || got.Config.Counters[0].Semantics != "tally" || len(got.Config.Counters[0].IDs) > 0 {
		t.Errorf("%v %s", err, got.Config.TOML())
	}
}

// For any two items, a derived layout classifies them as an account and its lock, and nothing panics.
func FuzzPair(f *testing.F) {
	f.Add("USER#17", "PROFILE", "Ada@x.io", "UNIQ#EMAIL#ada@x.io", "LOCK", "17", "")
	f.Add("USER#17", "USER#17", "{v}", "UNIQ#{v}", "UNIQ#{v}", "USER#17", "pk = {v}")
	f.Add("17", "17", "17", "17#17", "17", "17", "x")
	f.Add("ada", "P", "\u212aelvin", "s7:\u212aelvin", "{{", "}", "attribute = b")
	f.Add("#", "#", " a ", "a", "a", "a", "normalise = lower, sha256")
	f.Fuzz(func(t *testing.T, pk, sk, value, lockPK, lockSK, owner, answer string) {
		for _, text := range []string{pk, sk, value, lockPK, lockSK, owner, answer} {
			if text == "" || !utf8.ValidString(text) || len(text) > 200 {
				t.Skip()
			}
		}
		account := item("pk", pk, "sk", sk, "a", value, "b", owner)
		taken := item("pk", lockPK, "sk", lockSK, "owner", owner)
		account["n"], taken["n"] = attr.Number("12"), attr.Number("7")
		own := people(account, item("pk", pk+"1", "sk", sk, "a", value+"1", "b", owner))
		setting, text, _ := strings.Cut(answer, " = ")
		l := example.Lesson{}.WithPair(example.Pair{Account: account, Lock: taken}).
			WithAnswer(example.Answer{Section: "account[0].constraint[0]", Setting: setting, Text: text})
		if got, err := l.Derive(t.Context(), own, nil, nil); err == nil {
			built, err := got.Config.Build()
			if err != nil {
				t.Fatalf("%v\n%s", err, got.Config.TOML())
			}
			v := schema.NewView(built, own.Name, map[string]attr.Schema{own.Name: own.Schema})
			k, _ := own.Schema.KeyOf(taken)
			if !v.Claims(account, schema.Lock{Table: own.Name, Key: k}) || v.Classify(own.Name, taken).Constraint == nil {
				t.Errorf("%s", got.Config.TOML())
			}
		}
		n := example.Lesson{}.WithNumber(example.Number{Counter: account, ID: taken})
		if got, err := n.Derive(t.Context(), own, nil, nil); err == nil {
			if _, err := got.Config.Build(); err != nil {
				t.Errorf("%v\n%s", err, got.Config.TOML())
			}
		}
	})
}
