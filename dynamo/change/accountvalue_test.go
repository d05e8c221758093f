package change_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// lines returns the texts of a plan's lines with a label.
func lines(p *plan.Plan, label string) string {
	var all []string
	for _, l := range p.Lines {
		if string(l.Label) == label {
			all = append(all, l.Text)
		}
	}
	return strings.Join(all, "\n")
}

func TestATakenValueIsRefusedAndItsHolderNamed(t *testing.T) {
	t.Parallel()
	for want, tc := range map[string]struct {
		begin func(*fixture)
		to    string
		units float64
	}{
		`USER#bob holds the email "bob@x.io"`:                               {to: "bob@x.io"},
		`the lock of the email "gone@x.io" names 99`:                        {begin: there(ownedMail("gone@x.io", "99")), to: "gone@x.io"},
		`the email "stray@x.io" has a lock, but no account with this value`: {begin: func(f *fixture) { unset(ownedMail("stray@x.io", ""), "userId")(f) }, to: "stray@x.io"},
		`the email "stray@x.io" has a lock; unknown whether`:                {begin: func(f *fixture) { unset(ownedMail("stray@x.io", ""), "userId")(f) }, to: "stray@x.io", units: 0.001},
		`USER#dora holds the email "dora@x.io"`:                             {begin: there(user("dora", "dora@x.io")), to: "dora@x.io"}, // has no lock
		`USER#ada / USER already has that value`:                            {to: "ada@x.io"},
	} {
		t.Run(want, func(t *testing.T) {
			f, table := versioned(t)
			if tc.begin != nil {
				tc.begin(f)
			}
			if tc.units > 0 {
				table = f.versioned(func(o *dynamo.Options) { o.AutoReadUnits = tc.units })
			}
			code := plan.Held
			if tc.to == "ada@x.io" {
				code = plan.InOrder
			}
			p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada@x.io"), tc.to)
			if got := f.refused(code, p, err); !strings.Contains(got, want) {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestANonsensicalValueIsRefused(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	rel := f.value(table, "email", "ada@x.io")
	for _, to := range []string{"", " ", "undefined", "null", " null ", "a\nb", "a\x1b[2Jb", strings.Repeat("x", 3000), "\xff"} {
		if p, err := planner.ChangeValue(t.Context(), table, rel, to); client.KindOf(err) != client.Usage {
			t.Errorf("%q: planned %v, %v", to, p, err)
		}
	}
	if f.writes() > 0 {
		t.Error("a write was sent")
	}
}

// A plan describes its change in one line of text.
func TestAPlanInWords(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	rel := f.value(table, "email", "ada@x.io")
	value, err := planner.ChangeValue(t.Context(), table, rel, "new@x.io")
	if err != nil {
		t.Fatal(err)
	}
	account, err := planner.DeleteAccount(t.Context(), table, rel.Account.Key)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[*plan.Plan]string{value: `change email "ada@x.io" → "new@x.io" of `, account: "delete account USER#ada of "} {
		if !strings.HasPrefix(p.String(), want) {
			t.Errorf("%s; want %s", p, want)
		}
	}
}

func TestALookAlikeIsMentioned(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	f.put("odd", ownedNick("Countess", "bob"))
	f.put("odd", more(user("bob", "bob@x.io"), strs("nick", "Countess")))
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "nick", "nick of ada"), "countess")
	if err != nil || !strings.Contains(lines(p, "near"), `"Countess" has a lock, too`) {
		t.Errorf("%v, %v", err, p)
	}
}

// All locks of an attribute move together. If the attribute is in the scope of another lock, that lock moves, too.
func TestEveryLockThatAValueIsInMovesWithIt(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	account := func(email string) item { return row("ACCT#1", "PROFILE", "email", email, "handle", "Ada") }
	locks := func(email string) []item {
		return []item{
			emailLock(email), row("FOLDED#"+strings.ToLower(email), "LOCK"), row(email+"#HANDLE#Ada", "LOCK"),
		}
	}
	f.put("odd", account("Ada@x.io"))
	for _, l := range locks("Ada@x.io") {
		f.put("odd", l)
	}
	table := f.open("odd", configured(
		config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
		config.Constraint{Name: "folded", Attribute: "email", PK: "FOLDED#{v}", SK: "LOCK", Normalise: []string{"lower"}},
		config.Constraint{Name: "handle", Attribute: "handle", PK: "{email}#HANDLE#{v}", SK: "LOCK"},
	))
	want := map[string]map[string]string{}
	for _, i := range append(locks("ADA@x.io"), account("ADA@x.io")) {
		want[text(i["PK"])+"/"+text(i["SK"])] = texts(i)
	}
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "Ada@x.io"), "ADA@x.io")
	f.apply(p, err)
	if got := f.dump("odd"); !reflect.DeepEqual(got, want) {
		t.Errorf("the table is %v; want %v", got, want)
	}
	if n := len(p.Steps[0].Writes); n != 6 {
		t.Errorf("%d actions; want the account, two locks for two, and one kept", n)
	}
}

// Two attributes share the lock keys: a lock that the other attribute still claims stays.
func TestALockThatAnotherAttributeCallsForStays(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io", "recovery", "a@x.io", "GSI1PK", "MAIL#a@x.io"))
	f.put("odd", emailLock("a@x.io"))
	table := f.open("odd", configured(
		config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
		config.Constraint{Attribute: "recovery", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
	))
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "a@x.io"), "b@x.io")
	f.apply(p, err)
	if f.get("odd", emailLock("a@x.io")) == nil || f.get("odd", emailLock("b@x.io")) == nil {
		t.Error("both locks must be there")
	}
	got := f.get("odd", row("ACCT#1", "PROFILE"))
	if text(got["recovery"]) != "a@x.io" || text(got["GSI1PK"]) != "MAIL#a@x.io" || text(got["email"]) != "b@x.io" {
		t.Errorf("the account is %v", got)
	}
	if said := lines(p, "stays"); !strings.Contains(said, `recovery is "a@x.io"`) || !strings.Contains(said, `GSI1PK is "MAIL#a@x.io"`) {
		t.Errorf("it does not say what still has the old value: %q", said)
	}
	// The account takes a value that its other attribute holds already: its lock exists, and the old lock is deleted.
	table = f.open("odd", configured(
		config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
		config.Constraint{Attribute: "recovery", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
	))
	f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "email", "b@x.io"), "a@x.io"))
	if f.get("odd", emailLock("a@x.io")) == nil || f.get("odd", emailLock("b@x.io")) != nil {
		t.Error("the one lock must be there, and no other")
	}
}

