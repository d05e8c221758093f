package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

func two(owner string) config.Layout {
	return config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Name: "email", Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: owner, Normalise: []string{"trim", "lower"}},
		{Name: "nick", Attribute: "nick", PK: "NICK#{v}", SK: "{pk}"},
	}}}}
}

// The tables have all kinds of locks and accounts that do not match.
func TestRowsOfLocksBySQL(t *testing.T) {
	items := `
		USER#1|PROFILE|email=a|nick=n1
		MAIL#a|LOCK|owner=1
		NICK#n1|NICK#n1
		USER#2|PROFILE|email=_Mixed_
		MAIL#mixed|LOCK|owner=USER#2
		USER#3|PROFILE|email=missing
		MAIL#gone|LOCK|owner=ghost
		MAIL#bare|LOCK
		MAIL#empty|LOCK|owner=
		MAIL#former|LOCK|owner=1
		MAIL#older|LOCK|owner=USER#2
		USER#4|PROFILE|email=both
		USER#5|PROFILE|email=both
		MAIL#both|LOCK|owner=3
		USER#6|PROFILE|email=neither
		USER#7|PROFILE|email=neither
		USER#8|PROFILE|email=other
		USER#9|PROFILE|email=else
		MAIL#other|LOCK|owner=9
		MAIL#else|LOCK|owner=USER#8
		USER#10|PROFILE|email=unnamed
		MAIL#unnamed|LOCK
		NICK#lost|NICK#lost
		NICK#x|NICK#y
		USER#12|PROFILE|nick=N:7
		NICK#7|NICK#7
		MAIL#|LOCK|owner=1
		NICK#|NICK#
		MAIL#marked|LOCK|owner=2|mark=m
		USER#13|PROFILE|email=marked|mark=m
		OTHER#1|X|email=a|owner=1
		USER#|PROFILE|email=a
		USER#14|OTHER|email=a
		MAIL#a|OTHER|owner=1
		USER#21|PROFILE|email=pair
		USER#22|PROFILE|email=pair
		MAIL#pair|LOCK|owner=USER#21
		ZZZ|ZZZ
	`
	for n := range 102 {
		items += fmt.Sprintf("USER#9%03d|PROFILE|email=many\n", n)
	}
	rows{layout: two("owner"), tables: []tableOfRows{{"users", "PK:S SK:S", "", items}}}.run(t, "locks")
}

// The locks name no owner.
func TestRowsWithoutOwnersBySQL(t *testing.T) {
	items := `
		USER#1|PROFILE|email=a|nick=n1
		MAIL#a|LOCK|owner=9
		NICK#n1|NICK#n1
		USER#2|PROFILE|email=missing|nick=both
		USER#3|PROFILE|email=MISSING|nick=both
		NICK#both|NICK#both
		MAIL#gone|LOCK|owner=1
	`
	rows{layout: two(""), tables: []tableOfRows{{"users", "PK:S SK:S", "", items}}}.run(t, "ownerless")
}

// Accounts expire before their locks, or after them.
func TestRowsOfExpiryBySQL(t *testing.T) {
	items := `
		USER#1|PROFILE|email=a|ttl=N:4000000000
		MAIL#a|LOCK|owner=1
		USER#2|PROFILE|email=b
		MAIL#b|LOCK|owner=2|ttl=N:4000000000
		USER#3|PROFILE|email=c|ttl=N:4000000000
		MAIL#c|LOCK|owner=3|ttl=N:4000000000
		USER#4|PROFILE|email=d|ttl=N:4000000000
		MAIL#d|LOCK|owner=1
		USER#5|PROFILE|email=e|ttl=N:4000000000
		USER#6|PROFILE|email=e
		MAIL#e|LOCK|owner=5
		MAIL#gone|LOCK|owner=ghost|ttl=N:4000000000
		USER#7|PROFILE|email=f|ttl=soon
		MAIL#f|LOCK|owner=7
		USER#8|PROFILE|email=g|ttl=N:4000000000
		OTHER#1|X|ttl=N:4000000000
		USER#9|PROFILE|email=h|ttl=N:4000000000
		MAIL#h|LOCK
		NICK#gone|NICK#gone|ttl=N:4000000000
		NICK#|NICK#|ttl=N:4000000000
		MAIL#|LOCK|ttl=N:4000000000
	`
	rows{layout: two("owner"), tables: []tableOfRows{{"users", "PK:S SK:S", "ttl", items}}}.run(t, "expiry")
}

