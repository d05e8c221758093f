// Package snippet writes the transactions of a protocol as code, for the AWS SDKs of Go, Python and JavaScript. An
// application can use the code as it is. Start at Code.
package snippet

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/ui/safe"
)

// Language is a programming language with its AWS SDK.
type Language string

// The languages.
const (
	Go         Language = "go"         // aws-sdk-go-v2
	Python     Language = "python"     // boto3
	JavaScript Language = "javascript" // AWS SDK for JavaScript v3, with lib-dynamodb
)

// Languages lists the languages.
func Languages() []Language { return []Language{Go, Python, JavaScript} }

// The errors for a protocol that Code cannot write.
var (
	ErrNoCode  = errors.New("no code for this normaliser") // the normaliser belongs to one library only
	ErrSeveral = errors.New("no code for accounts with several values")
)

// WhyNone says why Code cannot write a protocol. It is empty if err is another error.
func WhyNone(err error) string {
	switch {
	case errors.Is(err, ErrNoCode):
		return "one of the normalisers belongs to a library, and has no code in other languages"
	case errors.Is(err, ErrSeveral):
		return "an account may hold several values, and the code is for one value in an attribute"
	}
	return ""
}

//go:embed *.tmpl
var files embed.FS

// Code returns the protocol as a source file of a language. verify is the command that verifies the rule.
func Code(p *adopt.Protocol, language Language, verify string) (string, error) {
	if p.Several {
		return "", ErrSeveral
	}
	steps, err := normaliser(p.Constraint.Normalise, language)
	if err != nil {
		return "", err
	}
	w := &writer{protocol: p, dialect: dialects[language], steps: steps, Verify: safe.Text(verify)}
	w.nameParts()
	name := string(language) + ".tmpl"
	t := template.New(name)
	t.Funcs(template.FuncMap{"action": func(op adopt.Operation, n, indent int) (string, error) {
		var b bytes.Buffer
		err := t.ExecuteTemplate(&b, "action", w.do(op, n))
		return indented(b.String(), indent), err
	}})
	template.Must(t.ParseFS(files, name)) // tests parse all templates
	var b bytes.Buffer
	if err := t.Execute(&b, w); err != nil {
		return "", fmt.Errorf("writing the code: %w", err)
	}
	text := b.Bytes()
	if language == Go {
		if text, err = format.Source(text); err != nil {
			return "", fmt.Errorf("formatting the code: %w", err)
		}
	}
	return strings.TrimSpace(string(text)) + "\n", nil
}

// indented indents each line of a text.
func indented(text string, spaces int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", spaces) + line)
	}
	return b.String()
}

// writer writes the parts of a source file. The templates use its exported methods.
type writer struct {
	protocol *adopt.Protocol
	dialect
	steps  []string
	idents map[string]string // the names of parameters, by the parts of keys
	Verify string
}

// dialect is the syntax of a language.
type dialect struct {
	language Language
	quote    func(string) string
	// length writes code for the length of a text in bytes, as a text. value writes code for a value of an item.
	length func(text string) string
	value  func(kind attr.Kind, text string) string
	// before and after are the parameters for the values of a change.
	before, after string
	// item and inner begin an item and a map in an item. close ends each brace.
	item, inner, close string
	// accountKey and lockKey name the functions that return a key, and lock names the function that returns a lock.
	accountKey, lockKey, lock string
}

// plainIdent matches a name that is an identifier in every language.
var plainIdent = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// reserved has words of the languages, and names that the code uses.
var reserved = strings.Fields(`
	account action actions after and any append arguments as assert async await before body bool boolean break byte
	case cases catch chan class client close code command const context continue copy ctx db debugger def default
	defer del delete digest do dynamodb elif else enum error errors eval except export extends fallthrough false
	finally float for from func function global go goto if implements import in int interface is item items key
	label lambda language len let list lock map maps max merge min new nil none nonlocal norm normal not null number
	old or package panic pass print private protected public raise range re reason reasons refused return select
	self signUp static str strconv string strings struct super switch template this throw token true try type types
	typeof undefined unicode update url utf8 value var void while with write yield aws base64 sha256 hex hashlib fmt
	regexp delete_account lockValue lockKey accountKey changeValue createHash deleteAccount encodeURIComponent
	isSpace percent quote to unicodedata zip`)

// nameParts gives each part of the keys a parameter of its own.
func (w *writer) nameParts() {
	w.idents = map[string]string{}
	for n, part := range w.protocol.Parts {
		name := part.Name
		if !plainIdent.MatchString(name) || slices.Contains(reserved, name) {
			name = w.freeName(n + 1)
		}
		w.idents[part.Name] = name
	}
}

