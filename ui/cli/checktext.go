package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
)

// writeCheck writes a check for people: what was read, what is wrong by its kind,
// and what they should know besides.
func writeCheck(p *paper, t *dynamo.Table, findings []check.Finding, s check.Summary) {
	p.put(strong, t.Name)
	done := "complete"
	switch {
	case !s.Complete:
		done = "incomplete"
	case s.Unsettled > 0:
		done = "complete but for " + phrase.Count(s.Unsettled, "value")
	}
	p.line(muted, "  %s, %s, %s, %s, %s, %s", phrase.Count(s.Items, "item"), phrase.Count(s.Accounts, "account"), phrase.Count(s.Locks, "lock"), units(s.ReadUnits, "read"), seconds(s.Seconds), done)
	byKind := map[check.Kind][]check.Finding{}
	for _, f := range findings {
		byKind[f.Kind] = append(byKind[f.Kind], f)
	}
	for _, kind := range check.Kinds() {
		if all := byKind[kind]; len(all) > 0 {
			writeKind(p, t, kind, all)
		}
	}
	p.end()
	switch {
	case len(findings) > 0:
	case s.Known > 0:
		p.line(good, "● Nothing new: the baseline lists the %s.", phrase.Count(s.Known, "finding"))
	case s.Complete && s.Unsettled > 0:
		p.line(warn, "? Nothing was found, but not everything could be judged.")
	case s.Complete:
		p.line(good, "● Nothing is wrong.")
	default:
		p.line(warn, "? Nothing was found so far.")
	}
	writeRests(p, findings, s)
	writeBeside(p, s)
}

// writeRests says once what confirmed findings rest on, and what that does not
// exclude.
func writeRests(p *paper, findings []check.Finding, s check.Summary) {
	var not []string
	for _, f := range findings {
		if _, n := f.Rests(); n != "" && f.Confirmed && !slices.Contains(not, n) {
			not = append(not, n)
		}
	}
	if len(s.Assumptions)+len(not) == 0 {
		return
	}
	p.line(strong, "What confirmed findings rest on")
	for _, a := range s.Assumptions {
		p.put(muted, "  ")
		p.hang(muted, 2, a)
	}
	for _, n := range not {
		p.put(muted, "  ")
		p.hang(muted, 2, "Not excluded: "+n)
	}
}

// writeKind writes all findings of one kind.
func writeKind(p *paper, t *dynamo.Table, kind check.Kind, all []check.Finding) {
	slices.SortStableFunc(all, func(a, b check.Finding) int {
		return strings.Compare(a.Constraint+"\x00"+a.Value+a.Counter, b.Constraint+"\x00"+b.Value+b.Counter)
	})
	p.end()
	sure := 0
	for _, f := range all {
		if f.Confirmed {
			sure++
		}
	}
	p.put(bad, "✗ "+string(kind))
	p.put(plain, fmt.Sprintf("  %s", phrase.Group(fmt.Sprint(len(all)))))
	if sure < len(all) {
		p.put(warn, fmt.Sprintf("  %s not confirmed", phrase.Group(fmt.Sprint(len(all)-sure))))
	}
	p.end()
	last := ""
	for _, f := range all {
		mark := "  "
		if !f.Confirmed {
			mark = "? "
		}
		p.put(warn, "  "+mark)
		p.hang(plain, 4, f.Detail)
		keys := keysOf(t, f)
		for _, k := range keys[:min(len(keys), mostKeys)] {
			p.put(muted, "      ")
			p.hang(muted, 6, k)
		}
		if n := len(keys) - mostKeys; n > 0 {
			p.put(muted, "      ")
			p.hang(muted, 6, fmt.Sprintf("and %s more: --output jsonl lists them", phrase.Group(fmt.Sprint(n))))
		}
		if read, _ := f.Rests(); read != "" && read != last { // else it is that of the one above
			last = read
			p.put(muted, "      ")
			p.hang(muted, 6, "evidence: "+read)
		}
	}
}

// mostKeys is how many keys of one finding are written for people.
const mostKeys = 20

// keysOf are the keys that a finding is about, as people say them.
func keysOf(t *dynamo.Table, f check.Finding) []string {
	var keys []string
	add := func(schema attr.Schema, item attr.Item) {
		if k, ok := schema.KeyOf(item); ok {
			keys = append(keys, k.String())
		}
	}
	lock := t.Schema
	if f.LockTable != "" {
		lock = t.SchemaOf(f.LockTable)
	}
	add(lock, f.Lock)
	for _, k := range append(slices.Clone(f.Accounts), f.Key) {
		add(t.Schema, k)
	}
	for _, at := range f.Items {
		schema := t.Schema
		if at.Table != "" {
			schema = t.SchemaOf(at.Table)
		}
		add(schema, at.Key)
	}
	return keys
}