// Accounts have values of every type, and values that no lock can keep.
func TestRowsOfValuesBySQL(t *testing.T) {
	long := func(n int, s string) string { return strings.Repeat(s, n) }
	items := `
		USER#1|PROFILE|email={"L":[{"S":"a"},{"S":"B"}]}|nick={"L":[]}
		MAIL#a|LOCK
		USER#2|PROFILE|email={"SS":["c","D"]}|nick={"SS":["x","é"]}
		MAIL#d|LOCK
		NICK#x|NICK#x
		USER#3|PROFILE|email={"NS":["1","20"]}|nick={"NS":["1","2.50"]}
		MAIL#20|LOCK
		USER#4|PROFILE|email=N:12|nick=N:1.50
		MAIL#12|LOCK
		USER#5|PROFILE|email={"M":{"S":{"S":"a"}}}|nick={"BOOL":true}
		USER#6|PROFILE|email={"NULL":true}|nick={"B":"YQ=="}
		USER#7|PROFILE|email={"L":[{"S":"ok"},{"N":"1"}]}|nick={"L":[{"L":[{"S":"deep"}]}]}
		USER#8|PROFILE|email=é|nick=é
		NICK#é|NICK#é
		USER#9|PROFILE|email={"SS":["é","e"]}|nick=Case
		NICK#case|NICK#case
		USER#10|PROFILE|email={"L":[{"S":"é"},{"S":"f"}]}
		USER#é|PROFILE|email=plain|nick=ü
		MAIL#plain|LOCK
		MAIL#ö|LOCK
		MAIL#|LOCK|x=é
		USER#11|PROFILE|email=|nick=
		USER#12|PROFILE|email=__|nick=_
		USER#13|PROFILE|email=` + long(2044, "x") + `|nick=` + long(1020, "y") + `
		USER#14|PROFILE|email=` + long(2043, "z") + `|nick=` + long(1019, "w") + `
		USER#15|PROFILE|email={"L":[{"S":"_"},{"S":"__"}]}|nick=` + long(1020, "v") + `
		USER#16|PROFILE|email={"L":[{"S":"Twice"},{"S":"twice"}]}
		{"Item":{"PK":{"N":"1"},"SK":{"S":"PROFILE"},"email":{"S":"strange"}}}
		{"Item":{"PK":{"S":"USER#17"},"email":{"S":"strange"}}}
		{"Item":{"PK":{"S":"USER#18"},"SK":{"N":"1"},"email":{"S":"strange"}}}
		{"Item":{}}
	`
	rows{layout: two("owner"), tables: []tableOfRows{{"users", "PK:S SK:S", "", items}}}.run(t, "values")
}

