// Package report writes the findings of a check into a file for people: an HTML page without other
// files, or Markdown for a ticket. It keeps a limited number of findings, and counts the rest.
// Start at New. page.html and markdown.go have the formats.
package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // for the parts of the page
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
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
)

// About describes the check of a report.
type About struct {
	Table   *dynamo.Table
	Options setting.Options
	Version string // the program's version
	Began   time.Time
	Ended   time.Time
	// Gate describes the result of the check's gate. It is empty if there is no gate.
	Gate string
	// Mask: the report masks all values, keys and ids of items.
	Mask bool
}

// Report collects the findings of a check.
type Report struct {
	write func(io.Writer, document) error
	most  int // the greatest number of findings of each kind
	kinds map[finding.Kind]*found
	not   []string // the changes that confirmed findings cannot exclude
}

// found has the findings of one kind.
type found struct {
	all, sure int
	kept      []told
}

// told is a finding, with a sentence about its effect on people.
type told struct {
	finding.Finding
	means string
}

// The greatest number of findings of each kind in a report. A page of 2,000 findings scrolls and
// filters without delay. A ticket has at most 65,536 characters.
const (
	mostOnPage     = 2000
	mostInMarkdown = 15
)

// New begins a report. The extension of path selects its format.
func New(path string) (*Report, error) {
	r := &Report{kinds: map[finding.Kind]*found{}}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html":
		r.write, r.most = writePage, mostOnPage
	case ".md":
		r.write, r.most = writeMarkdown, mostInMarkdown
	default:
		return nil, fmt.Errorf("%s has no known format: name a file that ends in .html or .md", path)
	}
	return r, nil
}

// Add adds a finding.
func (r *Report) Add(f finding.Finding) {
	of := r.kinds[f.Kind]
	if of == nil {
		of = &found{}
		r.kinds[f.Kind] = of
	}
	if of.all++; f.Confirmed {
		of.sure++
		if _, not := f.SplitEvidence(); not != "" && !slices.Contains(r.not, say.Sentence(not)) {
			r.not = append(r.not, say.Sentence(not))
		}
	}
	if len(of.kept) < r.most {
		means := say.FindingMeans(f)
		f.Relation = nil // the relation would keep whole items in memory
		of.kept = append(of.kept, told{f, means})
	}
}

// Write writes the report after the check.
func (r *Report) Write(w io.Writer, about About, s finding.Summary) error {
	d := document{
		Title: about.text("Check of " + s.Table), Facts: facts(about, s), Outcome: say.CheckFound(s),
		Good:     s.Outcome() == finding.Nothing,
		Complete: s.Complete && (s.Found() > 0 || s.Reach() == finding.Nothing),
		Checked:  about.texts(say.Checked(about.covered(s))), NotChecked: about.texts(say.NotChecked(about.covered(s))),
		Gate: about.text(about.Gate), Masked: about.Mask, Found: s.Found(),
		Rests: about.texts(s.Assumptions), Excluded: about.texts(r.not), Notes: about.texts(notes(about, s)),
		Version: safe.Text(about.Version),
	}
	for _, kind := range finding.Kinds() {
		if of := r.kinds[kind]; of != nil {
			d.Kinds = append(d.Kinds, r.section(about, kind, of))
		}
	}
	confirmed := 0
	for n := range d.Kinds {
		d.Kinds[n].share(d.Kinds)
		confirmed += d.Kinds[n].Sure
	}
	d.Sure = say.CheckSurely(about.Options, s, confirmed)
	return r.write(w, d)
}

// section returns the findings of one kind, for the template.
func (r *Report) section(about About, kind finding.Kind, of *found) section {
	slices.SortStableFunc(of.kept, func(a, b told) int {
		return cmp.Or(strings.Compare(a.Constraint, b.Constraint), strings.Compare(a.Subject(), b.Subject()))
	})
	sign := say.Kind(kind)
	sec := section{
		Kind: string(kind), Glyph: sign.Glyph, Tone: tone(sign.Style), All: of.all, Sure: of.sure,
		Unshown: of.all - len(of.kept),
		Means:   say.Sentence(say.KindMeans(kind)), Do: say.Remedy(kind),
	}
	for _, f := range of.kept {
		e := entry{Confirmed: f.Confirmed}
		e.fill(about, f)
		sec.Findings = append(sec.Findings, e)
	}
	return sec
}

// tone returns the colour of a kind, as on the screens: it shows how serious the kind is.
func tone(s kit.Style) string {
	switch s &^ kit.Bold {
	case kit.Bad:
		return "bad"
	case kit.Other:
		return "other"
	}
	return "warn"
}

