package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
)

// writeAnswer writes an answer for people. First what was found, each reading of
// the word in a sentence, what it does and what to do; then the accounts, the
// readings that nobody uses, look-alikes, and what was read for it.
func writeAnswer(s *invocation, p *paper, a *dynamo.Answer, t *dynamo.Table) {
	p.put(strong, exact(a.Query))
	done := "complete"
	if !a.Complete {
		done = "incomplete"
	}
	p.line(muted, "  in %s, %s, %s, %s", a.Table, units(a.ReadUnits, "read"), took(a.Took), done)
	if note := a.Note(); note != "" {
		p.line(strong, "%s", exact(sentence(note)))
	}
	if len(a.Locks)+len(a.Accounts)+len(a.Unlocked) == 0 {
		p.end()
		p.line(strong, "It is nobody's: no key of the table can hold it.")
	}
	for _, r := range a.Locks {
		if r.Verdict != dynamo.Free {
			p.end()
			writeRelation(s, p, a, r, t)
		}
	}
	for _, u := range a.Unlocked {
		p.end()
		writeUse(s, p, a, u)
	}
	writeAccounts(p, a)
	writeFree(p, a)
	writeNear(p, a)
	writeReads(p, a.Reads)
}

// indent is where the sentence of a verdict begins: after the longest word.
const indent = 14

func writeRelation(s *invocation, p *paper, a *dynamo.Answer, r *dynamo.Relation, t *dynamo.Table) {
	writeVerdict(p, r)
	for _, so := range slices.Compact([]string{r.Consequence(), r.Why}) {
		if so != "" {
			p.put(plain, strings.Repeat(" ", indent))
			p.hang(plain, indent, sentence(so))
		}
	}
	var f facts
	f.add("lock", lockWords(r))
	for _, c := range r.Claimants {
		f.add("account", c.Key.String())
	}
	if r.OwnerAccount != nil {
		f.add("it names", r.OwnerAccount.Key.String())
	}
	if r.Provisional && r.Lock.Exists && r.Limited() == "" {
		f.add("not proven", fmt.Sprintf("a sign-up under way now could still claim it; a release marks the lock, waits %g s and looks again before it deletes", t.Connection().Settle().Seconds()))
	}
	p.table(indent, f...)
	if next := nextStep(s, a, r, t); next != "" {
		// In one piece: it is there to be pasted.
		p.put(plain, strings.Repeat(" ", indent))
		p.put(muted, fmt.Sprintf("%-10s  ", "next"))
		p.line(plain, "%s", next)
	}
}

// writeUse writes a value that no lock keeps.
func writeUse(s *invocation, p *paper, a *dynamo.Answer, u *dynamo.Use) {
	sign := signOf(u.Verdict, string(u.Verdict), u.Provisional)
	p.put(sign.ink, sign.glyph+" "+sign.word)
	p.put(plain, strings.Repeat(" ", max(1, indent-2-len(sign.word))))
	p.hang(strong, indent, u.Sentence())
	for _, so := range []string{u.Consequence(), u.Why} {
		if so != "" {
			p.put(plain, strings.Repeat(" ", indent))
			p.hang(plain, indent, sentence(so))
		}
	}
	var f facts
	for _, account := range u.Accounts {
		f.add("account", account.Key.String())
	}
	p.table(indent, f...)
	if u.Verdict != dynamo.Unknown || a.Whole == nil {
		return
	}
	if line, ok := s.flags.commandLine([]string{"find", "--table", a.Table, "--scan"}, a.Query); ok {
		p.put(plain, strings.Repeat(" ", indent))
		p.put(muted, fmt.Sprintf("%-10s  ", "next"))
		p.line(plain, "%s", line)
	}
}

func writeVerdict(p *paper, r *dynamo.Relation) {
	sign := signOf(r.Verdict, string(r.Verdict), r.Provisional)
	p.put(sign.ink, sign.glyph+" "+sign.word)
	p.put(plain, strings.Repeat(" ", max(1, indent-2-len(sign.word))))
	p.hang(strong, indent, r.Sentence())
}

// writeFree lists what the word could mean and nobody uses.
func writeFree(p *paper, a *dynamo.Answer) {
	first := true
	for _, r := range a.Locks {
		if r.Verdict != dynamo.Free {
			continue
		}
		if first {
			p.end()
			first = false
		}
		writeVerdict(p, r)
	}
}