// An attribute tells kinds of items apart, constraints share lock keys, and locks are in a table of their own.
func TestRowsOfKindsBySQL(t *testing.T) {
	is := func(value string) *config.Discriminator {
		return &config.Discriminator{Attribute: "type", Value: value}
	}
	of := config.Layout{Accounts: []config.Account{
		{Model: "person", PK: "A#{id}", SK: "P", Is: is("person"), Constraints: []config.Constraint{
			{Name: "email", Attribute: "email", PK: "L#{v}", SK: "LOCK", Is: is("lock"), Owner: "person"},
			{Name: "alias", Attribute: "alias", PK: "L#{v}", SK: "LOCK", Is: is("lock"), Owner: "person"},
			{Name: "phone", Attribute: "phone", PK: "{v}", Table: "phones", Owner: "of"},
		}},
		{Model: "firm", PK: "A#{id}", SK: "P", Is: is("firm"), Constraints: []config.Constraint{
			{Name: "vat", Attribute: "email", PK: "L#{v}", SK: "LOCK", Is: is("lock"), Owner: "firm"},
			{Name: "tenant", Attribute: "name", PK: "T#{town}", SK: "N#{v}", Is: is("lock")},
			{Name: "free", Attribute: "name", PK: "F#{v}", SK: "LOCK", Normalise: []string{"upper"}},
			{Name: "within", Attribute: "within", PK: "L#x{v}", SK: "LOCK"},
			{Name: "sorted", Attribute: "sorted", PK: "S", SK: "W#{v}", Normalise: []string{"upper"}},
			{Name: "pair", Attribute: "pair", PK: "Y#{v}#{town}", SK: "LOCK", Normalise: []string{"upper"}},
			{Name: "unsorted", Attribute: "unsorted", PK: "U#{v}"},
			{Name: "flow", Attribute: "flow", PK: "D#{v}", SK: "LOCK", Normalise: []string{"dynamoflow"}},
			{Name: "split", Attribute: "split", PK: "P", SK: "{v}#{town}"},
		}},
		{Model: "club", PK: "CLUB#{id}", SK: "P", Constraints: []config.Constraint{
			{Name: "ref", Attribute: "person", PK: "R#{v}", SK: "LOCK", Owner: "of"},
			{Name: "fax", Attribute: "fax", PK: "{v}", Table: "faxes", Owner: "of"},
		}},
	}}
	items := `
		A#1|P|type=person|email=a|alias=b|phone=1
		L#a|LOCK|type=lock|person=1
		L#b|LOCK|type=lock|person=A#1
		A#2|P|type=firm|email=c|name=n|town=t
		L#c|LOCK|type=lock|firm=2
		T#t|N#n|type=lock
		F#N|LOCK
		A#3|P|type=person|email=d|alias=d
		L#d|LOCK|type=lock|firm=3
		A#4|P|type=other|email=e
		A#5|P|email=f
		L#f|LOCK|person=5
		L#g|LOCK|type=Lock|person=5
		A#6|P|type={"B":"YQ=="}|email=h
		L#h|LOCK|type={"SS":["lock"]}|person=6
		L#i|LOCK|type=lock|person=N:7
		A#7|P|type=person|email=i|phone=2
		L#j|LOCK|type=lock|person={"B":"YQ=="}
		A#8|P|type=firm|name=n|town=u
		T#t|N#lost|type=lock
		A#9|P|type=firm|name=q
		A#10|P|type=firm|name=q|town=
		A#11|P|type=firm|name=é|town=t
		A#12|P|type=firm|name=r|town={"B":"YQ=="}
		A#13|P|type=firm|name=s|town=N:5
		T#5|N#s|type=lock
		F#S|LOCK|type=x
		F#LOST|LOCK
		F#LÖST|LOCK
		F#|LOCK
		L#|LOCK|type=lock|person=1
		L#k|LOCK|type=lock
		L#l|LOCK|type=lock|firm=2|person=
		A#14|P|type={"BOOL":true}|email=m
		A#15|P|type=person|phone=é
		A#16|P|type=other|name=é|email=N:1.50|flow=x
		A#17|P|type=firm|name=N:1.50|town=t
		A#18|P|type=person|email=n|alias=N:1.50
		A#19|P|type=person|email=N:1.50|alias=o
		L#p|LOCK|mark=m
		L#q|LOCK|type=lock|mark=m
		T#t|N#marked|type=lock|mark=m
		F#MARKED|LOCK|mark=m
		F#|LOCK2|mark=m
		T#|N#|type=lock|mark=m
		S|W#LÖST
		S|W#MARKED|mark=m
		S|W#|mark=m
		Y##é|LOCK
		Y#A#u|LOCK|mark=m
		Y##|LOCK|mark=m
		A#20|P|type=person|email=xin
		A#21|P|type=person|email=xin
		L#xin|LOCK
		A#22|P|type=person|email=x
		A#23|P|type=person|email=x
		L#x|LOCK
		A#24|P|type=firm|unsorted=a|flow=F|pair=a|town=u
		A#25|P|type=firm|flow={"M":{}}
		D#f|LOCK
		D#|LOCK
		A#26|P|type=firm|split=a|town=b#c
		A#27|P|type=firm|split=a|town=b
		P|a#b
		CLUB#1|P|person=r|fax=9
		R#r|LOCK|of=1
		CLUB#2|P|person={"B":"YQ=="}
		CLUB#3|P|person=s|fax=7
		R#s|LOCK|of=CLUB#3
		R#t|LOCK|of=3
		R#u|LOCK|of=CLUB#3
		R#v|LOCK|of=A#1
		A#28|P|type=firm|email=taken
		L#taken|LOCK|type=lock|firm=2
		CLUB#4|P|fax=8
	`
	faxes := `
		9|of=1
		3|of=CLUB#1
		4|of=CLUB#2
		7
	`
	phones := `
		1|of=1
		2|of=9
		8|of=1
		3|of=A#1
		4
		é|of=15
	`
	rows{layout: of, tables: []tableOfRows{{"people", "PK:S SK:S", "", items}, {"phones", "number:S", "", phones}, {"faxes", "number:S", "", faxes}}, change: func(l *layout.Layout) {
		l.Accounts[1].Constraints[2].Is = layout.Discriminator{Attribute: "type"}
	}}.run(t, "kinds")
}

