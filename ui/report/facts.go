package report

import (
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/words"
)

// facts are what was checked, when, and by what.
func facts(about About, s check.Summary) []fact {
	t := about.Table
	all := []fact{
		{"Table", s.Table},
		{"Layout", t.Layout.Name + ", " + check.Origin(t)},
		{
			"Read",
			fmt.Sprintf("%s: %s, %s", phrase.Count(s.Items, "item"), phrase.Count(s.Accounts, "account"),
				phrase.Count(s.Locks, "lock")),
		},
		{"When", when(about.Began, about.Ended)},
		{"Took", words.Lasts(time.Duration(s.Seconds*float64(time.Second))) + ", " + words.ReadUnits(s.ReadUnits)},
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
func whence(about About, s check.Summary) (all []fact) {
	if s.TableID != "" {
		all = append(all, fact{"Table id", s.TableID})
	}
	export := about.Options.Export
	if export == nil || !export.Alone() {
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
func sure(o check.Options) string {
	switch o.Confirm {
	case check.ConfirmNone:
		return "nothing: what one reading met is listed"
	case check.ConfirmReads:
		return "reading each lock together with its accounts"
	}
	return "reading each lock together with its accounts, after all accounts were looked at again"
}

// notes are what people should know besides the findings.
func notes(about About, s check.Summary) []string {
	var all []string
	if s.Why != "" {
		all = append(all, "Incomplete: "+words.Sentence(s.Why))
	}
	if unjudged := s.Unjudged(); unjudged != "" {
		all = append(all, unjudged)
	}
	if n := len(s.Marks) + s.MoreMarks; n > 0 {
		all = append(
			all,
			"On "+phrase.Count(n,
				"lock")+" there is the marker of a release that was not finished. It is harmless, and a new release takes it over.",
		)
	}
	for _, note := range s.Notes {
		all = append(all, words.Sentence(note))
	}
	for n, note := range all {
		all[n] = about.unplaced(note)
	}
	return all
}
