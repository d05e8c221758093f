package sql_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/proof"
)

var update = flag.Bool("update", false, "write the rows in testdata again, from the first engine")

// A rows is a check of small tables, whose rows testdata has. The other tests prove that the rows lead to all
// findings. These tests notice a row too many: a candidate without cause, or an item that SQL could judge.
type rows struct {
	layout config.Layout
	// tables has the items of each table, an item a line: the key's parts, and attributes as NAME=VALUE, with | in
	// between. A value in braces is DynamoDB JSON, and N:12 is a number. A whole line in braces is a line of the
	// export.
	tables []tableOfRows
	change func(*layout.Layout) // what no config says
}

type tableOfRows struct {
	name, keys, expiry string // keys is such as "PK:S SK:S"
	items              string
}

// run compares the rows of every engine with testdata.
func (r rows) run(t *testing.T, name string) {
	t.Helper()
	proof.Skip(t)
	dir := t.TempDir()
	c := r.check(t, dir)
	for n, engine := range proof.Engines() {
		result, err := engine.Run(t.Context(), dir, c)
		if err != nil {
			t.Fatal(err)
		}
		got := rowsIn(t, result)
		golden := filepath.Join("testdata", name+".rows")
		if *update && n == 0 {
			if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, row := range got {
			if !slices.Contains(want, row) {
				t.Errorf("%s: a row too many: %s", engine.Dialect.Name, row)
			}
		}
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Errorf("%s: no row %s", engine.Dialect.Name, row)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d rows, want %d", engine.Dialect.Name, len(got), len(want))
		}
	}
}

// check writes the exports into dir, and returns the check.
func (r rows) check(t *testing.T, dir string) *sql.Check {
	t.Helper()
	l := r.layout
	l.Name, l.Tables = "ours", []string{r.tables[0].name}
	made, err := l.Build()
	if err != nil {
		t.Fatal(err)
	}
	if r.change != nil {
		r.change(made)
	}
	c := &sql.Check{Layout: made, Hash: "layout", Mark: "mark"}
	for _, one := range r.tables {
		hash, sorting, _ := strings.Cut(one.keys, " ")
		s := attr.Schema{}
		part := func(text string) (string, attr.Kind) {
			name, kind, _ := strings.Cut(text, ":")
			return name, attr.Kind(kind)
		}
		s.HashName, s.HashKind = part(hash)
		s.RangeName, s.RangeKind = part(sorting)
		at := filepath.Join(dir, one.name)
		c.Tables = append(c.Tables, sql.Table{Name: one.name, ID: "id-of-" + one.name, Schema: s, Expiry: one.expiry, Location: at})
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		for line := range strings.Lines(one.items) {
			if line = strings.TrimSpace(line); line != "" {
				_, _ = w.Write([]byte(exportLine(t, s, line) + "\n"))
			}
		}
		_ = w.Close()
		if err := os.MkdirAll(filepath.Join(at, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "data", "part.json.gz"), packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// exportLine is the line of an export for an item.
func exportLine(t *testing.T, s attr.Schema, line string) string {
	t.Helper()
	if strings.HasPrefix(line, "{") {
		return line
	}
	parts := strings.Split(line, "|")
	item := map[string]any{s.HashName: map[string]string{string(s.HashKind): parts[0]}}
	parts = parts[1:]
	if s.RangeName != "" {
		item[s.RangeName] = map[string]string{string(s.RangeKind): parts[0]}
		parts = parts[1:]
	}
	for _, one := range parts {
		name, value, _ := strings.Cut(one, "=")
		number, ok := strings.CutPrefix(value, "N:")
		switch {
		case ok:
			item[name] = map[string]string{"N": number}
		case strings.HasPrefix(value, "{"):
			item[name] = json.RawMessage(value)
		default:
			item[name] = map[string]string{"S": strings.ReplaceAll(value, "_", " ")}
		}
	}
	text, err := json.Marshal(map[string]any{"Item": item})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rowsIn returns the rows of a result, sorted, without what every row has.
func rowsIn(t *testing.T, result string) (all []string) {
	t.Helper()
	lines, err := proof.Lines(result)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		row := map[string]any{}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(row, func(name string, value any) bool {
			return slices.Contains([]string{"table", "table_id", "of_id", "layout", "made", "detail", "confirmed"}, name)
		})
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}

func two(owner string) config.Layout {
	return config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Name: "email", Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: owner, Normalise: []string{"trim", "lower"}},
		{Name: "nick", Attribute: "nick", PK: "NICK#{v}", SK: "{pk}"},
	}}}}
}

// Locks and accounts that do not match, in all ways.
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

// Locks that name no owner.
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

// Accounts that expire before their locks, or after them.
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

// Values of every type, and values that no lock can keep.
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

// Kinds of items that an attribute tells apart, constraints with the same locks, and locks in a table of their own.
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

// Keys with several variables, with digests and lengths, and keys that may be read in several ways.
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

// Counters, and ids with the highest numbers, twice, and in other tables.
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

// A counter whose key is its value, and ids that are keys of type N.
func TestRowsOfNumbersBySQL(t *testing.T) {
	of := config.Layout{Counters: []config.Counter{{Name: "next", PK: "{number}", Attribute: "next", IDs: []config.IDs{{Table: "used", PK: "{number}"}}}}}
	rows{layout: of, tables: []tableOfRows{{"next", "next:N", "", "7"}, {"used", "no:N", "", "3\n7\n8\n1.5\n-2\n1E3\n100000000000000000000000000000000000000"}}}.run(t, "numbers")
}

// Values that are unique without locks, and derived keys.
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
		USER#14|P|mail=q|gsi=MAIL#é|flow=_|gsi4=
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

// Keys of type B, of which SQL judges none, and accounts whose id is the whole key.
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