// Two accounts hold one value. One account takes another value, and the lock stays with the other account.
func TestALockThatAnotherIsBehindStays(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	f.put("odd", user("bob", "ada@x.io"))
	rel := f.valueOf(table, "bob", "email")
	p, err := planner.ChangeValue(t.Context(), table, rel, "new@x.io")
	f.apply(p, err)
	if got := f.get("odd", at(ownedMail("ada@x.io", ""))); text(got["userId"]) != "ada" {
		t.Errorf("ada's lock is %v", got)
	}
	if said := lines(p, "stays"); !strings.Contains(said, `USER#ada holds "ada@x.io", too`) {
		t.Errorf("it says %q", said)
	}

	f, table = versioned(t)
	f.put("odd", user("bob", "ada@x.io"))
	p, err = planner.DeleteAccount(t.Context(), table, rel.Account.Key)
	f.apply(p, err)
	if f.get("odd", at(ownedMail("ada@x.io", ""))) == nil || f.get("odd", at(user("bob", ""))) != nil || f.get("odd", at(ownedNick("nick of bob", ""))) != nil {
		t.Error("bob must be gone with his own lock, and ada's be there")
	}
	if said := lines(p, "stays"); !strings.Contains(said, `USER#ada holds "ada@x.io", too`) {
		t.Errorf("it says %q", said)
	}
}

// Two accounts hold one value, and it has no lock. One account changes the case of the value: no lock is put, because a
// person must decide who owns the value.
func TestAMissingLockOfTwoIsNotPut(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "Ada@x.io"))
	f.put("odd", row("ACCT#2", "PROFILE", "email", "ada@X.io"))
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}}))
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada@x.io"), "ADA@x.io")
	f.apply(p, err)
	if f.get("odd", emailLock("ada@x.io")) != nil || !strings.Contains(lines(p, "no lock"), "a person must decide") {
		t.Errorf("a lock was put, or it says %q", lines(p, "no lock"))
	}
}

// valueOf returns the value of one account in the versioned table. Several accounts may hold this value.
func (f *fixture) valueOf(t *dynamo.Table, id, constraint string) *verdict.Relation {
	f.t.Helper()
	account := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("USER#" + id)}, Range: attr.Attribute{Name: "SK", Value: attr.String("USER")}}
	kind, a, err := find.AccountAt(f.t.Context(), t, account)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, r := range t.Relations(kind, a) {
		if r.Constraint.Name == constraint {
			return r
		}
	}
	f.t.Fatalf("%s has no %s", account, constraint)
	return nil
}

