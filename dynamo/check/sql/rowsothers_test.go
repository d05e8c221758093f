package sql_test

import (
	"fmt"
	"strconv"
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/proof"
)

// Counters are behind or broken. Ids occur twice, and in other tables.
func TestRowsOfCountersBySQL(t *testing.T) {
	of := config.Layout{Counters: []config.Counter{
		{Name: "lot", PK: "COUNTER#{of}", SK: "C", Attribute: "at", IDs: []config.IDs{{PK: "LOT#{of}#{number}", SK: "L"}, {PK: "OF#{of}", SK: "N#{number}"}}},
		{Name: "bill", PK: "BILLS", SK: "C", Attribute: "at", Semantics: "next", Step: "5", Offset: "2", IDs: []config.IDs{{Table: "bills", Attribute: "no", Text: "B-{number}"}}},
		{Name: "note", PK: "NOTES#{of}", SK: "{pk}", Is: &config.Discriminator{Attribute: "type", Value: "counter"}, Attribute: "at", Step: "2", IDs: []config.IDs{
			{PK: "NOTE#{of}#{id}", SK: "N", Is: &config.Discriminator{Attribute: "type", Value: "note"}, Attribute: "no"},
		}},
		{Name: "series", PK: "SER#{of}", SK: "C", Attribute: "last", IDs: []config.IDs{{PK: "SER#{of}", SK: "{part}", Attribute: "no", Text: "S-{number}"}}},
		{Name: "repeat", PK: "REPEAT", SK: "C", Attribute: "at", IDs: []config.IDs{{PK: "R#{x}#{x}#{number}", SK: "R"}}},
		{Name: "two", PK: "CT#{a}#{b}", SK: "C", Attribute: "at", IDs: []config.IDs{{PK: "P#{a}", SK: "{b}#{number}"}}},
		{Name: "sorted", PK: "SEQ", SK: "OF#{of}", Attribute: "at", IDs: []config.IDs{{PK: "SEQ#{of}", SK: "N#{number}"}}},
		{Name: "unread", PK: "TWICE#{of}#{of}", SK: "C", Attribute: "at", IDs: []config.IDs{{PK: "IN#{of}", SK: "N#{number}"}}},
		{Name: "first", PK: "K#{of}", SK: "C", Is: &config.Discriminator{Attribute: "type", Value: "a"}, Attribute: "at", IDs: []config.IDs{{PK: "KA#{of}", SK: "N#{number}"}}},
		{Name: "second", PK: "K#{of}", SK: "C", Is: &config.Discriminator{Attribute: "type", Value: "b"}, Attribute: "at", IDs: []config.IDs{{PK: "KB#{of}", SK: "N#{number}"}}},
	}}
	items := `
		COUNTER#a|C|at=N:5
		COUNTER#b|C|at=N:99
		COUNTER#c|C|at=text
		COUNTER#d|C|at=N:1.5
		COUNTER#e|C|at=N:-1
		COUNTER#f|C|at=N:9007199254740992
		COUNTER#f2|C|at=N:9007199254740991
		COUNTER#g|C|other=N:1
		COUNTER#|C|at=N:1
		LOT#a#4|L
		LOT#a#6|L
		LOT#a#7|L
		LOT#a#8|L
		LOT#a#08|L
		LOT#b#98|L
		LOT#b#1|L
		OF#b|N#1
		LOT#h#1|L
		LOT#x|L
		LOT#a#b#9|L
		LOT#a#seven|L
		LOT#a#99999999999999999999999999999999999999|L
		LOT#a#199999999999999999999999999999999999999|L
		BILLS|C|at=N:12
		NOTES#a|NOTES#a|type=counter|at=N:4
		NOTES#b|NOTES#b|type=other|at=N:4
		NOTES#c|NOTES#d|type=counter|at=N:4
		NOTES#e|NOTES#e|type=counter|at=N:3
		NOTES#g|NOTES#g|type={"B":"YQ=="}|at=N:4
		NOTE#a#1|N|type=note|no=N:2
		NOTE#a#2|N|type=note|no=N:6
		NOTE#a#3|N|type=note|no=N:7
		NOTE#a#4|N|type=note|no=N:1.5
		NOTE#a#5|N|type=other|no=N:8
		NOTE#a#6|N|type={"B":"YQ=="}|no=N:8
		NOTE#a#7|N|type=note|no=2
		NOTE#a#8|N|type=note|no=é
		NOTE#a#9|N|type=note
		NOTE#a#x#10|N|type=note|no=N:4
		OF#b|X#55
		OF#b|N#2
		SER#a|C|last=N:5|no=S-9
		SER#a|P|no=S-4
		SER#b|C|last=N:5
		SER#b|P|no=S-6
		SER#b|Q|no=T-7
		XER#b|Q|no=S-8
		REPEAT|C|at=N:100
		R#a#a#5|R
		R#a#b#7|R
		CT#p#q#r|C|at=N:1
		P#p#q|r#5
		P#p|q#6
		CT#p#q|C|at=N:9
		SEQ|OF#a|at=N:3
		SEQ|OF#b|at=N:8
		SEQ#a|N#5
		SEQ#b|N#6
		TWICE#a#a|C|at=N:4
		IN#a|N#5
		IN#a|X#6
		K#1|C|type=b|at=N:9
		KA#1|N#4
		KB#1|N#4
		K#2|C|type=a|at=N:1
		KA#2|N#4
		NOTE#b#x|N|type={"B":"YQ=="}|no=N:8
		NOTE#b#y|N|type=other|no=N:1.5
	`
	bills := `
		1|no=B-7
		2|no=B-12
		3|no=B-12
		4|no=B-17
		5|no=B-3
		6|no=17
		7|no=N:22
		8|no=B-é
		9|no=é
		10|no=B-
		11
	`
	rows{layout: of, tables: []tableOfRows{{"lots", "PK:S SK:S", "", items}, {"bills", "id:S", "", bills}}}.run(t, "counters")
}