// Four constraints have the same lock keys. If SQL cannot judge one value of an account, it judges no value of this
// account.
func TestRowsOfOneKeyBySQL(t *testing.T) {
	var four []config.Constraint
	for _, name := range []string{"a", "b", "c", "d"} {
		four = append(four, config.Constraint{Name: name, Attribute: name, PK: "L#{v}", SK: "LOCK", Owner: "of"})
	}
	items := `
		A#1|P|a=lost|b=N:1.50
		A#2|P|a=gone|c=N:1.50
		A#3|P|a=left|d=N:1.50
		A#4|P|d=none|a=N:1.50
		A#5|P|a=kept|d=missing
		L#kept|LOCK|of=5
		L#orphan|LOCK|of=9
	`
	rows{
		layout: config.Layout{Accounts: []config.Account{{PK: "A#{id}", SK: "P", Constraints: four}}},
		tables: []tableOfRows{{"people", "PK:S SK:S", "", items}},
	}.run(t, "onekey")
}

// Keys have several variables, digests and lengths. Some keys can be read in several ways.
func TestRowsOfKeysBySQL(t *testing.T) {
	of := config.Layout{Accounts: []config.Account{{PK: "T#{tenant}#U#{id}", SK: "P", Constraints: []config.Constraint{
		{Name: "email", Attribute: "email", PK: "T#{tenant}", SK: "E#{v}#L", Owner: "owner"},
		{Name: "name", Attribute: "name", PK: "N#{v}#{tenant}", SK: "L"},
		{Name: "digest", Attribute: "digest", PK: "{sha256:D#{v}}", SK: "D", Owner: "owner", Normalise: []string{"lower"}},
		{Name: "length", Attribute: "length", PK: "S{len:v}:{v}", SK: "S"},
		{Name: "town", Attribute: "name", PK: "W#{town}#{v}", SK: "W"},
		{Name: "dots", Attribute: "to.email", PK: "M#{v}#X#{pk}", SK: "never"},
	}[:5]}}}
	of.Accounts[0].Constraints = append(of.Accounts[0].Constraints,
		config.Constraint{Name: "nested", Attribute: "to.email", PK: "X#{v}#", SK: "{pk}"})
	items := `
		T#a#U#1|P|email=x|name=n|digest=Q|length=four|town=w
		T#a|E#x#L|owner=1
		N#n#a|L
		S4:four|S
		S5:four|S
		S0:|S
		W#w#n|W
		T#b#U#2|P|email=x|to={"M":{"email":{"S":"in"}}}
		T#b|E#x#L|owner=T#b#U#2
		X#in#|X#in#
		X##|X##
		X#lost#|X#lost#
		X#lost#|X#other#
		T#a#U#b#U#3|P|email=y
		T#a|E#y#L|owner=3
		T#c#U#4|P|email=z#L|name=k#l
		T#c|E#z#L#L|owner=4
		N#k#l#c|L
		T#c#U#5|P|email=z
		T#c##U#6|P|email=w|town=a#b|name=v
		T#c#|E#w#L|owner=6
		W#a#b#v|W
		T#d|E#gone#L|owner=9
		T#d|E##L
		T#|E#e#L
		N##|L
		N#x#|L
		W##|W
		T#e#U#7|P|email={"SS":["p","q"]}|to.email=whole|to={"M":{"email":{"S":"part"}}}
		X#whole#|X#whole#
		T#f#U#8|P|digest=é|length=é
		S2:é|S
		S2:|S
		0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef|D|owner=1
		0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef|D
		x|D
		T#g#U#9|P|name=m|town=_
		W#_#m|W
		T#h#U#10|P|name=j|town={"B":"YQ=="}
		T#h#U#11|P|name=i|town=ü
		T#i|E#two#L|owner=12
		T#i#U#12|P|email=two
	`
	rows{layout: of, tables: []tableOfRows{{"scoped", "PK:S SK:S", "", items}}}.run(t, "keys")
}