// A lock may repeat its value in an attribute, as a number, as bytes or in another spelling. The lock of the new value
// repeats the new value. An attribute that only happens to equal the old value stays.
func TestANewLockRepeatsTheNewValue(t *testing.T) {
	t.Parallel()
	for _, held := range []int{2, 6} { // fewer locks show no pattern
		f := start(t)
		f.create("odd")
		for n := range held {
			id, phone := fmt.Sprint(n), fmt.Sprint("49170", n)
			f.put("odd", more(row("ACCT#"+id, "PROFILE", "email", "Ada"+id+"@x.io"), item{"phone": num(phone)}),
				row("EMAIL#ada"+id+"@x.io", "LOCK", "email", "ADA"+id+"@x.io", "owner", id),
				more(row("PHONE#"+phone, "LOCK", "owner", id), item{"phone": num(phone), "tries": num("491700")}))
		}
		table := f.open("odd", configured(
			config.Constraint{Attribute: "email", PK: "EMAIL#{v}", SK: "LOCK", Owner: "owner", Normalise: []string{"lower"}},
			config.Constraint{Attribute: "phone", PK: "PHONE#{v}", SK: "LOCK", Owner: "owner"},
		))
		before := f.dump("odd")
		email := f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada0@x.io"), "Bob@x.io"))
		phone := f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "phone", "491700"), "4930"))
		if got := texts(f.get("odd", row("EMAIL#bob@x.io", "LOCK"))); got["email"] != "Bob@x.io" || got["owner"] != "0" {
			t.Errorf("%d locks: the lock of the new e-mail is %v", held, got)
		}
		if got := texts(f.get("odd", row("PHONE#4930", "LOCK"))); got["phone"] != "4930" || got["tries"] != "491700" {
			t.Errorf("%d locks: the lock of the new number is %v", held, got)
		}
		f.apply(f.undo(table, phone))
		f.undoes("the change", table, email, before)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rev  types.AttributeValue
		want string
		code string
	}{
		"none yet":         {want: "1"},
		"zero":             {rev: num("0"), want: "1"},
		"38 digits":        {rev: num("12345678901234567890123456789012345678"), want: "12345678901234567890123456789012345679"},
		"no room":          {rev: num(strings.Repeat("9", 38)), code: plan.TooLarge},
		"a string":         {rev: str("7"), code: plan.NotANumber},
		"a fraction":       {rev: num("7.5"), code: plan.NotANumber},
		"nothing, written": {rev: &types.AttributeValueMemberNULL{Value: true}, code: plan.NotANumber},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := versioned(t)
			account := user("ada", "ada@x.io")
			delete(account, "rev")
			if tc.rev != nil {
				account["rev"] = tc.rev
			}
			f.put("odd", account)
			rel := f.value(table, "email", "ada@x.io")
			p, err := planner.ChangeValue(t.Context(), table, rel, "new@x.io")
			if tc.code != "" {
				f.refused(tc.code, p, err)
				p, err = planner.DeleteAccount(t.Context(), table, rel.Account.Key)
				f.refused(tc.code, p, err)
				return
			}
			f.apply(p, err)
			if got := text(f.get("odd", at(user("ada", "")))["rev"]); got != tc.want {
				t.Errorf("the version is %s; want %s", got, tc.want)
			}
		})
	}
}

// A deletion is refused if the account has more locks than one transaction takes. The refusal has the count.
func TestTooManyLocksAreRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []int{99, 100} {
		f := start(t)
		f.create("odd")
		var emails []string
		for i := range n {
			emails = append(emails, fmt.Sprintf("%d@x.io", i))
			f.put("odd", emailLock(emails[i]))
		}
		f.put("odd", more(row("ACCT#1", "PROFILE"), item{"emails": &types.AttributeValueMemberSS{Value: emails}}))
		table := f.open("odd", configured(config.Constraint{Attribute: "emails", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}))
		account := f.value(table, "emails", "1@x.io").Account.Key
		p, err := planner.DeleteAccount(t.Context(), table, account)
		if n == 99 {
			f.apply(p, err)
			if left := f.dump("odd"); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
			continue
		}
		if said := f.refused(plan.TooMany, p, err); !strings.Contains(said, "101 actions") {
			t.Errorf("it says %q", said)
		}
	}
}

// An account is not deleted if a condition cannot compare all of its attributes.
func TestAnAccountThatCannotBeComparedStays(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	wide := row("ACCT#1", "PROFILE", "email", "a@x.io")
	for n := range 300 {
		wide[fmt.Sprintf("attribute-%d", n)] = str("x")
	}
	f.put("odd", wide)
	f.put("odd", emailLock("a@x.io"))
	f.put("odd", more(row("ACCT#2", "PROFILE"), item{"email": mapOf("address", str("b@x.io"))}))
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}))
	p, err := planner.DeleteAccount(t.Context(), table, f.value(table, "email", "a@x.io").Account.Key)
	f.refused(plan.TooMany, p, err)
	key := f.value(table, "email", "a@x.io").Account.Key
	key.Hash.Value = attr.String("ACCT#2")
	p, err = planner.DeleteAccount(t.Context(), table, key)
	f.refused(plan.Incomplete, p, err)
	key.Hash.Value = attr.String("ACCT#3")
	p, err = planner.DeleteAccount(t.Context(), table, key)
	f.refused(plan.Absent, p, err)
}

func TestAGuardedAccountTableIsMinded(t *testing.T) {
	t.Parallel()
	for guard, want := range map[client.Guard]string{client.GuardConfirm: "", client.GuardType: "ada@x.io", client.GuardDeny: "denied"} {
		f, _ := versioned(t)
		table := f.versioned(func(o *dynamo.Options) { o.Guards = map[string]client.Guard{"odd": guard} })
		p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada@x.io"), "new@x.io")
		if want == "denied" {
			if client.KindOf(err) != client.ReadOnly {
				t.Errorf("deny: %v %v", p, err)
			}
			continue
		}
		if err != nil || p.Typed != want {
			t.Errorf("%s: typed %q, %v; want %q", guard, p.Typed, err, want)
		}
	}
}

// Each table that a change writes may require a reason. Blanks are no reason.
func TestEachTableThatIsWrittenMayAskForAReason(t *testing.T) {
	t.Parallel()
	for table, asks := range map[string]bool{"odd": true, "accounts": false} {
		for reason, given := range map[string]bool{"": false, " \t": false, "ticket 7": true} {
			f, _ := versioned(t)
			odd := f.versioned(func(o *dynamo.Options) { o.Reasons = map[string]bool{table: true} })
			p, err := planner.ChangeValue(t.Context(), odd, f.value(odd, "email", "ada@x.io"), "new@x.io")
			if err != nil {
				t.Fatal(err)
			}
			p.Reason = reason
			if p.NeedsReason() != (asks && !given) {
				t.Errorf("%s asks for a reason, %q is given: one is needed: %v", table, reason, p.NeedsReason())
			}
			if r := f.changer.Apply(t.Context(), p, nil); (r.Outcome == journal.Applied) != (!asks || given) {
				t.Errorf("%s asks for a reason, %q is given: %s %v", table, reason, r.Outcome, r.Err)
			}
		}
	}
}

func TestARepairThatIsNotNeededIsRefused(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	gone(ownedMail("ada@x.io", ""))(f)
	rel := f.value(table, "email", "ada@x.io")
	f.put("odd", ownedMail("ada@x.io", "ada"))
	p, err := mend.Repair(t.Context(), table, rel)
	f.refused(plan.Changed, p, err)
	p, err = planner.Give(t.Context(), table, rel)
	f.refused(plan.InOrder, p, err)

	gone(ownedMail("ada@x.io", ""))(f)
	p, err = planner.Give(t.Context(), table, rel)
	f.refused(plan.Absent, p, err)
	f.put("odd", user("bob", "ada@x.io"))
	p, err = mend.Repair(t.Context(), table, rel)
	if said := f.refused(plan.Duplicate, p, err); !strings.Contains(said, "USER#ada and USER#bob") {
		t.Errorf("it says %q", said)
	}
	gone(user("ada", ""))(f)
	p, err = mend.Repair(t.Context(), table, rel)
	if said := f.refused(plan.Changed, p, err); !strings.Contains(said, "USER#bob / USER does") {
		t.Errorf("it says %q", said)
	}
	gone(user("bob", ""))(f)
	p, err = mend.Repair(t.Context(), table, rel)
	f.refused(plan.Changed, p, err)
	p, err = planner.ChangeValue(t.Context(), table, rel, "new@x.io")
	f.refused(plan.Absent, p, err)
}

// A condition on every attribute may need more operators than DynamoDB takes.
func TestTooManyAttributesAreRefused(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	account := user("ada", "ada@x.io")
	for n := range 160 {
		account[fmt.Sprint("x", n)] = num("1")
	}
	f.put("odd", account)
	p, err := planner.DeleteAccount(t.Context(), table, f.valueOf(table, "ada", "email").Account.Key)
	f.refused(plan.TooMany, p, err)
}
