package adopt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Protocol has the transactions by which an application keeps the locks of a constraint: sign up, change the value,
// change its spelling, and delete the account. The application fills in its own texts.
type Protocol struct {
	View       *schema.View
	Account    *layout.Account
	Constraint *layout.Constraint
	// Strict is set if Verify has passed, so each account has its lock. Before that, a change or a deletion accepts that
	// the lock of the old value is missing.
	Strict bool
	// Kind is the type of the attribute with the value.
	Kind attr.Kind
	// Several is set if an account may hold several values in the attribute, in a set or a list. Then some actions are
	// repeated for each value: see Action.Each.
	Several bool
	// Path is the path of that attribute in an account.
	Path []string
	// Parts lists the variables of the account's key and of the lock's key besides the value.
	Parts        []Part
	Transactions []Transaction
}

// Part is a variable of the keys that the application knows, such as the account's id.
type Part struct {
	Name string
	// Path is the account's attribute with the text. It is empty for a part of the account's key.
	Path []string
	Kind attr.Kind // the type of the attribute
}

// Respell changes a value to another spelling with the same lock. Change would name this lock twice, and a transaction
// must not name an item twice.
const Respell Operation = "respell"

// Transaction is one TransactWriteItems with texts to fill in.
type Transaction struct {
	Operation Operation
	Actions   []Action
}

// Role says which item an action writes.
type Role string

// The items of the transactions.
const (
	AccountItem Role = "account"
	NewLock     Role = "lock"
	OldLock     Role = "old lock"
)

// Refused says why an action's condition fails.
type Refused string

// The reasons. LockAbsentOrForeign means that the lock is missing or names another account.
const (
	AccountExists       Refused = "account exists"
	AccountChanged      Refused = "account changed"
	ValueTaken          Refused = "value taken"
	LockForeign         Refused = "lock of another account"
	LockAbsentOrForeign Refused = "no lock of this account"
)

// Each says for which values an action is repeated, if an account may hold several values. Two spellings of a value
// with one lock count once: a transaction must not name an item twice.
type Each string

// The values of Each.
const (
	EachValue   Each = "value"   // all values of a sign-up or a deletion
	EachAdded   Each = "added"   // each new value whose lock is not the lock of an old value
	EachRemoved Each = "removed" // each old value whose lock is not the lock of a new value
	EachKept    Each = "kept"    // each value whose lock belongs to an old and to a new value
)

// Action is one action of a transaction.
type Action struct {
	Role Role
	// Each is empty for an action that is not repeated.
	Each  Each
	Verb  client.Verb
	Table string
	Key   []Field
	// Item has the attributes of a Put besides the key. An account also has attributes of the application.
	Item              []Field
	Condition, Update string
	Names             map[string]string
	Values            map[string]Field
	Refused           Refused
}

// Moment says whether a value is the old or the new value.
type Moment string

// The moments. A deletion has only an old value, and a sign-up has only a new value.
const (
	Old Moment = "old"
	New Moment = "new"
)

// Field is a value that the application makes: an attribute, or a value of a condition.
type Field struct {
	Path []string
	Kind attr.Kind
	// Raw is set if the field is the value as the account holds it. Otherwise Text is the template of the field's text.
	Raw  bool
	Text layout.Template
	Of   Moment // the value in the field; empty if the field does not depend on the value
}

// NewProtocol derives the transactions of a rule's own kind of accounts. The table's sample shows the types of
// attributes; an attribute that no sampled account has is a string. Strict transactions require the lock of the old
// value: see Protocol. NewProtocol returns a *Refusal if no transaction can change the value.
func NewProtocol(r *Rule, strict bool) (*Protocol, error) {
	p := &Protocol{View: r.Table.View, Account: r.Kind, Constraint: r.Constraint, Strict: strict}
	items := r.Table.Sample.Accounts(r.Kind)
	p.Path, p.Kind = attributeIn(items, r.Constraint.Attribute)
	owner, err := p.owner()
	if err != nil {
		return nil, r.refuse(UnknownID, r.Constraint)
	}
	if code := p.unsuited(); code != "" {
		return nil, r.refuse(code, r.Constraint)
	}
	p.Several = p.Kind == attr.SS || p.Kind == attr.NS || p.Kind == attr.L
	p.addParts(items)
	p.addTransactions(owner)
	if p.Several {
		p.repeat()
	}
	return p, nil
}

// attributeIn returns the most frequent path and type of an attribute in the items.
func attributeIn(items []attr.Item, name string) ([]string, attr.Kind) {
	path, count := strings.Split(name, "."), map[attr.Kind]int{}
	most := attr.S
	for _, item := range items {
		if item[name].Exists() {
			path = []string{name}
		}
		if v := item.At(name); v.Exists() {
			if count[v.Kind]++; count[v.Kind] > count[most] {
				most = v.Kind
			}
		}
	}
	return path, most
}