// facts are what stands under a verdict, each with its label.
type facts [][]cell

func (f *facts) add(label, text string) {
	*f = append(*f, []cell{{muted, fmt.Sprintf("%-10s", label), false}, {text: text}})
}

func lockWords(r *dynamo.Relation) string {
	switch {
	case !r.Lock.Exists:
		return "none (" + r.Lock.Key.String() + ")"
	case r.Lock.Owner != "":
		return r.Lock.Key.String() + ", names " + r.Lock.Owner
	}
	return r.Lock.Key.String() + ", names no owner"
}

// nextStep is what to do about a verdict: a command, where one mends it.
func nextStep(s *invocation, a *dynamo.Answer, r *dynamo.Relation, t *dynamo.Table) string {
	switch {
	case r.Misfit:
		return t.Correct()
	case r.Asks != nil && r.Asks.As == dynamo.HoldsUndecided:
		return r.Asks.Say(t)
	}
	switch r.Verdict {
	case dynamo.Orphaned, dynamo.Stale, dynamo.Malformed:
		if !r.Lock.Exists || r.Limited() != "" {
			return ""
		}
		return releaseLine(s, a, r)
	case dynamo.Reserved:
		return "wait until then; if nobody is signing up: " + releaseLine(s, a, r, "--reserved")
	case dynamo.Unknown:
		if r.Lock.Table == "" {
			return "say what else the lock's key is made of, with --scope NAME=VALUE: " + strings.Join(r.Constraint.Scope(), ", ")
		}
		if a.ScanDenied {
			return "only reading every account tells, and the permission dynamodb:Scan is denied"
		}
		if r.Pending && a.Whole == nil {
			return "if nobody is signing up: " + releaseLine(s, a, r, "--reserved")
		}
		if line, ok := s.flags.commandLine([]string{"find", "--table", a.Table, "--scan"}, a.Query); ok {
			return line
		}
		return "the same with --scan"
	case dynamo.Missing:
		return "the application has to write the lock; until then somebody else can take the value"
	case dynamo.Foreign:
		return "the application has to give the lock its right owner"
	}
	return ""
}

// releaseLine is the command that releases a lock.
func releaseLine(s *invocation, a *dynamo.Answer, r *dynamo.Relation, more ...string) string {
	flags := slices.Concat([]string{"release", "--table", a.Table, "--write"}, more, scopeArgs(r.Scope()))
	line, ok := s.flags.commandLine(flags, r.Constraint.Name, r.Value)
	if !ok {
		line, _ = s.flags.commandLine([]string{"--table", a.Table, "--write"})
		line = "release it in the inspector: " + line
	}
	return line
}

func writeAccounts(p *paper, a *dynamo.Answer) {
	for _, h := range a.Accounts {
		p.end()
		p.put(strong, h.Key.String())
		if h.ByID {
			p.put(muted, "  found by its id")
		}
		p.end()
		var rows [][]cell
		for _, v := range h.Values {
			sign := signOf(v.Verdict, v.Verdict.OfValue(), v.Provisional)
			rows = append(rows, []cell{{ink: sign.ink, text: sign.glyph + " " + sign.word}, {text: v.Constraint.Name}, {text: exact(v.Value)}})
		}
		p.table(2, rows...)
	}
}

func writeNear(p *paper, a *dynamo.Answer) {
	if len(a.Near) == 0 {
		return
	}
	p.end()
	p.line(muted, "looks like it, and is in use (%d spellings tried)", a.Tried)
	var rows [][]cell
	for _, n := range a.Near {
		rows = append(rows, []cell{{text: n.Relation.Constraint.Name}, {text: exact(n.Relation.Value)}, {muted, n.How, false}})
	}
	p.table(2, rows...)
}

func writeReads(p *paper, reads []client.Read) {
	if len(reads) == 0 {
		return
	}
	p.end()
	p.line(muted, "what was read")
	var rows [][]cell
	for _, r := range reads {
		rows = append(rows, []cell{{muted, clock(r.At), false}, {text: r.What}, {text: r.Found}, {muted, r.How, false}})
	}
	p.table(2, rows...)
}

func took(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
