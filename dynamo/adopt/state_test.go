package adopt_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change/backfill"
	"tallylock/internal/fixture"
)

// A later result that contradicts the check ends its proof. Runs of an abandoned adoption or of another layout stay
// listed, but do not count.
func TestStateDropsDisprovedResults(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	since := time.Now()
	run := func(done, undone bool) adopt.Event {
		return adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Total: 3, Put: 3, Done: done, Undone: undone}}
	}
	elsewhere := run(true, false)
	elsewhere.Layout = "another layout"
	for name, tc := range map[string]struct {
		last       adopt.Event
		verified   bool
		backfilled bool
	}{
		"survey without problems": {adopt.Event{Survey: &adopt.Surveyed{Values: 3, ToWrite: 3}}, true, true},
		"survey with a duplicate": {adopt.Event{Survey: &adopt.Surveyed{Values: 3, ToWrite: 3, Duplicates: 1}}, false, true},
		"account without lock":    {adopt.Event{Writers: &adopt.Writers{Judged: 30, Made: 30, Without: 1}}, false, true},
		"undo begins":             {run(false, false), false, false},
		"undone":                  {run(true, true), false, false},
		"abandoned":               {adopt.Event{Abandoned: &adopt.Abandoned{Locks: 3}}, false, false},
		"run of another layout":   {elsewhere, true, true},
	} {
		journal := filepath.Join(t.TempDir(), "journal.jsonl")
		record := adopt.OpenRecord(journal, r, "sam")
		for _, e := range []adopt.Event{
			{Survey: &adopt.Surveyed{Values: 3, ToWrite: 3}},
			{Writers: &adopt.Writers{Since: since, Judged: 25, Made: 25}},
			run(true, false),
			{Verify: &adopt.Verified{Since: &since}},
			tc.last,
		} {
			add(t, record, e)
		}
		s, err := record.State()
		if err != nil || (s.Verified != nil) != tc.verified || s.Backfilled() != tc.backfilled || len(s.Backfills) != 1 {
			t.Errorf("after %s: %+v, %v", name, s, err)
		}
	}
}

