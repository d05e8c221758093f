package mcp

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/say"
)

// findingsArgs are the parameters of the tool findings.
type findingsArgs struct {
	place
	Kinds  []finding.Kind `json:"kinds"`
	Offset int            `json:"offset"`
	Limit  int            `json:"limit"`
	Source string         `json:"source"`
}

// The sources of findings.
const (
	fromFile  = "file"
	fromCheck = "check"
)

// The limits of a page of findings.
const (
	usualFindings = 50
	mostFindings  = 100
)

// mostKept limits the findings of a check that the server keeps.
const mostKept = 50_000

func (s *server) findingsTool() tool {
	var kinds []string
	for _, k := range finding.Kinds() {
		kinds = append(kinds, string(k))
	}
	params := []param{
		someOf("kinds", "only findings of these kinds", kinds),
		numberParam("offset", "skip this number of findings; with source check, 0 starts a new check", 0, math.MaxInt32),
		numberParam("limit", "list at most this number of findings; 50 if left out", 1, mostFindings),
	}
	sources := []string{fromCheck}
	about := "Lists what is wrong in the whole table: locks without accounts, accounts without locks, counters below an id in use, " +
		"and more. It checks the table, if that fits the budget. A check takes up to a minute."
	if s.Findings != "" {
		sources = []string{fromFile, fromCheck}
		about = "Lists what is wrong in the whole table: locks without accounts, accounts without locks, counters below an id in use, " +
			"and more. It reads the file of the last check. With source check, it checks the table now, if that fits the " +
			"budget."
	}
	if s.Plans != "" {
		about += " Give the id of a finding to the tool `plan`."
	}
	params = append(params, oneOf("source", "where the findings come from; "+sources[0]+" if left out", sources))
	return tool{
		name: "findings", title: "List what is wrong in a table", params: append(params, s.placeParams()...),
		run: s.runFindings, about: about, data: findingsData,
	}
}

func findingsData() (map[string]any, error) {
	defs := map[string]any{}
	_, err := partOf("finding", defs)
	number := map[string]any{"type": "integer"}
	ref := func(name string) any { return map[string]any{"$ref": "#/$defs/" + name} }
	return object([]string{"source", "total", "offset", "more", "counts", "findings"}, map[string]any{
		"source": map[string]any{"type": "string", "enum": []string{fromFile, fromCheck}}, "total": number, "offset": number, "unknown": number,
		"more":     map[string]any{"type": "boolean"},
		"written":  map[string]any{"type": "string", "format": "date-time"},
		"counts":   map[string]any{"type": "object", "additionalProperties": number},
		"findings": map[string]any{"type": "array", "items": ref("finding.Finding")},
		"summary":  ref("finding.Summary"),
	}, defs), err
}

// findingsPage is the JSON of a page of findings.
type findingsPage struct {
	Source string `json:"source"`
	// Written is when the file of the findings was written.
	Written *time.Time `json:"written,omitempty"`
	// Unknown counts the findings of kinds that this version does not know.
	Unknown int `json:"unknown,omitempty"`
	// Total counts the findings that fit the parameters. More is set if further pages follow.
	Total    int                  `json:"total"`
	Offset   int                  `json:"offset"`
	More     bool                 `json:"more"`
	Counts   map[finding.Kind]int `json:"counts"`
	Findings []finding.Finding    `json:"findings"`
	Summary  *finding.Summary     `json:"summary,omitempty"`
}

// checked is the result of a check of a table.
type checked struct {
	findings []finding.Finding
	summary  finding.Summary
}

func (s *server) runFindings(ctx context.Context, c *call) (any, error) {
	args := findingsArgs{Limit: usualFindings}
	if err := decode(c.tool.name, c.tool.params, c.arguments, &args); err != nil {
		return nil, err
	}
	if args.Source == "" {
		args.Source = fromCheck
		if s.Findings != "" {
			args.Source = fromFile
		}
	}
	c.free = args.Source == fromFile || args.Offset > 0
	t, err := s.openTable(ctx, c, args.place)
	if err != nil {
		return nil, err
	}
	page := &findingsPage{
		Source: args.Source, Offset: args.Offset, Counts: map[finding.Kind]int{}, Findings: []finding.Finding{},
	}
	take := func(f finding.Finding) {
		page.Counts[f.Kind]++
		if len(args.Kinds) > 0 && !slices.Contains(args.Kinds, f.Kind) {
			return
		}
		if page.Total >= args.Offset && len(page.Findings) < args.Limit {
			page.Findings = append(page.Findings, s.given(t, c.at, f))
		}
		page.Total++
	}
	if args.Source == fromFile {
		err = s.readFindings(ctx, t, page, take)
	} else {
		err = s.checkFindings(ctx, c, t, args.Offset, page, take)
	}
	page.More = page.Total > args.Offset+len(page.Findings)
	return page, err
}

