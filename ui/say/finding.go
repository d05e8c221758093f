package say

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// kindWords has the texts about a kind of finding. In effect and byHand, {value} stands for the
// subject of a finding, and {expected} for the right text.
type kindWords struct {
	sign   kit.Sign
	means  string
	effect string // on people and programs; if empty, the consequence of the lock's verdict
	remedy string
	byHand string // why no command repairs it; empty if one does
}

// kindsWords has the texts about all kinds. No other place has such texts.
var kindsWords = map[finding.Kind]kindWords{
	finding.OrphanedLock: {
		sign:   Verdict(verdict.Orphaned, false),
		means:  "no account uses the value; the lock's owner, if any, is gone",
		remedy: "Release the lock. tallylock marks it, reads everything again, and deletes it if still no account uses its value.",
	},
	finding.StaleLock: {
		sign:   Verdict(verdict.Stale, false),
		means:  "the lock's owner exists and holds another value",
		remedy: "Release the lock, if its owner still holds another value.",
	},
	finding.MissingLock: {
		sign:   Verdict(verdict.Missing, false),
		means:  "an account's value has no lock",
		remedy: "Put the lock, if it is still missing. Find the program that wrote the value without its lock.",
	},
	finding.ForeignLock: {
		sign:   Verdict(verdict.Foreign, false),
		means:  "the lock names one account, but only another holds the value",
		remedy: "Give the lock to the account that holds the value.",
	},
	finding.DuplicateValue: {
		sign:   Verdict(verdict.Duplicate, false),
		means:  "two accounts or more hold one value",
		remedy: "Decide who keeps the value, and give the other accounts different values. No program can decide that.",
		byHand: "decide who keeps it, then change the others' value",
	},
	finding.UnnormalisedLock: {
		sign:   kit.Sign{Glyph: kit.GlyphAlike, Style: kit.Warn, Word: "misspelt"},
		means:  "an account and a lock match only if case is ignored",
		effect: `no lock keeps "{value}", and the lock of the other spelling is unused`,
		remedy: "Put the lock of the right spelling, and delete the wrong one. Then repair the program that writes the other spelling.",
	},
	finding.MalformedLock: {
		sign:   Verdict(verdict.Malformed, false),
		means:  "the lock's key can only come from a mistake",
		remedy: "First repair the program that wrote the lock. Then release the lock: mend does not change such a lock.",
		byHand: "repair the program that wrote the lock",
	},
	finding.ExpiringAccount: {
		sign:   kit.Sign{Glyph: kit.GlyphExpiring, Style: kit.Warn, Word: "expiring"},
		means:  "DynamoDB will delete the account but not its lock, or the reverse",
		effect: "a lock without its account will stay behind, or an account without its lock",
		remedy: "Make the account's locks expire with it.",
	},
	finding.CounterBehind: {
		sign:   kit.Sign{Glyph: kit.GlyphBehind, Style: kit.Bad, Word: "behind"},
		means:  "an id above the counter is in use",
		effect: "numbers that are in use will be handed out again",
		remedy: "Raise the counter, so that its next number is above all ids.",
	},
	finding.CounterMissing: {
		sign:   kit.Sign{Glyph: kit.GlyphMissing, Style: kit.Warn, Word: "missing"},
		means:  "ids exist, but their counter does not",
		effect: "the numbers start again, so ids in use are handed out again",
		remedy: "Create the counter, so that its next number is above all ids.",
	},
	finding.CounterNotNumber: {
		sign:   kit.Sign{Glyph: kit.GlyphNotNumber, Style: kit.Bad, Word: "not a number"},
		means:  "the counter is text, a fraction or a negative number",
		effect: "the application's next ADD fails, or hands out a wrong number",
		remedy: "Turn the counter into a number, so that its next number is above all ids.",
	},
	finding.CounterUnsafe: {
		sign:   kit.Sign{Glyph: kit.GlyphUnsafe, Style: kit.Warn, Word: "past 2^53"},
		means:  "the counter is above 2^53 − 1",
		effect: "JavaScript and other programs that use doubles see another number",
		remedy: "The number is right. Repair the programs that read it as a double.",
		byHand: "the counter's number is right: repair the programs that read it as a double",
	},
	finding.CounterOffStep: {
		sign:   kit.Sign{Glyph: kit.GlyphOffStep, Style: kit.Warn, Word: "off step"},
		means:  "the counter's number is not in its series",
		effect: "its numbers collide with another series",
		remedy: "Raise the counter to the next number of its series.",
	},
	finding.DuplicateID: {
		sign:   kit.Sign{Glyph: kit.GlyphDuplicate, Style: kit.Bad, Word: "same id"},
		means:  "two items have the same id",
		effect: "a search by this id finds only one of them",
		remedy: "Decide which item keeps the id, and let the application give the others new numbers.",
		byHand: "decide which item keeps the id, then give the others new numbers",
	},
	finding.DriftedKey: {
		sign:   kit.Sign{Glyph: kit.GlyphAlike, Style: kit.Warn, Word: "drifted"},
		means:  "a key does not match the item's attributes",
		effect: `a search for "{expected}" misses this item`,
		remedy: "Let the application update the key whenever its attributes change. Then save the item once more.",
		byHand: `the application must write the key "{expected}"`,
	},
}

