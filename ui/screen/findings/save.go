package findings

import (
	"path/filepath"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/message"
	"tallylock/ui/record"
)

// toSave asks for the file that the findings are saved to: those that are marked, else those
// that the filter leaves. Only all of them have the summary of the check with them.
func (r *run) toSave() message.Save {
	return message.SaveList("Save the findings", filepath.Base(r.table.Name)+"-findings.jsonl", func() message.Listed {
		_, left := r.lines().Number(-1)
		l := message.Listed{Of: " of " + r.table.Name, Tail: "`tallylock mend` takes the JSON.", List: r.toList}
		switch {
		case len(r.marked) > 0:
			l.What = phrase.Count(len(r.marked), "marked finding")
		case left < len(r.all):
			l.What = phrase.Number(left) + " of the " + phrase.Count(len(r.all), "finding")
		default:
			l.What = phrase.Count(left, "finding")
		}
		if r.running {
			l.Of = " so far" + l.Of
		}
		return l
	})
}

// toList is what is saved.
func (r *run) toList() record.List {
	var all []check.Finding
	for _, x := range r.all {
		if r.marked[x] || len(r.marked) == 0 && r.wanted(x) {
			all = append(all, x.f)
		}
	}
	var summary *check.Summary
	if !r.running && len(all) == len(r.all) {
		summary = &r.summary
	}
	return record.Findings(all, summary)
}
