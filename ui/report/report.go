// Package report writes what a check found as a file for people: a page that stands by
// itself, or Markdown for a ticket. It keeps a bounded number of findings while the check
// runs, and says how many it does not show. Start at New; page.go and markdown.go write.
package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// About says of which check a report is.
type About struct {
	Table   *dynamo.Table
	Options setting.Options
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
	kinds map[finding.Kind]*found
	not   []string // what confirmed findings do not exclude
}

// found is the findings of a kind.
type found struct {
	all, sure int
	kept      []told
}

// told is a finding, and what it means to people.
type told struct {
	finding.Finding
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
	r := &Report{kinds: map[finding.Kind]*found{}}
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
func (r *Report) Add(f finding.Finding) {
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
func (r *Report) Write(w io.Writer, about About, s finding.Summary) error {
	d := document{
		Title: about.text("Check of " + s.Table), Facts: facts(about, s), Outcome: outcome(s),
		Good:     s.Outcome() == finding.Nothing,
		Complete: s.Complete && (s.Found() > 0 || s.Reach() == finding.Nothing),
		Checked:  about.texts(words.Checked(about.covered(s))), NotChecked: about.texts(words.NotChecked(about.covered(s))),
		Gate: about.text(about.Gate), Masked: about.Mask, Found: s.Found(),
		Rests: about.texts(s.Assumptions), Excluded: about.texts(r.not), Notes: about.texts(notes(about, s)),
		Version: safe.Text(about.Version),
	}
	total := 0
	for _, kind := range finding.Kinds() {
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
func (r *Report) section(about About, kind finding.Kind, of *found, before int) section {
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
func outcome(s finding.Summary) string {
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
func surely(about About, s finding.Summary, confirmed int) string {
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

// facts are what was checked, when, and by what.
func facts(about About, s finding.Summary) []fact {
	t := about.Table
	all := []fact{
		{"Table", s.Table},
		{"Layout", t.Layout.Name + ", " + report.Origin(t)},
		{
			"Read",
			fmt.Sprintf("%s: %s, %s", phrase.Count(s.Items, "item"), phrase.Count(s.Accounts, "account"),
				phrase.Count(s.Locks, "lock")),
		},
		{"When", when(about.Began, about.Ended)},
		{
			"Took",
			words.Lasts(time.Duration(s.Seconds*float64(time.Second))) + ", " +
				words.UsedReadUnits(s.ReadUnits, t.Connection().ReportsUnits()),
		},
		{"Made sure by", sure(about.Options)},
	}
	all = slices.Insert(all, 1, whence(about, s)...)
	if s.Known > 0 && s.Found() > 0 {
		all = append(all, fact{"Left out", phrase.Count(s.Known, "finding") + " that the baseline lists"})
	}
	for n := range all {
		all[n].Is = about.text(all[n].Is)
	}
	return all
}

// when is from when to when; the day of the end is said where it is another.
func when(began, ended time.Time) string {
	const day, clock = "2006-01-02 ", "15:04:05 MST"
	to := ended.Format(clock)
	if began.Format(day) != ended.Format(day) {
		to = ended.Format(day + clock)
	}
	return began.Format(day+clock) + " – " + to
}

// whence is which table it was, and where its items were read.
func whence(about About, s finding.Summary) (all []fact) {
	if s.TableID != "" {
		all = append(all, fact{"Table id", s.TableID})
	}
	export := about.Options.Export
	if export == nil || export.Inferred == "" {
		all = append(all, fact{"At", about.Table.Connection().Where()})
	}
	if export != nil {
		is := about.place(export.Dir)
		var times []string
		for _, one := range export.Tables {
			if at := phrase.UTC(one.At); !one.At.IsZero() && !slices.Contains(times, at) {
				times = append(times, at)
			}
		}
		if len(times) > 0 {
			is += ", as of " + phrase.List(times)
		}
		all = append(all, fact{"Export", is})
	}
	if about.Options.Candidates != nil {
		all = append(all, fact{"Candidates", about.place(about.Options.Candidates.File)})
	}
	return all
}

// sure says how far the check went to make sure of what it found.
func sure(o setting.Options) string {
	switch o.Confirm {
	case setting.ConfirmNone:
		return "nothing: what one reading met is listed"
	case setting.ConfirmReads:
		return "reading each lock together with its accounts"
	}
	return "reading each lock together with its accounts, after all accounts were looked at again"
}

// notes are what people should know besides the findings.
func notes(about About, s finding.Summary) []string {
	var all []string
	if s.Why != "" {
		all = append(all, "Incomplete: "+words.Sentence(s.Why))
	}
	all = append(all, words.Notes(s)...)
	for n, note := range all {
		all[n] = about.unplaced(note)
	}
	return all
}

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// page is the template of the page. What it shows of a table is text: the template
// escapes it, and the page's own policy runs no script and takes no style but these two,
// and fetches nothing.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"number": phrase.Number[int],
		"style":  func() template.CSS { return template.CSS(pageStyle) },
		"script": func() template.JS { return template.JS(pageScript) },
		"policy": func() string {
			return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(pageStyle) + "'; script-src '" + digest(pageScript) + "'"
		},
	}).Parse(pageText))
})

// digest is how a content security policy names what stands in a page.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func writePage(w io.Writer, d document) error { return page().Execute(w, d) }

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
	if f.Kind == finding.DuplicateValue && len(keys) > 1 { // whose accounts come in any order, after the lock
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
			e.Value = guess.Masked(e.Value, nil)
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