// shared says what it means that several accounts use one value.
func shared(accounts int, constraint string) string {
	return phrase.Count(accounts, "account") + " use one " + constraint + "; decide who keeps it"
}

// KindMeans explains a kind of finding.
func KindMeans(k finding.Kind) string { return kindsWords[k].means }

// Kind returns the sign for a kind of finding.
func Kind(k finding.Kind) kit.Sign {
	if of, known := kindsWords[k]; known {
		return of.sign
	}
	return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: string(k)}
}

// FindingMeans returns the effect of a finding on people.
func FindingMeans(f finding.Finding) string {
	switch so := kindsWords[f.Kind].effect; {
	case f.Kind == finding.DuplicateValue:
		return shared(len(f.Accounts), f.Constraint)
	case so != "":
		return filled(f, so)
	case Unknown(f): // the sentence of the finding says why the verdict is unknown
		return ""
	case f.Relation != nil:
		return Consequence(f.Relation)
	}
	return ""
}

// Remedy says how to repair findings of a kind.
func Remedy(k finding.Kind) string {
	if len(mend.Verbs(k, "")) > 0 {
		return kindsWords[k].remedy + " For all of them: tallylock mend."
	}
	return kindsWords[k].remedy
}

// ByHand explains why no command repairs a finding. It is empty if one does.
func ByHand(f finding.Finding) string { return filled(f, kindsWords[f.Kind].byHand) }

// filled replaces {value} and {expected} by the texts of a finding.
func filled(f finding.Finding, words string) string {
	_, value := Subject(f)
	return strings.NewReplacer("{value}", value, "{expected}", f.Expected).Replace(words)
}

// Finding returns the sign for a finding. An unconfirmed finding is muted and has a question mark.
// If the verdict on the lock is unknown, the sign says so.
func Finding(f finding.Finding) kit.Sign {
	if Unknown(f) {
		return Verdict(verdict.Unknown, false)
	}
	s := Kind(f.Kind)
	if !f.Confirmed {
		s.Word += "?"
		s.Quiet = true
	}
	return s
}

// Unknown reports whether the verdict on a finding's lock is unknown.
func Unknown(f finding.Finding) bool {
	return !f.Confirmed && f.Relation != nil && f.Relation.Verdict == verdict.Unknown
}

// Subject returns the subject of a finding: a constraint and a value, an id, a counter, or a
// derived key.
func Subject(f finding.Finding) (what, value string) {
	switch {
	case f.Kind == finding.DriftedKey:
		return f.Attribute, f.Seen.Display()
	case f.Number() != "":
		return "id", f.Number()
	case f.Counter != "":
		return "counter", f.Counter
	}
	if f.Relation != nil { // if the locks keep digests, f.Value is a digest, and people know the account's value
		return f.Constraint, f.Relation.Shown()
	}
	return f.Constraint, f.Value
}

// FindingInWords describes a finding in sentences, for a ticket.
func FindingInWords(f finding.Finding) string {
	what, value := Subject(f)
	said := fmt.Sprintf("%s: %s %q in %s.", f.Kind, what, value, f.Table)
	if f.Detail != "" {
		said += " " + f.Detail
	}
	if !f.Confirmed && !strings.Contains(f.Detail, "Not confirmed") {
		said += " Not confirmed."
	}
	if f.Evidence != "" {
		said += " " + f.Evidence
	}
	return said
}

// Account returns the partition key of an account, for a list.
func Account(t *dynamo.Table, key attr.Item) string {
	if k, ok := t.Schema.KeyOf(key); ok {
		return k.Hash.Value.Display()
	}
	return ""
}

