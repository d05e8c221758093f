// Package report writes what a check found as a file for people: a page that stands by
// itself, or Markdown for a ticket. It keeps a bounded number of findings while the check
// runs, and says how many it does not show. Start at New; page.go and markdown.go write.
package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// About says of which check a report is.
type About struct {
	Table   *dynamo.Table
	Options check.Options
	Version string // of the program
	Began   time.Time
	Ended   time.Time
	// Gate is what the gate says of the findings; empty where there is none.
	Gate string
	// Mask writes no value, key or id of an item as it is.
	Mask bool
}

// Report gathers the findings of a check.
type Report struct {
	write func(io.Writer, document) error
	most  int // findings of each kind
	kinds map[check.Kind]*found
	not   []string // what confirmed findings do not exclude
}

// found is the findings of a kind.
type found struct {
	all, sure int
	kept      []told
}

// told is a finding, and what it means to people.
type told struct {
	check.Finding
	means string
}

// How many findings of each kind a report shows. A page of 2,000 is scrolled and filtered
// without a delay; a ticket takes 65,536 characters.
const (
	mostOnPage     = 2000
	mostInMarkdown = 15
)

// New begins the report that a file with this name is to be.
func New(path string) (*Report, error) {
	r := &Report{kinds: map[check.Kind]*found{}}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html":
		r.write, r.most = writePage, mostOnPage
	case ".md":
		r.write, r.most = writeMarkdown, mostInMarkdown
	default:
		return nil, fmt.Errorf("%s tells no format: name a file that ends in .html or .md", path)
	}
	return r, nil
}

// Add takes a finding in.
func (r *Report) Add(f check.Finding) {
	of := r.kinds[f.Kind]
	if of == nil {
		of = &found{}
		r.kinds[f.Kind] = of
	}
	if of.all++; f.Confirmed {
		of.sure++
		if _, not := f.Rests(); not != "" && !slices.Contains(r.not, words.Sentence(not)) {
			r.not = append(r.not, words.Sentence(not))
		}
	}
	if len(of.kept) < r.most {
		means := words.FindingMeans(f)
		f.Relation = nil // which holds whole items
		of.kept = append(of.kept, told{f, means})
	}
}

// Write writes the report of a check that is over.
func (r *Report) Write(w io.Writer, about About, s check.Summary) error {
	d := document{
		Title: about.text("Check of " + s.Table), Facts: facts(about, s), Outcome: outcome(s),
		Good:     s.Outcome() == check.Nothing,
		Complete: s.Complete && (s.Found() > 0 || s.Reach() == check.Nothing),
		Checked:  about.texts(words.Checked(about.covered(s))), NotChecked: about.texts(words.NotChecked(about.covered(s))),
		Gate: about.text(about.Gate), Masked: about.Mask, Found: s.Found(),
		Rests: about.texts(s.Assumptions), Excluded: about.texts(r.not), Notes: about.texts(notes(about, s)),
		Version: safe.Text(about.Version),
	}
	total := 0
	for _, kind := range check.Kinds() {
		if of := r.kinds[kind]; of != nil {
			d.Kinds = append(d.Kinds, r.section(about, kind, of, total))
			total += len(of.kept)
		}
	}
	d.Shown = total
	confirmed := 0
	for n := range d.Kinds {
		d.Kinds[n].share(d.Kinds)
		confirmed += d.Kinds[n].Sure
	}
	d.Sure = surely(about, s, confirmed)
	return r.write(w, d)
}

// section is what is shown of a kind; before is how many findings stand above it.
func (r *Report) section(about About, kind check.Kind, of *found, before int) section {
	slices.SortStableFunc(of.kept, func(a, b told) int {
		return cmp.Or(strings.Compare(a.Constraint, b.Constraint), strings.Compare(a.Subject(), b.Subject()))
	})
	sign := words.Kind(kind)
	sec := section{
		Kind: string(kind), Glyph: sign.Glyph, Tone: tone(sign.Style), All: of.all, Sure: of.sure,
		Unshown: of.all - len(of.kept),
		Means:   words.Sentence(words.KindMeans(kind)), Do: words.Remedy(kind),
	}
	for n, f := range of.kept {
		e := entry{Number: before + n + 1, Confirmed: f.Confirmed}
		e.fill(about, f)
		sec.Findings = append(sec.Findings, e)
	}
	return sec
}

// tone is how serious a kind is, as the screens colour it.
func tone(s kit.Style) string {
	switch s &^ kit.Bold {
	case kit.Bad:
		return "bad"
	case kit.Other:
		return "other"
	}
	return "warn"
}

// outcome is the check in a sentence.
func outcome(s check.Summary) string {
	said, _ := words.CheckOutcome(s)
	if n := s.Found(); n > 0 {
		said = phrase.Count(n, "finding")
		if !s.Confirmed {
			said += ", not all of them confirmed"
		}
		said += "."
	}
	if !s.Complete {
		said += " The check is incomplete."
	}
	return said
}

// surely says in a sentence or two how sure the check is.
func surely(about About, s check.Summary, confirmed int) string {
	said := "The whole table was read."
	switch {
	case !s.Complete:
		said = "The check is incomplete: there may be more."
	case about.Options.Export != nil:
		said = "The whole export was read."
	case about.Options.Candidates != nil:
		said = "All candidates were looked into; what was written since their export is not looked for."
	}
	switch n := s.Found(); {
	case n == 0:
	case confirmed == 0 && s.LayoutState == layout.Guessed:
		said += " The layout is guessed, and a guess confirms nothing."
	case confirmed == n:
		said += " All findings are confirmed: each was read again, and is no passing state of the application's."
	default:
		said += fmt.Sprintf(
			" %s of %s are confirmed. The others may be a passing state of the application's, such as a sign-up under way.",
			phrase.Number(confirmed), phrase.Count(n, "finding"),
		)
	}
	return said
}