// The first survey finds no locks to put, and a later survey finds some. Then the backfill is needed.
func TestALaterSurveyFindsLocksToPut(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
	for _, tc := range []struct {
		locks int64
		why   string
		want  adopt.Phase
	}{{0, "", adopt.PhaseVerify}, {3, "stopped", adopt.PhaseVerify}, {3, "", adopt.PhaseBackfill}, {0, "", adopt.PhaseVerify}} {
		for _, e := range []adopt.Event{
			{Survey: &adopt.Surveyed{Values: 3, ToWrite: tc.locks, Why: tc.why}}, {Writers: &adopt.Writers{Judged: 25, Made: 25}},
		} {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || s.Next() != tc.want {
			t.Errorf("%d locks to put, %q: the next phase is %s, %v", tc.locks, tc.why, s.Next(), err)
		}
	}
}

// The undo of a backfill ends the proof of every earlier or simultaneous backfill and survey.
func TestUndoOfABackfillEndsEarlierProofs(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	full := adopt.Event{Survey: &adopt.Surveyed{Values: 3}}
	slow := adopt.Event{Survey: &adopt.Surveyed{Values: 3, Begun: time.Now().Add(-time.Minute)}}
	run := func(receipt string, done, undone bool) adopt.Event {
		return adopt.Event{Backfill: &adopt.Backfill{Receipt: receipt, Total: 3, Put: 3, Done: done, Undone: undone}}
	}
	begins := func(receipt string) adopt.Event { return run(receipt, false, false) }
	ends := func(receipt string) adopt.Event { return run(receipt, true, false) }
	undone := func(receipt string) adopt.Event { return run(receipt, false, true) }
	for name, tc := range map[string]struct {
		events []adopt.Event
		want   bool
	}{
		"survey alone":                     {[]adopt.Event{full}, true},
		"survey before":                    {[]adopt.Event{full, begins("R-1"), ends("R-1"), begins("R-1"), undone("R-1")}, false},
		"survey before, undo not finished": {[]adopt.Event{full, begins("R-1"), ends("R-1"), begins("R-1")}, false},
		"survey after":                     {[]adopt.Event{begins("R-1"), ends("R-1"), begins("R-1"), undone("R-1"), full}, true},
		"survey at the same time":          {[]adopt.Event{begins("R-1"), ends("R-1"), begins("R-1"), undone("R-1"), slow}, false},
		"backfill before":                  {[]adopt.Event{begins("R-1"), ends("R-1"), begins("R-2"), ends("R-2"), begins("R-1"), undone("R-1")}, false},
		"backfill at the same time":        {[]adopt.Event{begins("R-1"), ends("R-1"), begins("R-2"), begins("R-1"), undone("R-1"), ends("R-2")}, false},
		"backfill after":                   {[]adopt.Event{begins("R-1"), ends("R-1"), begins("R-1"), undone("R-1"), begins("R-2"), ends("R-2")}, true},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		for _, e := range tc.events {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || s.Backfilled() != tc.want {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// A survey that was stopped does not replace an earlier complete survey, so the later phases go on. But its problems
// end an earlier proof.
func TestAStoppedSurveyKeepsTheEarlierOne(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	now := time.Now()
	begin := []adopt.Event{
		{Survey: &adopt.Surveyed{Values: 3, ToWrite: 3}},
		{Writers: &adopt.Writers{Since: now, Judged: 20, Made: 20}},
		{Backfill: &adopt.Backfill{Receipt: "R-1", Put: 3, Done: true}},
		{Verify: &adopt.Verified{Since: &now}},
	}
	for name, tc := range map[string]struct {
		stopped adopt.Surveyed
		next    adopt.Phase
	}{
		"without a problem": {adopt.Surveyed{Values: 1, Why: "stopped"}, ""},
		"with a problem":    {adopt.Surveyed{Values: 1, Unfit: 1, Why: "stopped"}, adopt.PhaseVerify},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		for _, e := range append(slices.Clip(begin), adopt.Event{Survey: &tc.stopped}) {
			add(t, record, e)
		}
		s, err := record.State()
		if err != nil || !s.Survey.Complete() || s.Survey.ToWrite != 3 || s.Next() != tc.next || s.Allows(adopt.PhaseBackfill) != nil {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// If a backfill left values out, Verify is not the next step. Skipped locks need another run of the backfill. The other
// values need a survey after people have repaired them.
func TestStepAfterABackfill(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	now := time.Now()
	surveyed, failed := adopt.Event{Survey: &adopt.Surveyed{}}, adopt.Event{Verify: &adopt.Verified{Repeat: adopt.PhaseVerify}}
	for name, tc := range map[string]struct {
		run   adopt.Backfill
		after []adopt.Event
		want  adopt.Phase
	}{
		"nothing left":          {adopt.Backfill{}, nil, adopt.PhaseVerify},
		"skipped":               {adopt.Backfill{Skipped: 1}, nil, adopt.PhaseBackfill},
		"duplicates":            {adopt.Backfill{Duplicates: 1}, nil, adopt.PhaseSurvey},
		"invalid":               {adopt.Backfill{Invalid: 1}, nil, adopt.PhaseSurvey},
		"skipped and invalid":   {adopt.Backfill{Skipped: 1, Invalid: 1}, nil, adopt.PhaseBackfill},
		"repaired":              {adopt.Backfill{Duplicates: 1}, []adopt.Event{surveyed}, adopt.PhaseVerify},
		"repaired, a lock less": {adopt.Backfill{Duplicates: 1}, []adopt.Event{{Survey: &adopt.Surveyed{ToWrite: 1}}}, adopt.PhaseBackfill},
		"verified since":        {adopt.Backfill{Duplicates: 1}, []adopt.Event{failed}, adopt.PhaseVerify},
		"undone":                {adopt.Backfill{Skipped: 1, Undone: true}, nil, adopt.PhaseBackfill},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		tc.run.Receipt, tc.run.Done = "R-1", true
		for _, e := range slices.Concat([]adopt.Event{
			{Survey: &adopt.Surveyed{ToWrite: 3}}, {Writers: &adopt.Writers{Since: now, Judged: 20, Made: 20}}, {Backfill: &tc.run},
		}, tc.after) {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || s.Step() != tc.want {
			t.Errorf("%s: the step is %q, not %q: %+v, %v", name, s.Step(), tc.want, s, err)
		}
	}
}

// A check proves nothing if evidence against the rule came after its beginning.
func TestEvidenceEndsTheProofOfASimultaneousCheck(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	for name, evidence := range map[string]adopt.Event{
		"undone":                {Backfill: &adopt.Backfill{Receipt: "R-1", Undone: true}},
		"account without lock":  {Writers: &adopt.Writers{Judged: 25, Made: 25, Without: 1}},
		"survey with a problem": {Survey: &adopt.Surveyed{Duplicates: 1}},
		"check with a problem":  {Verify: &adopt.Verified{Missing: 1, Repeat: adopt.PhaseBackfill}},
		"abandoned":             {Abandoned: &adopt.Abandoned{}},
	} {
		now := time.Now()
		for begun, proven := range map[time.Time]bool{{}: true, now: false} {
			record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
			add(t, record, evidence)
			add(t, record, adopt.Event{Verify: &adopt.Verified{Since: &now, Begun: begun}})
			if s, err := record.State(); err != nil || (s.Verified != nil) != proven {
				t.Errorf("%s, and a check that began %v: %+v, %v", name, begun, s, err)
			}
		}
	}
}

// Verify finds an account that is newer than the verified writers. Backfill and Verify wait until the writers were judged
// again, by a judgement that began after the evidence.
func TestAnOldWriterNeedsANewJudgement(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	good := adopt.Event{Writers: &adopt.Writers{Judged: 25, Made: 25}}
	for name, evidence := range map[string]adopt.Event{
		"verify":  {Verify: &adopt.Verified{Missing: 1, Newer: 1, Repeat: adopt.PhaseWriters}},
		"writers": {Writers: &adopt.Writers{Judged: 25, Made: 25, Without: 3}},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		earlier := adopt.Event{Writers: &adopt.Writers{Judged: 25, Made: 25, Confirmed: true, Begun: time.Now()}}
		add(t, record, adopt.Event{Survey: &adopt.Surveyed{ToWrite: 3}})
		add(t, record, good)
		add(t, record, adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1"}})
		add(t, record, adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Done: true}})
		for _, step := range []struct {
			event adopt.Event
			want  adopt.Code
		}{
			{evidence, adopt.WithoutLock},
			{earlier, adopt.WithoutLock},
			{adopt.Event{Verify: &adopt.Verified{Why: "stopped", Repeat: adopt.PhaseVerify}}, adopt.WithoutLock},
			{good, ""},
		} {
			add(t, record, step.event)
			s, err := record.State()
			if err != nil || code(s.Allows(adopt.PhaseBackfill)) != step.want || code(s.Allows(adopt.PhaseVerify)) != step.want ||
				(s.Next() == adopt.PhaseWriters) != (step.want != "") {
				t.Errorf("%s, then %+v: %+v, %v", name, step.event, s, err)
			}
		}
	}
}

// The first survey finds no lock to put, and a later survey finds one. That needs a backfill. But if a backfill has
// reached its end, or a check has proved the rule, the lock belongs to a sign-up in progress.
func TestASurveyAfterOneWithoutLocksToPut(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	run := func(done, undone bool) adopt.Event {
		return adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Done: done, Undone: undone}}
	}
	now := time.Now()
	none := adopt.Event{Survey: &adopt.Surveyed{}}
	holds, failed := adopt.Event{Verify: &adopt.Verified{Since: &now}}, adopt.Event{Verify: &adopt.Verified{Why: "stopped", Repeat: adopt.PhaseVerify}}
	for name, tc := range map[string]struct {
		events []adopt.Event
		want   adopt.Phase
	}{
		"after a run that was undone": {[]adopt.Event{run(false, false), run(true, false), run(false, true), none}, adopt.PhaseBackfill},
		"after an abandoned run": {[]adopt.Event{
			run(false, false), {Abandoned: &adopt.Abandoned{}}, none, {Writers: &adopt.Writers{Judged: 25, Made: 25}},
		}, adopt.PhaseBackfill},
		"after a run":                 {[]adopt.Event{run(false, false), run(true, false), none}, adopt.PhaseVerify},
		"verified without a backfill": {[]adopt.Event{none, holds}, ""},
		"no longer verified":          {[]adopt.Event{none, holds, failed}, adopt.PhaseBackfill},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		add(t, record, adopt.Event{Writers: &adopt.Writers{Judged: 25, Made: 25}})
		for _, e := range append(tc.events, adopt.Event{Survey: &adopt.Surveyed{ToWrite: 1}}) {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || s.Next() != tc.want {
			t.Errorf("%s: the next phase is %q, %+v, %v", name, s.Next(), s, err)
		}
	}
}

// A run of an abandoned adoption or of another layout, and a run whose undo has begun, are not continued.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	begun := adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1"}}
	elsewhere := begun
	elsewhere.Layout = "another layout"
	for name, tc := range map[string]struct {
		events []adopt.Event
		want   bool
	}{
		"begun":          {[]adopt.Event{begun}, true},
		"done":           {[]adopt.Event{begun, {Backfill: &adopt.Backfill{Receipt: "R-1", Done: true}}}, false},
		"undoing":        {[]adopt.Event{begun, {Backfill: &adopt.Backfill{Receipt: "R-1", Undoing: true}}}, false},
		"abandoned":      {[]adopt.Event{begun, {Abandoned: &adopt.Abandoned{}}}, false},
		"another layout": {[]adopt.Event{elsewhere}, false},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		for _, e := range tc.events {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || (s.Unfinished() != nil) != tc.want {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// A killed backfill has not recorded its locks. The file of the run has their number.
func TestTheLocksOfAKilledBackfill(t *testing.T) {
	t.Parallel()
	r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
	run := &adopt.Backfill{Receipt: "R-1", File: filepath.Join(record.Folder(), "R-1.jsonl"), Total: 20}
	add(t, record, adopt.Event{Backfill: run})
	put := func(want int64) {
		t.Helper()
		s, err := record.State()
		if err != nil || s.Unfinished() == nil || s.Unfinished().Put != want || s.Backfills[0].Put != want {
			t.Errorf("%+v, %v; want %d locks", s, err, want)
		}
	}
	put(0) // the file does not exist yet
	keys, err := backfill.Create(run.File, backfill.Header{Receipt: "R-1", Mark: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	for _, token := range []string{"a", "b"} {
		if err := errors.Join(keys.Send(backfill.Line{Token: token}),
			keys.Answer(backfill.Line{Token: token, Outcome: "applied", Locks: 3})); err != nil {
			t.Fatal(err)
		}
	}
	put(6)
	run.Put, run.Done = 8, true
	add(t, record, adopt.Event{Backfill: run})
	if s, err := record.State(); err != nil || s.Backfills[0].Put != 8 {
		t.Errorf("%+v, %v; want 8 locks, as recorded", s, err)
	}
}

// add adds an event to a record. A phase without a beginning begins now.
func add(t *testing.T, record *adopt.Record, e adopt.Event) {
	t.Helper()
	begin := func(at *time.Time) {
		if at.IsZero() {
			*at = time.Now()
		}
	}
	switch {
	case e.Survey != nil:
		sum := *e.Survey
		begin(&sum.Begun)
		e.Survey = &sum
	case e.Writers != nil:
		w := *e.Writers
		begin(&w.Begun)
		e.Writers = &w
	case e.Verify != nil:
		v := *e.Verify
		begin(&v.Begun)
		e.Verify = &v
	}
	if err := record.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}