// DrawHolder draws the account that holds a finding's value, or the value of the counter.
func DrawHolder(l *kit.Line, t *dynamo.Table, f finding.Finding, w int) {
	switch {
	case f.Kind == finding.CounterMissing:
		l.Words(kit.Absent, "no counter", w)
	case f.Kind == finding.CounterNotNumber:
		l.Fit(kit.Text, strconv.Quote(f.Seen.Display()), w)
	case f.Number() != "":
		l.Words(kit.Text, phrase.Count(len(f.Items), "item"), w)
	case f.Counter != "":
		said := ""
		if f.HighestID != "" {
			said = phrase.Group(f.Seen.Text) + ", " + phrase.Group(f.HighestID) + " in use"
		}
		if said == "" || kit.Width(said) > w {
			said = FitNumber(f.Seen.Text, w) // a number is never cut; the detail shows both numbers
		}
		l.Words(kit.Text, said, w)
	case len(f.Accounts) > 1:
		l.Words(kit.Text, phrase.Count(len(f.Accounts), "account"), w)
	case len(f.Accounts) == 1:
		l.Middle(kit.Text, Account(t, f.Accounts[0]), w)
	case f.Owner != "":
		l.Words(kit.Absent, "owner gone", w)
	case Unknown(f):
		l.Words(kit.Absent, "not known", w)
	default:
		l.Words(kit.Absent, "no account", w)
	}
}

// Suspect warns that very many findings are alike.
const Suspect = "there are very many: look at some of them before you repair all"

// FindingItem is an item that a finding is about.
type FindingItem struct {
	Label   string // "LOCK", "ACCOUNT"
	Table   string
	Key     attr.Key
	Seen    attr.Item // the item as the check read it; nil if it was not read, or does not exist
	Gone    bool      // the check found that the item does not exist
	Account bool
	Read    bool // the finding does not list the item: the check read it
}

// FindingItems returns the items of a finding, in this order: the lock, the lock with the right key if the key is
// wrong, the accounts that hold its value, the account that it names, the counter, and the items whose ids matter.
func FindingItems(t *dynamo.Table, f finding.Finding) []FindingItem {
	var out []FindingItem
	add := func(key attr.Item, i FindingItem) {
		if k, ok := t.SchemaOf(i.Table).KeyOf(key); ok {
			i.Key = k
			out = append(out, i)
		}
	}
	r := f.Relation
	lock := FindingItem{Label: "LOCK", Table: cmp.Or(f.LockTable, f.Table), Gone: f.Kind == finding.MissingLock}
	if r != nil && r.Lock.Key.Item().Equal(f.Lock) {
		lock.Seen = r.Lock.Item
	}
	add(f.Lock, lock)
	if f.Kind == finding.UnnormalisedLock && r != nil { // f.Lock is the lock with the wrong key
		add(r.Lock.Key.Item(), FindingItem{Label: "LOCK IT SHOULD HAVE", Table: r.Lock.Table, Gone: true, Read: true})
	}
	first := len(out)
	for _, key := range f.Accounts {
		add(key, FindingItem{Label: "ACCOUNT", Table: f.Table, Account: true})
	}
	accounts, seen := out[first:], accountsSeen(r)
	slices.SortFunc(accounts, func(x, y FindingItem) int { // a scan returns them in any order
		return strings.Compare(x.Key.String(), y.Key.String())
	})
	for n := range accounts {
		accounts[n].Seen = seen[accounts[n].Key.ID()]
	}
	if r != nil && r.OwnerAccount != nil {
		owner := FindingItem{
			Label: "THE OWNER IT NAMES", Table: f.Table, Seen: r.OwnerAccount.Item, Account: true, Read: true,
		}
		if n := len(accounts) - 1; f.Kind == finding.StaleLock && n >= 0 {
			accounts[n].Label = owner.Label
		} else {
			add(r.OwnerAccount.Key.Item(), owner)
		}
	}
	add(f.Key, FindingItem{Label: "COUNTER", Table: f.Table, Gone: f.Kind == finding.CounterMissing})
	label := "THE HIGHEST ID IN USE"
	if f.Kind == finding.DuplicateID {
		label = "ITEM"
	}
	for _, at := range f.Items {
		add(at.Key, FindingItem{Label: label, Table: cmp.Or(at.Table, f.Table)})
	}
	return out
}

// accountsSeen returns the accounts of a relation as the check read them, by the ids of their keys.
func accountsSeen(r *verdict.Relation) map[string]attr.Item {
	seen := map[string]attr.Item{}
	if r == nil {
		return seen
	}
	if a := r.OwnerAccount; a != nil {
		seen[a.Key.ID()] = a.Item
	}
	for _, a := range r.Claimants {
		seen[a.Key.ID()] = a.Item
	}
	return seen
}

// MoreKeys says how many keys of a finding are left out.
func MoreKeys(n int) string { return "and " + phrase.Number(n) + " more: --output jsonl lists them" }

// FindingKeys lists the keys of the items that a finding lists, in the order of FindingItems.
func FindingKeys(t *dynamo.Table, f finding.Finding) []attr.Key {
	var keys []attr.Key
	for _, i := range FindingItems(t, f) {
		if !i.Read {
			keys = append(keys, i.Key)
		}
	}
	return keys
}