// writeBeside writes what is no finding.
func writeBeside(p *paper, s check.Summary) {
	if s.Known > 0 && s.Found() > 0 {
		p.line(muted, "%s more: the baseline lists them.", phrase.Count(s.Known, "finding"))
	}
	if unjudged := s.Unjudged(); unjudged != "" {
		p.hang(warn, 0, unjudged)
	}
	if n := len(s.Marks) + s.MoreMarks; n > 0 {
		bear := "bear"
		if n == 1 {
			bear = "bears"
		}
		p.line(muted, "%s %s the mark of a release that was not finished. It is harmless, and a new release takes it over:", phrase.Count(n, "lock"), bear)
		for _, m := range s.Marks[:min(len(s.Marks), mostKeys)] {
			p.line(muted, "  %s %s", m.Constraint, exact(m.Value))
		}
		if n > mostKeys {
			p.line(muted, "  and %s more", phrase.Group(fmt.Sprint(n-mostKeys)))
		}
	}
	for _, note := range s.Notes {
		p.hang(muted, 0, sentence(note))
	}
	if !s.Complete && s.Why != "" {
		p.hang(warn, 0, sentence(s.Why))
	}
}

// costLine says what a check costs before it starts.
func costLine(t *dynamo.Table, c check.Cost, export bool) string {
	line, once := "", "to read it once"
	switch {
	case c.Uncounted:
		line = fmt.Sprintf("Checking %s: what it costs is not known, since the endpoint does not say how large the table is (DynamoDB counts every six hours)", t.Name)
	case export && c.Units() == 0:
		line = fmt.Sprintf("Checking %s by an export: no read units", t.Name)
	default:
		if export {
			once = "to try its layout, by an export"
		}
		line = fmt.Sprintf("Checking %s: about %s; about %s, %.0f %s and %.0f to look again where something does not fit",
			t.Name, phrase.Count(c.Items, "item"), units(c.Units(), "read"), c.First, once, c.Again)
		if c.Time > 0 {
			line += fmt.Sprintf("; %s at %s a second", max(c.Time.Round(time.Second), time.Second), units(c.Pace, "read"))
		}
	}
	if line += "."; c.Beyond != "" && !c.Uncounted {
		line += " Not counted: " + c.Beyond + "."
	}
	return line
}

// stageWords says what a check is doing.
func stageWords(s check.Stage) string {
	switch s {
	case check.Beginning:
	case check.Preparing:
		return "preparing"
	case check.Reading:
		return "reading"
	case check.ReadingMore:
		return "reading once more, since more does not fit than was expected"
	case check.FindingKeys:
		return "finding long keys"
	case check.Waiting:
		return "waiting"
	case check.LookingAgain:
		return "looking again"
	case check.RePolling:
		return "watching what is left"
	case check.Confirming:
		return "confirming"
	case check.ReadingCounters:
		return "reading counters"
	}
	return ""
}

// checkLine says where a check stands.
func checkLine(s check.State) string {
	parts := []string{stageWords(s.Stage)}
	if !s.Until.IsZero() {
		parts[0] += fmt.Sprintf(" %.1f s for what is under way", max(0, time.Until(s.Until).Seconds()))
	}
	if s.Expected > 0 {
		parts = append(parts, bar(s.Items, s.Expected), fmt.Sprintf("%s of about %s", phrase.Group(fmt.Sprint(s.Items)), phrase.Group(fmt.Sprint(s.Expected))))
	}
	if s.Left > 0 {
		left := fmt.Sprintf("%s left", s.Left)
		if s.More > 0 {
			left += fmt.Sprintf(", %s more if it looks again", s.More)
		}
		parts = append(parts, left)
	}
	if s.Throttled > 0 {
		why := ""
		for _, reason := range slices.Sorted(maps.Keys(s.Reasons)) {
			why += " " + reason
		}
		parts = append(parts, fmt.Sprintf("throttled %d×%s", s.Throttled, why))
	}
	parts = append(parts, units(s.Units, "read"))
	if s.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%.0f/s", s.Rate))
	}
	if n := s.Found(); n > 0 {
		parts = append(parts, phrase.Count(n, "finding"))
	} else if s.Candidates > 0 {
		parts = append(parts, phrase.Count(s.Candidates, "value")+" followed up")
	}
	return strings.Join(append(parts, "ctrl+c stops"), " · ")
}

// bar draws how much of an estimate is done; it is never all of it.
func bar(done, total int64) string {
	const width = 12
	full := int(min(width-1, width*done/max(total, 1)))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }
