package report

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// document is what a report says, whatever it is written as. All its texts are printable.
type document struct {
	Title, Outcome, Gate, Sure, Version string
	Good, Complete, Masked              bool
	Facts                               []fact
	Found, Shown                        int
	Kinds                               []section
	Rests, Excluded, Notes              []string
	Checked, NotChecked                 []string
}

type fact struct{ Name, Is string }

// section is the findings of one kind.
type section struct {
	Kind, Glyph, Tone  string
	Means, Do          string
	All, Sure, Unshown int
	Bar, BarSure       float64 // in hundredths of the longest bar
	Findings           []entry
}

// entry is one finding.
type entry struct {
	Number    int
	Confirmed bool
	About     string // a constraint, "id" or "counter"
	Value     string
	Says      string   // what is wrong, in a sentence
	Means     string   // to people
	Keys      []string // of the items that it is about
	More      int      // keys that are not listed
	Evidence  string
	Command   string // that puts it in order; empty where none does
}

// Unconfirmed is how many findings of the kind were not confirmed.
func (s section) Unconfirmed() int { return s.All - s.Sure }

// share says how long the bars are, so that the longest fills its column and none is too
// short to be seen.
func (s *section) share(all []section) {
	longest := 1
	for _, one := range all {
		longest = max(longest, one.All)
	}
	bar := func(n int) float64 { return max(100*float64(n)/float64(longest), min(float64(n), 0.5)) }
	s.Bar, s.BarSure = bar(s.All), bar(s.Sure)
}

// mostKeys is how many keys of one finding are listed.
const mostKeys = 20

// fill puts a finding into words.
func (e *entry) fill(about About, said told) {
	t, f := about.Table, said.Finding
	e.About, e.Value = words.Subject(f)
	e.Evidence, _ = f.Rests()
	keys := words.FindingKeys(t, f)
	if f.Kind == check.DuplicateValue && len(keys) > 1 { // whose accounts come in any order, after the lock
		slices.SortFunc(keys[1:], func(a, b attr.Key) int { return strings.Compare(a.String(), b.String()) })
	}
	e.More = max(len(keys)-mostKeys, 0) + f.MoreAccounts
	for _, k := range keys[:min(len(keys), mostKeys)] {
		if about.Mask {
			e.Keys = append(e.Keys, safe.Text(maskedKey(t, k)))
		} else {
			e.Keys = append(e.Keys, safe.Text(k.String()))
		}
	}
	if about.Mask {
		// Sentences of findings quote values, in several spellings: what is said of the
		// kind has to do.
		if e.About == "counter" {
			e.Value = maskedName(t, e.Value)
		} else {
			e.Value = dynamo.Masked(e.Value, nil)
		}
	} else {
		e.Says, e.Means = f.Detail, said.means
		if line := words.RemedyCommand(t, f); safe.Text(line) == line { // else it would name another value
			e.Command = line
		}
	}
	e.Value, _ = safe.Value(e.Value)
	if e.Value == "" {
		e.Value = "''"
	}
	e.About, e.Says, e.Means = safe.Text(e.About), safe.Text(e.Says), safe.Text(words.Sentence(e.Means))
	if e.Evidence = safe.Text(e.Evidence); about.Mask {
		e.Evidence = masked(e.Evidence)
	}
}

// MoreKeys says how many keys are not listed.
func (e entry) MoreKeys() string {
	return fmt.Sprintf("and %s more: --output jsonl lists them", phrase.Number(e.More))
}