// A counter has its number in its key, and ids are keys of type N.
func TestRowsOfNumbersBySQL(t *testing.T) {
	of := config.Layout{Counters: []config.Counter{{Name: "next", PK: "{number}", Attribute: "next", IDs: []config.IDs{{Table: "used", PK: "{number}"}}}}}
	rows{layout: of, tables: []tableOfRows{{"next", "next:N", "", "7"}, {"used", "no:N", "", "3\n7\n8\n1.5\n-2\n1E3\n100000000000000000000000000000000000000"}}}.run(t, "numbers")
}

// Values are unique without locks, and items have derived keys.
func TestRowsWithoutLocksBySQL(t *testing.T) {
	of := config.Layout{Accounts: []config.Account{{
		PK: "USER#{id}", SK: "P",
		Constraints: []config.Constraint{
			{Name: "mail", Attribute: "mail", Unique: true, Normalise: []string{"lower"}},
			{Name: "code", Attribute: "code", Unique: true},
			{Name: "scoped", Attribute: "code", Unique: true, Scope: []string{"town"}},
			{Name: "flow", Attribute: "flow", Unique: true, Normalise: []string{"trim"}},
		},
		Derived: []config.Derived{
			{Attribute: "gsi", Template: "MAIL#{mail}", Normalise: []string{"lower"}},
			{Attribute: "gsi2", Template: "C#{code}#{town}"},
			{Attribute: "gsi3", Template: "F#{flow}", Normalise: []string{"dynamoflow"}},
			{Attribute: "gsi4", Template: "{code}"},
			{Attribute: "gsi5", Template: "{mail}#{town}", Normalise: []string{"lower"}},
			{Attribute: "gsi6", Template: "{mail}#{mail}"},
		},
	}, {
		PK: "FIRM#{id}", SK: "P", Is: &config.Discriminator{Attribute: "type", Value: "firm"},
		Constraints: []config.Constraint{{Name: "vat", Attribute: "vat", Unique: true, Normalise: []string{"lower"}}},
	}}}
	items := `
		USER#1|P|mail=A|gsi=MAIL#a|code=é|gsi2=C#é#t|town=t
		USER#2|P|mail=a|gsi=MAIL#b|code=é|gsi2=C#e#t|town=t
		USER#3|P|mail=é|gsi=MAIL#é|code={"L":[{"S":"x"},{"S":"x"}]}
		USER#4|P|mail={"SS":["u","v"]}|gsi=MAIL#u|flow=f
		USER#5|P|mail=v|gsi=other|code=1|town=t|gsi2=C#1#s
		USER#6|P|mail=|gsi=MAIL#|code={"L":[{"N":"1"}]}
		USER#7|P|mail=N:5|gsi=MAIL#5|gsi3=F#f|flow=g
		USER#8|P|mail={"B":"YQ=="}|gsi=MAIL#a|code=only
		USER#9|P|mail=w|gsi=N:5
		USER#10|P|mail=x|code=N:5|gsi2=C#5#
		USER#11|P|gsi=MAIL#y|code=N:5|town=a#b|gsi2=C#5#a#b
		USER#12|P|mail=z|gsi={"M":{}}
		OTHER#1|P|mail=a|gsi=MAIL#c|code=é
		USER#13|P|mail=é|gsi=MAIL#q
		USER#14|P|mail=q|gsi=MAIL#é|flow=_|gsi4=|code=zz
		USER#15|P|code=7|gsi2=C#7#x|flow=_|gsi4=8
		USER#16|P|mail=É|gsi5=É#T|town=T
		USER#17|P|mail=aa|gsi5=aa#t|town=T
		USER#18|P|mail=bb|gsi5=bb#s|town=é
		USER#19|P|mail=cc|gsi6=cc#dd
		USER#20|P|mail=ee|gsi6=ff#ff|flow=
		USER#21|P|mail=hh|gsi6=none|flow=
		FIRM#1|P|type=firm|vat=X|mail=A
		FIRM#2|P|type=firm|vat=x
		FIRM#3|P|type=other|vat=é
		FIRM#4|P|type=other|vat=x
		FIRM#5|P|type=firm|vat=é
		USER#22|P|vat=X
		USER#23|P|vat=é|mail=É
		USER#24|P|mail=é|gsi5=e#t|town=T
	`
	for n := range 102 {
		items += fmt.Sprintf("USER#9%03d|P|mail=many\n", n)
	}
	rows{layout: of, tables: []tableOfRows{{"users", "PK:S SK:S", "", items}}, change: func(l *layout.Layout) {
		kind := *l.Accounts[0]
		kind.PK, _ = layout.ParseTemplate("OTHER#{id}")
		kind.Constraints, kind.Unlocked = nil, nil
		l.Keyed = []*layout.Account{&kind}
	}}.run(t, "lockless")
}

// Keys are of type B, which SQL does not judge. The id of an account is its whole key.
func TestRowsOfOtherKeysBySQL(t *testing.T) {
	of := config.Layout{Accounts: []config.Account{{PK: "{id}", SK: "P", Constraints: []config.Constraint{
		{Name: "mail", Attribute: "mail", PK: "M#{v}", SK: "{town}", Normalise: []string{"lower"}},
		{Name: "code", Attribute: "code", PK: "{v}", Table: "codes"},
	}}}}
	items := `
		1|P|mail=a|town=t
		M#a|t
		a#b|P|mail=b|town=t
		2|P|mail=c|town=é
		M#c|é
		3|P|mail=d|town=T
		M#d|t
		4|P|code=x
	`
	rows{layout: of, tables: []tableOfRows{{"plain", "PK:S SK:S", "", items}, {"codes", "code:S", "", "x\ny"}}}.run(t, "plain")
	binary := `
		YQ==|mail=a
		Yg==
		{"Item":{"code":{"S":"a"}}}
	`
	of = config.Layout{Accounts: []config.Account{{PK: "USER#{id}", Constraints: []config.Constraint{{Name: "mail", Attribute: "mail", PK: "M#{v}"}}}}}
	rows{layout: of, tables: []tableOfRows{{"binary", "code:B", "", binary}}}.run(t, "binary")
	// Each account has the key of a lock that SQL does not judge.
	of = config.Layout{Accounts: []config.Account{{PK: "X#{id}", SK: "P", Constraints: []config.Constraint{
		{Name: "flow", Attribute: "flow", PK: "X#{v}", SK: "P", Normalise: []string{"dynamoflow"}},
	}}}}
	rows{layout: of, tables: []tableOfRows{{"either", "PK:S SK:S", "", "X#1|P|flow=2\nX#2|P\nX#|P"}}}.run(t, "either")
}

// SQL compares only keys in buckets that do not cancel out, whether or not locks name their owners.
func TestSuspectsOfRowsBySQL(t *testing.T) {
	proof.Skip(t)
	items := "MAIL#gone|LOCK\nUSER#lost|PROFILE|nick=lost\n"
	for n := range 20 {
		id := strconv.Itoa(n)
		items += "USER#" + id + "|PROFILE|email=v" + id + "|nick=n" + id + "\nNICK#n" + id + "|NICK#n" + id + "\n" +
			"MAIL#v" + id + "|LOCK|owner=" + []string{id, "USER#" + id}[n%2] + "\n"
	}
	dir := t.TempDir()
	c := rows{layout: two("owner"), tables: []tableOfRows{{"users", "PK:S SK:S", "", items}}}.check(t, dir)
	for _, engine := range proof.Engines() {
		if n, err := engine.Count(t.Context(), dir, c, "suspects"); err != nil || n != "2" {
			t.Errorf("%s: %s buckets are suspicious, and two keys are: %v", engine.Dialect.Name, n, err)
		}
	}
}