// given returns a finding as the assistant gets it, and remembers its id.
func (s *server) given(t *dynamo.Table, at *opened, f finding.Finding) finding.Finding {
	kept := f
	id := s.remember(f.Hash(), subject{at: at, table: t.Name, finding: &kept})
	if s.mask != nil {
		f = s.mask.finding(t, f)
	} else if f.Number() != "" { // the id of this finding is a number, so the detail shows it
		f.Detail += " The id is " + f.Number() + "."
	}
	f.ID, f.Relation = id, nil
	return f
}

// readFindings reads the file of findings.
func (s *server) readFindings(
	ctx context.Context, t *dynamo.Table, page *findingsPage, take func(finding.Finding),
) error {
	unreadable := func(why string) error {
		return &failure{
			Op: "reading the file of findings", Why: why,
			Do: "ask a person to start the server with a file that `tallylock check --output jsonl` wrote",
		}
	}
	info, err := os.Stat(s.Findings)
	switch {
	case err != nil:
		return unreadable(whyUnreadable(err))
	case !info.Mode().IsRegular(): // to open a pipe could wait for ever
		return unreadable("it is not a file")
	}
	file, err := os.Open(s.Findings)
	if err != nil {
		return unreadable(whyUnreadable(err))
	}
	defer file.Close()
	written := info.ModTime().UTC().Truncate(time.Second)
	page.Written = &written
	others := 0
	err = finding.ReadAll(bufio.NewReader(file), func(f finding.Finding) error {
		switch {
		case mend.SameTable(t, f) != nil:
			others++
		case slices.Contains(finding.Kinds(), f.Kind):
			take(f)
		default: // a newer version or another program has written the file
			page.Unknown++
		}
		return ctx.Err()
	}, func(sum finding.Summary) {
		if sum.Table != t.Name || sum.TableID != "" && t.ID != "" && sum.TableID != t.ID {
			return
		}
		if s.mask != nil {
			sum = s.mask.summary(t, sum)
		}
		page.Summary = &sum
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && s.mask == nil:
		return unreadable(err.Error())
	case err != nil:
		return unreadable("a line is not a finding in JSON")
	case others > 0 && len(page.Counts)+page.Unknown == 0:
		return unreadable("all its findings are about another table, or about an earlier table of this name")
	case page.Summary == nil:
		return unreadable("it has no summary of this table: its check did not end, or was of another table")
	}
	return nil
}

// whyUnreadable says why a file cannot be opened, without its name.
func whyUnreadable(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "the server is not allowed to read the file"
	}
	return "the file cannot be read"
}

// errOverBudget ends a check that exceeds the budget of one answer.
var errOverBudget = errors.New("over the budget")

// checkFindings checks the table, if that fits the budget. A later page comes from the last check.
func (s *server) checkFindings(
	ctx context.Context, c *call, t *dynamo.Table, offset int, page *findingsPage, take func(finding.Finding),
) error {
	place := c.at.Name + "\x00" + t.Name
	last := s.checked[place]
	switch {
	case offset > 0 && last == nil:
		return &failure{Op: c.op, Why: "there is no earlier check to continue", Do: "begin with the offset 0"}
	case offset == 0:
		var err error
		if last, err = s.check(ctx, c, t); err != nil {
			return err
		}
		s.checked[place] = last
	}
	for _, f := range last.findings {
		take(f)
	}
	summary := last.summary
	if s.mask != nil {
		summary = s.mask.summary(t, summary)
	}
	page.Summary = &summary
	return nil
}

// check checks a table within the budget of one answer.
func (s *server) check(ctx context.Context, c *call, t *dynamo.Table) (*checked, error) {
	o := s.Check
	o.Segments = 1 // so that little is read beyond the budget
	o.Export, o.Candidates, o.Known, o.Only = nil, nil, nil, nil
	if !check.Checkable(t) {
		return nil, t.NoLayout(c.op)
	}
	estimate, most := setting.Estimate(t, o), t.Connection().AutoReadUnits()
	tooMuch := func(why string) error {
		return &failure{
			Op: c.op, Why: why + ", but one answer can use at most " + units(math.Floor(most)),
			Do: "ask a person to run `tallylock check --output jsonl`, and to start the server with the file, " +
				"or to raise auto_read_units",
		}
	}
	if estimate.Units() > most {
		return nil, tooMuch("a check costs about " + phrase.Count(int64(math.Ceil(estimate.Units())), "read unit"))
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	before := t.Connection().Units()
	out := &checked{}
	found := func(f finding.Finding) {
		f.Relation = nil // the relation would keep whole items in memory
		if len(out.findings) < mostKept {
			out.findings = append(out.findings, f)
		}
	}
	var err error
	out.summary, err = check.Run(ctx, t, o, found, func(now progress.State) {
		if t.Connection().Units()-before > most {
			stop(errOverBudget)
		}
		doing, _ := say.CheckStage(now)
		c.progress(now.Share, doing)
	})
	if errors.Is(context.Cause(ctx), errOverBudget) {
		return nil, tooMuch("the check costs more than expected")
	}
	return out, err
}

// finding masks a finding.
func (m *mask) finding(t *dynamo.Table, f finding.Finding) finding.Finding {
	out := finding.Finding{
		Kind: f.Kind, Table: t.Name, Accounts: []attr.Item{}, MoreAccounts: f.MoreAccounts, MoreItems: f.MoreItems,
		Digests: f.Digests, Confirmed: f.Confirmed, AlsoPossible: knownKinds(f.AlsoPossible), SuspectLayout: f.SuspectLayout,
	}
	out.Detail = say.KindMeans(out.Kind) + "."
	if words := say.Remedy(out.Kind); words != "" {
		out.Detail += " " + words
	}
	if f.Question != nil {
		out.Detail += " A person must first answer a question about the layout: tallylock layout."
	}
	locks := t.Name
	if f.Constraint != "" {
		out.Constraint, out.Value = m.constraint(t, f.Constraint), m.name("value", f.Value)
		if _, c := t.Layout.Constraint(f.Constraint); c != nil {
			locks = t.LockTable(c)
		}
	}
	if locks != t.Name {
		out.LockTable = locks
	}
	if len(f.Lock) > 0 {
		out.Lock = m.item("lock", f.Lock, t.SchemaOf(locks))
	}
	if f.Owner != "" {
		out.Owner = m.name("owner", f.Owner)
	}
	for _, key := range f.Accounts {
		if masked := m.item("account", key, t.Schema); masked != nil {
			out.Accounts = append(out.Accounts, masked)
		}
	}
	if f.Counter != "" {
		out.Counter = m.counterNamed(t, f.Counter)
	}
	out.MoreItems += len(f.Items)
	return out
}

// knownKinds returns the kinds that this program knows. A file may have others.
func knownKinds(all []finding.Kind) (known []finding.Kind) {
	for _, k := range all {
		if slices.Contains(finding.Kinds(), k) {
			known = append(known, k)
		}
	}
	return known
}

// summary masks a summary of a check. It keeps the counts, and the names that the config describes. A summary in a file
// may have other words in place of kinds and states; summary drops these words.
func (m *mask) summary(t *dynamo.Table, s finding.Summary) finding.Summary {
	found := map[finding.Kind]int{}
	for kind, n := range s.Findings {
		if slices.Contains(finding.Kinds(), kind) {
			found[kind] = n
		}
	}
	out := finding.Summary{
		Table: t.Name, Layout: hidden, LayoutState: knownState(s.LayoutState), AsOf: s.AsOf, Items: s.Items,
		Accounts: s.Accounts, Locks: s.Locks, Findings: found, Known: s.Known, Complete: s.Complete, Confirmed: s.Confirmed,
		ReadUnits: s.ReadUnits, Seconds: s.Seconds, Unsettled: s.Unsettled, Reserved: s.Reserved,
		MoreMarks: s.MoreMarks + len(s.Marks), MoreCounters: s.MoreCounters + len(s.Counters), Throttled: s.Throttled,
		Checked: []finding.Checked{}, NotChecked: []finding.NotChecked{},
	}
	if !s.Complete {
		out.Why = "the check is incomplete"
	}
	for _, c := range s.Checked {
		one := finding.Checked{State: knownState(c.State), Locks: c.Locks, Accounts: c.Accounts, Impossible: c.Impossible}
		switch {
		case c.Constraint != "":
			one.Constraint = m.constraint(t, c.Constraint)
		case c.Counter != "":
			one.Counter = m.counterNamed(t, c.Counter)
		default:
			one.Key = m.name("attribute", c.Key)
		}
		out.Checked = append(out.Checked, one)
	}
	for _, n := range s.NotChecked {
		out.NotChecked = append(out.NotChecked, finding.NotChecked{
			What: knownWhat(n.What), Names: []string{}, More: n.Count(), Required: n.Required, Why: "a person can run: tallylock check",
		})
	}
	return out
}

// knownState returns a state of layouts, or the weakest one in place of any other text.
func knownState(s layout.State) layout.State {
	if s.Sure() {
		return s
	}
	return layout.Guessed
}

// knownWhat returns a kind of things that were not checked; hidden in place of any other text.
func knownWhat(what finding.Unchecked) finding.Unchecked {
	switch what {
	case finding.UncheckedConstraints, finding.UncheckedCounters, finding.UncheckedTables, finding.UncheckedItems,
		finding.UncheckedValues, finding.UncheckedFindings:
		return what
	}
	return hidden
}