// The codes of constraints without transactions to print.
const (
	ValueInKey     Code = "ValueInKey"     // the value is part of the account's key
	UnreadableKind Code = "UnreadableKind" // the attribute has neither texts nor numbers
	UnknownID      Code = "UnknownID"      // the text of the owner attribute cannot be made from the account's key
)

func (p *Protocol) unsuited() Code {
	c, s := p.Constraint, p.View.AccountSchema()
	switch {
	case s.IsKey(c.Attribute), p.Account.PK.Uses(c.Attribute), p.Account.SK.Uses(c.Attribute):
		return ValueInKey
	case !slices.Contains([]attr.Kind{attr.S, attr.N, attr.SS, attr.NS, attr.L}, p.Kind):
		return UnreadableKind
	}
	return ""
}

// owner returns the owner attribute of a lock: the account's id, or a text in the owner form.
func (p *Protocol) owner() (Field, error) {
	a, c, s := p.Account, p.Constraint, p.View.AccountSchema()
	id := "{" + layout.IDVariable + "}"
	if !a.PK.Uses(layout.IDVariable) && !a.SK.Uses(layout.IDVariable) {
		id = a.PK.String() // without an id, the partition key is the id
	}
	text := id
	if !c.OwnerForm.Empty() {
		text = ""
		for _, piece := range c.OwnerForm.Pieces() {
			if text += layout.Literal(piece.Literal); piece.Variable != "" {
				text += id // an owner form has no variable besides the id
			}
		}
	}
	t, err := layout.ParseTemplate(text)
	f := Field{Path: strings.Split(c.Owner, "."), Kind: attr.S, Text: t}
	if text == a.PK.String() {
		f.Kind = s.HashKind
	}
	return f, err
}

// addParts lists the variables of the keys.
func (p *Protocol) addParts(items []attr.Item) {
	add := func(part Part) {
		known := slices.ContainsFunc(p.Parts, func(have Part) bool { return have.Name == part.Name })
		if !known && part.Name != layout.ValueVariable && part.Name != layout.HashVariable {
			p.Parts = append(p.Parts, part)
		}
	}
	for _, t := range []layout.Template{p.Account.PK, p.Account.SK} {
		for _, name := range t.Variables() {
			add(Part{Name: name})
		}
	}
	for _, name := range p.Constraint.Scope() {
		path, kind := attributeIn(items, name)
		add(Part{Name: name, Path: path, Kind: kind})
	}
}

// addTransactions makes the transactions. owner is the owner attribute of a lock.
func (p *Protocol) addTransactions(owner Field) {
	lock := func(verb client.Verb, of Moment) *builder { return p.lock(verb, of, owner) }
	put := func() Action { return lock(client.Put, New).absent().when(ValueTaken) }
	free := func() Action { return lock(client.Delete, Old).mine(owner, !p.Strict).when(LockForeign) }
	keep := lock(client.Put, New).mine(owner, true).when(ValueTaken)
	if p.Strict {
		free = func() Action { return lock(client.Delete, Old).mine(owner, false).when(LockAbsentOrForeign) }
		keep = lock(client.Check, New).mine(owner, false).when(LockAbsentOrForeign)
	}
	p.Transactions = []Transaction{
		{SignUp, []Action{p.put(), put()}},
		{Change, []Action{p.update(), put(), free()}},
		{Respell, []Action{p.update(), keep}},
		{Delete, []Action{p.unchanged(client.Delete).when(AccountChanged), free()}},
	}
}

// repeat repeats the actions on locks for each value. A change with EachKept already covers another spelling, so there
// is no Respell.
func (p *Protocol) repeat() {
	by := map[Operation]Transaction{}
	for _, t := range p.Transactions {
		by[t.Operation] = t
	}
	each := func(op Operation, n int, each Each) Action {
		a := by[op].Actions[n]
		a.Each = each
		return a
	}
	first := func(op Operation) Action { return by[op].Actions[0] }
	p.Transactions = []Transaction{
		{SignUp, []Action{first(SignUp), each(SignUp, 1, EachValue)}},
		{Change, []Action{
			first(Change), each(Change, 1, EachAdded), each(Change, 2, EachRemoved), each(Respell, 1, EachKept),
		}},
		{Delete, []Action{first(Delete), each(Delete, 1, EachValue)}},
	}
}

// value returns the field of the value as the account holds it.
func (p *Protocol) value(of Moment) Field {
	return Field{Path: p.Path, Kind: p.Kind, Raw: true, Of: of}
}

// put returns the action that makes an account.
func (p *Protocol) put() Action {
	b := p.account(client.Put)
	b.Item = append(b.Item, p.value(New))
	for _, part := range p.Parts {
		if part.Path != nil {
			b.Item = append(b.Item, part.field())
		}
	}
	return b.absent().when(AccountExists)
}