// facts returns the table, the layout, the time and the cost of the check.
func facts(about About, s finding.Summary) []fact {
	t := about.Table
	all := []fact{
		{"Table", s.Table},
		{"Layout", t.Layout.Name + ", " + report.Origin(t)},
		{
			"Read",
			phrase.Count(s.Items, "item") + ": " + say.AccountsAndLocks(s),
		},
		{"When", when(about.Began, about.Ended)},
		{
			"Took",
			say.Took(s) + ", " +
				say.UsedReadUnits(s.ReadUnits, t.Connection().ReportsUnits()),
		},
		{"Confirmed by", say.ConfirmedBy(about.Options)},
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

// when returns the beginning and the end of the check. It repeats the day only if it changed.
func when(began, ended time.Time) string {
	const day, clock = "2006-01-02 ", "15:04:05 MST"
	to := ended.Format(clock)
	if began.Format(day) != ended.Format(day) {
		to = ended.Format(day + clock)
	}
	return began.Format(day+clock) + " – " + to
}

// whence returns the identity of the table, and where the check read its items.
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
	if from := about.Options.Candidates; from != nil && from.File == "" {
		all = append(all, fact{"Candidates", "the SQL of this run"})
	} else if from != nil {
		all = append(all, fact{"Candidates", about.place(from.File)})
	}
	return all
}

// notes returns the notes of the check.
func notes(about About, s finding.Summary) []string {
	var all []string
	if s.Why != "" {
		all = append(all, "Incomplete: "+say.Sentence(s.Why))
	}
	all = append(all, say.Notes(s)...)
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

// page is the template of the page. The template escapes all texts from the table. The page's
// policy allows only this script and this style, and loads nothing else.
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

// digest returns the hash of a script or style, in the form that a content security policy needs.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// roomOnPage is the approximate number of bytes that the findings of all kinds may take on a page. A page of 5 MB opens
// without delay.
const roomOnPage = 4_900_000

func writePage(w io.Writer, d document) error {
	d.fit(roomOnPage, entry.htmlSize)
	return page().Execute(w, d)
}

// htmlSize is at least the size of the finding on the page, in bytes.
func (e entry) htmlSize() int {
	const article, key = 320, len("<li><code></code></li>")
	size := article + key*len(e.Keys)
	for _, text := range append([]string{e.About, e.Value, e.Says, e.Means, e.Evidence, e.Command}, e.Keys...) {
		size += len(text)
		for _, escaped := range `"'&<>+` {
			size += (len("&#34;") - 1) * strings.Count(text, string(escaped))
		}
	}
	return size
}

// document has everything that a report shows, in any format. All its texts are printable.
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

// fit leaves out the last findings of each kind, so that the findings take at most room bytes. Each kind gets an equal
// share of room. A kind that needs less leaves the rest of its share to the others.
func (d *document) fit(room int, size func(entry) int) {
	sizes := make([]int, len(d.Kinds))
	order := make([]int, len(d.Kinds))
	for n := range d.Kinds {
		order[n] = n
		for _, e := range d.Kinds[n].Findings {
			sizes[n] += size(e)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	for done, n := range order {
		s := &d.Kinds[n]
		share, fits := room/(len(order)-done), 0
		for ; fits < len(s.Findings); fits++ {
			one := size(s.Findings[fits])
			if one > share {
				break
			}
			share, room = share-one, room-one
		}
		s.Unshown += len(s.Findings) - fits
		s.Findings = s.Findings[:fits]
	}
	d.Shown = 0
	for _, s := range d.Kinds {
		for n := range s.Findings {
			d.Shown++
			s.Findings[n].Number = d.Shown
		}
	}
}

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
	About     string // the name of a constraint, "id" or "counter"
	Value     string
	Says      string   // what is wrong, in a sentence
	Means     string   // the effect on people
	Keys      []string // the keys of its items
	More      int      // how many keys are left out
	Evidence  string
	Command   string // the command that repairs it; empty if there is none
}

// Unconfirmed counts the findings that are not confirmed.
func (s section) Unconfirmed() int { return s.All - s.Sure }

// share computes the length of the bars. The longest bar is 100, and no bar is too short to see.
func (s *section) share(all []section) {
	longest := 1
	for _, one := range all {
		longest = max(longest, one.All)
	}
	bar := func(n int) float64 { return max(100*float64(n)/float64(longest), min(float64(n), 0.5)) }
	s.Bar, s.BarSure = bar(s.All), bar(s.Sure)
}

// mostKeys limits the keys of one finding in the report.
const mostKeys = 20

// fill writes a finding in words.
func (e *entry) fill(about About, said told) {
	t, f := about.Table, said.Finding
	e.About, e.Value = say.Subject(f)
	e.Evidence, _ = f.SplitEvidence()
	keys := say.FindingKeys(t, f)
	e.More = max(len(keys)-mostKeys, 0) + f.MoreAccounts
	for _, k := range keys[:min(len(keys), mostKeys)] {
		if about.Mask {
			e.Keys = append(e.Keys, safe.Text(maskedKey(t, k)))
		} else {
			e.Keys = append(e.Keys, safe.Text(k.String()))
		}
	}
	if about.Mask {
		// The sentences of findings quote values in several spellings, so a masked report leaves
		// them out. The text about the kind is enough.
		if e.About == "counter" {
			e.Value = maskedName(t, e.Value)
		} else {
			e.Value = guess.Masked(e.Value, nil)
		}
	} else {
		e.Says, e.Means = f.Detail, said.means
		if line := say.RemedyCommand(t, f); safe.Text(line) == line { // an escaped command would name another value
			e.Command = line
		}
	}
	e.Value, _ = safe.Value(e.Value)
	if e.Value == "" {
		e.Value = "''"
	}
	e.About, e.Says, e.Means = safe.Text(e.About), safe.Text(e.Says), safe.Text(say.Sentence(e.Means))
	if e.Evidence = safe.Text(e.Evidence); about.Mask {
		e.Evidence = masked(e.Evidence)
	}
}

// MoreKeys says how many keys are left out.
func (e entry) MoreKeys() string { return say.MoreKeys(e.More) }