// freeName returns the name of a parameter that is not the name of any part of the keys. Another part has another n.
func (w *writer) freeName(n int) string {
	name := fmt.Sprintf("part%d", n)
	for slices.ContainsFunc(w.protocol.Parts, func(p adopt.Part) bool { return p.Name == name }) {
		name += "x"
	}
	return name
}

// Steps lists the statements that normalise the value v.
func (w *writer) Steps() []string { return w.steps }

// Uses reports whether the normaliser has one of the steps.
func (w *writer) Uses(steps ...string) bool {
	return slices.ContainsFunc(w.protocol.Constraint.Normalise, func(n layout.Normaliser) bool {
		return slices.Contains(steps, string(n))
	})
}

// Digests reports whether keys have digests.
func (w *writer) Digests() bool {
	return w.protocol.Constraint.PK.Digests() || w.protocol.Constraint.SK.Digests()
}

// Measures reports whether keys have lengths of texts.
func (w *writer) Measures() bool {
	c, a := w.protocol.Constraint, w.protocol.Account
	for _, t := range []layout.Template{c.PK, c.SK, a.PK, a.SK} {
		if slices.ContainsFunc(t.Pieces(), func(p layout.Piece) bool { return p.Length != nil }) {
			return true
		}
	}
	return false
}

// Strict reports whether the code can rely on a lock for each account.
func (w *writer) Strict() bool { return w.protocol.Strict }

// Number reports whether the values are numbers.
func (w *writer) Number() bool { return w.protocol.Kind == attr.N }

// Numbers reports whether an item of the transactions has a number.
func (w *writer) Numbers() bool {
	found := false
	for _, t := range w.protocol.Transactions {
		for _, a := range t.Actions {
			for _, f := range slices.Concat(a.Key, a.Item) {
				found = found || f.Kind == attr.N
			}
		}
	}
	return found
}

// Decimals reports whether the code writes a number: a number of an item, or the version of an account.
func (w *writer) Decimals() bool { return w.Numbers() || w.protocol.Account.Version != "" }

// Constraint is the name of the constraint, quoted. A comment may contain the name, because it has no line break.
func (w *writer) Constraint() string { return w.quote(w.protocol.Constraint.Name) }

// Table is the name of the accounts' table, quoted.
func (w *writer) Table() string { return w.quote(w.protocol.View.AccountTable) }

// InItem describes the attribute that the application has to put into the account itself, quoted. It is empty if the
// code puts the attribute.
func (w *writer) InItem() string {
	if len(w.protocol.Path) == 1 {
		return ""
	}
	return w.quote(strings.Join(w.protocol.Path, "."))
}

// Parts lists the parameters for all parts of the keys.
func (w *writer) Parts() []string { return w.params(w.protocol.Parts) }

func (w *writer) params(parts []adopt.Part) []string {
	var names []string
	for _, part := range parts {
		names = append(names, w.idents[part.Name])
	}
	return names
}

// AccountParts lists the parameters of an account's key.
func (w *writer) AccountParts() []string { return w.params(w.used(w.action(adopt.Delete, 0).Key)) }

// LockParts lists the parameters of a lock's key besides the value.
func (w *writer) LockParts() []string { return w.params(w.used(w.action(adopt.SignUp, 1).Key)) }

// OwnerParts lists the parameters of a lock besides the value.
func (w *writer) OwnerParts() []string {
	a := w.action(adopt.SignUp, 1)
	return w.params(w.used(slices.Concat(a.Key, a.Item)))
}

func (w *writer) action(op adopt.Operation, n int) adopt.Action {
	at := slices.IndexFunc(w.protocol.Transactions, func(t adopt.Transaction) bool { return t.Operation == op })
	return w.protocol.Transactions[at].Actions[n]
}

// used lists the parts that the fields use.
func (w *writer) used(fields []adopt.Field) []adopt.Part {
	return slices.DeleteFunc(slices.Clone(w.protocol.Parts), func(part adopt.Part) bool {
		return !slices.ContainsFunc(fields, func(f adopt.Field) bool {
			return f.Text.Uses(part.Name) || slices.ContainsFunc(f.Text.Pieces(), func(p layout.Piece) bool {
				return p.Length != nil && p.Length.Uses(part.Name)
			})
		})
	})
}

// AccountKey is the key of an account as an item.
func (w *writer) AccountKey() string { return w.itemOf(w.action(adopt.Delete, 0).Key) }

// LockKey is the key of a lock as an item. The normalised value is in the variable v.
func (w *writer) LockKey() string { return w.itemOf(w.action(adopt.SignUp, 1).Key) }

// LockEntries lists the attributes of a lock besides its key.
func (w *writer) LockEntries() string { return w.entries(w.action(adopt.SignUp, 1).Item) }

// LockItem is the attributes of a lock besides its key, as an item.
func (w *writer) LockItem() string { return w.itemOf(w.action(adopt.SignUp, 1).Item) }