// update returns the action that changes the account's value.
func (p *Protocol) update() Action {
	b := p.unchanged(client.Update)
	b.Values[":new"] = p.value(New)
	b.Update = "SET " + b.path("", p.Path) + " = :new"
	p.raiseVersion(b)
	return b.when(AccountChanged)
}

// raiseVersion also raises the account's version, if accounts have one. Otherwise another writer of the application
// could save an older copy of the account, with the old value. The update needs no condition on the version: it
// changes only the value, which has a condition.
func (p *Protocol) raiseVersion(b *builder) {
	if p.Account.Version == "" {
		return
	}
	path := strings.Split(p.Account.Version, ".")
	version := b.path("", path)
	for alias, text := range map[string]string{":zero": "0", ":one": "1"} {
		t, _ := layout.ParseTemplate(text) // a text without braces is a valid template
		b.Values[alias] = Field{Path: path, Kind: attr.N, Text: t}
	}
	b.Update += ", " + version + " = if_not_exists(" + version + ", :zero) + :one"
}

// unchanged begins an action. Its condition is that the account still holds the old value, and that the parts of the
// lock's key are unchanged.
func (p *Protocol) unchanged(verb client.Verb) *builder {
	b := p.account(verb)
	b.Values[":old"] = p.value(Old)
	b.Condition = b.path("", p.Path) + " = :old"
	for n, part := range p.Parts {
		if part.Path != nil {
			alias := fmt.Sprintf(":part%d", n+1)
			b.Values[alias] = part.field()
			b.Condition += " AND " + b.path("", part.Path) + " = " + alias
		}
	}
	return b
}

// field returns the field of the account's attribute with the part.
func (p Part) field() Field {
	t, _ := layout.ParseTemplate("{" + p.Name + "}") // a variable of a template is a valid template
	return Field{Path: p.Path, Kind: p.Kind, Text: t}
}

func (p *Protocol) account(verb client.Verb) *builder {
	v := p.View
	return newBuilder(AccountItem, verb, v.AccountTable, v.AccountSchema(), p.Account.PK, p.Account.SK, "")
}

func (p *Protocol) lock(verb client.Verb, of Moment, owner Field) *builder {
	role := NewLock
	if of == Old {
		role = OldLock
	}
	c := p.Constraint
	b := newBuilder(role, verb, p.View.LockTable(c), p.View.LockSchema(c), c.PK, c.SK, of)
	if verb == client.Put {
		b.Item = append(b.Item, owner)
		if c.Is.Attribute != "" {
			t, _ := layout.ParseTemplate(layout.Literal(c.Is.Value)) // a literal is a valid template
			b.Item = append(b.Item, Field{Path: strings.Split(c.Is.Attribute, "."), Kind: attr.S, Text: t})
		}
	}
	return b
}

// builder makes an action.
type builder struct{ Action }

func newBuilder(
	role Role, verb client.Verb, table string, s attr.Schema, pk, sk layout.Template, of Moment,
) *builder {
	b := &builder{Action{
		Role: role, Verb: verb, Table: table,
		Key:   []Field{{Path: []string{s.HashName}, Kind: s.HashKind, Text: pk, Of: of}},
		Names: map[string]string{}, Values: map[string]Field{},
	}}
	if s.RangeName != "" {
		if sk.String() == layout.RepeatedHash {
			sk = pk
		}
		b.Key = append(b.Key, Field{Path: []string{s.RangeName}, Kind: s.RangeKind, Text: sk, Of: of})
	}
	return b
}

// absent requires that the item does not exist.
func (b *builder) absent() *builder {
	b.Condition = "attribute_not_exists(" + b.path("#pk", b.Key[0].Path) + ")"
	return b
}

// mine requires that the lock names the account. If orAbsent, the lock may also be missing.
func (b *builder) mine(owner Field, orAbsent bool) *builder {
	mine := b.path("#owner", owner.Path) + " = :me"
	b.Values[":me"] = owner
	if b.Condition = mine; orAbsent {
		b.absent()
		b.Condition += " OR " + mine
	}
	return b
}

func (b *builder) when(refused Refused) Action {
	b.Refused = refused
	return b.Action
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// path returns the path of an attribute, with an alias for each name. prefer is the wanted alias, such as #pk.
// Without it, the alias of a plain name is #name.
func (b *builder) path(prefer string, path []string) string {
	aliases := make([]string, len(path))
	for n, name := range path {
		alias := "#" + name
		if prefer != "" && n == 0 {
			alias = prefer
		}
		free := func() bool { return b.Names[alias] == "" || b.Names[alias] == name }
		for more := 1; !plainName.MatchString(alias[1:]) || !free(); more++ {
			alias = fmt.Sprintf("#n%d", more)
		}
		aliases[n], b.Names[alias] = alias, name
	}
	return strings.Join(aliases, ".")
}