// Account lists the attributes that the code puts into an account besides its key. It is empty if there are none.
func (w *writer) Account() string {
	fields := w.action(adopt.SignUp, 0).Item
	return w.entries(slices.DeleteFunc(slices.Clone(fields), func(f adopt.Field) bool { return len(f.Path) > 1 }))
}

// itemOf writes fields as an item.
func (w *writer) itemOf(fields []adopt.Field) string { return w.item + w.entries(fields) + w.close }

func (w *writer) entries(fields []adopt.Field) string {
	var hash *layout.Template
	var all []string
	for n, f := range fields {
		all = append(all, w.entry(f.Path, w.field(adopt.SignUp, f, hash)))
		if n == 0 {
			hash = &f.Text
		}
	}
	return strings.Join(all, ", ")
}

// entry writes an attribute with its value. A path into a map becomes a map in the item.
func (w *writer) entry(path []string, value string) string {
	if len(path) > 1 {
		value = w.inner + w.entry(path[1:], value) + strings.Repeat(w.close, strings.Count(w.inner, "{"))
	}
	return w.quote(path[0]) + ": " + value
}

// field writes the value of a field. hash is the template of the partition key, for a sort key.
func (w *writer) field(op adopt.Operation, f adopt.Field, hash *layout.Template) string {
	if !f.Raw {
		return w.value(f.Kind, w.text(f.Text, hash))
	}
	name := "value"
	switch {
	case op != adopt.Change && op != adopt.Respell:
	case f.Of == adopt.Old:
		name = w.before
	default:
		name = w.after
	}
	if f.Kind == attr.N && w.language == Python {
		return "number(" + name + ")" // the function number checks the form
	}
	return w.value(f.Kind, name)
}

// text writes a template. The value is in the variable v.
func (w *writer) text(t layout.Template, hash *layout.Template) string {
	var parts []string
	for _, p := range t.Pieces() {
		switch {
		case p.Length != nil:
			parts = append(parts, w.length(w.text(*p.Length, hash)))
		case p.Digest != nil:
			parts = append(parts, "digest("+w.text(*p.Digest, hash)+")")
		case p.Variable == layout.ValueVariable:
			parts = append(parts, "v")
		case p.Variable == layout.HashVariable && hash != nil:
			parts = append(parts, w.text(*hash, nil))
		case p.Variable != "":
			parts = append(parts, w.idents[p.Variable])
		default:
			parts = append(parts, w.quote(p.Literal))
		}
	}
	return strings.Join(parts, " + ")
}

// action is an action of a transaction as the templates write it.
type action struct {
	Verb      string
	Table     string
	Put       string // the item of a Put
	Key       string // the key of another action
	Condition string
	Update    string
	Names     [][2]string
	Values    [][2]string
	Refused   string // the name of the error if the condition fails
}

// do returns an action. n is its index in the operation.
func (w *writer) do(op adopt.Operation, n int) action {
	a := w.action(op, n)
	do := action{
		Verb: verbs[a.Verb], Table: w.quote(a.Table), Condition: w.quote(a.Condition), Refused: refusals[a.Refused],
	}
	if a.Update != "" {
		do.Update = w.quote(a.Update)
	}
	for alias, name := range a.Names {
		do.Names = append(do.Names, [2]string{w.quote(alias), w.quote(name)})
	}
	for alias, f := range a.Values {
		do.Values = append(do.Values, [2]string{w.quote(alias), w.field(op, f, nil)})
	}
	sortPairs(do.Names)
	sortPairs(do.Values)
	value := "value"
	switch {
	case op != adopt.Change && op != adopt.Respell:
	case a.Role == adopt.OldLock:
		value = w.before
	default:
		value = w.after
	}
	call := func(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }
	switch {
	case a.Role == adopt.AccountItem && a.Verb == client.Put:
		do.Put = "item"
	case a.Role == adopt.AccountItem:
		do.Key = call(w.accountKey, w.AccountParts()...)
	case a.Verb == client.Put:
		do.Put = call(w.lock, append([]string{value}, w.OwnerParts()...)...)
	default:
		do.Key = call(w.lockKey, append([]string{value}, w.LockParts()...)...)
	}
	return do
}

// refusals are the names of the errors in the code.
var refusals = map[adopt.Refused]string{
	adopt.AccountExists: "AccountExists", adopt.AccountChanged: "AccountChanged", adopt.ValueTaken: "ValueTaken",
	adopt.LockForeign: "LockMismatch", adopt.LockAbsentOrForeign: "LockMismatch",
}

func sortPairs(pairs [][2]string) {
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
}

var verbs = map[client.Verb]string{
	client.Put: "Put", client.Update: "Update", client.Delete: "Delete", client.Check: "ConditionCheck",
}
