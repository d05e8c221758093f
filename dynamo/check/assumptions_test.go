package check_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
)

// Assumptions names the assumptions of confirmed findings. They depend on the options, on the layout, and on the kinds
// that were found.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	f := start(t)
	inferred, accounts := f.guessed("accounts"), f.open("accounts")
	f.create("ours", "PK:S", "SK:S")
	described := f.described("ours", users(func(c *config.Constraint) { c.MultiTransaction = true }))
	moving := f.described("ours", users(func(c *config.Constraint) { c.Moves = true }))
	for _, c := range []struct {
		said      []string
		says, not []string
	}{
		{
			report.Assumptions(inferred, setting.Options{}, finding.OrphanedLock),
			[]string{"strongly consistent", "takes longer than 1µs (settle)", "\"uniq\", which was only recognised", "every kind of account", "one Region"},
			[]string{"lag", "or within", "counter"},
		},
		{report.Assumptions(inferred, setting.Options{Look: setting.Eventual}, finding.StaleLock), []string{"eventually consistent", "lag of a replica"}, []string{"strongly"}},
		{report.Assumptions(inferred, setting.Options{Confirm: setting.ConfirmReads}, finding.StaleLock), []string{"Locks name their true holders"}, []string{"settle"}},
		{report.Assumptions(described, setting.Options{}, finding.MalformedLock), []string{"as the config describes it", "or within 1µs (email takes two steps)"}, []string{"recognised"}},
		{report.Assumptions(moving, setting.Options{}, finding.OrphanedLock), []string{"except for email: the config says moves = true, so an account may already use an orphaned lock"}, nil},
		{report.Assumptions(inferred, setting.Options{}, finding.MissingLock, finding.DuplicateValue), []string{"makes the keys of locks", "one Region"}, []string{"read again", "every kind of account"}},
		{report.Assumptions(inferred, setting.Options{}, finding.CounterBehind), []string{"before they write an item", "one Region"}, []string{"lock"}},
		{report.Assumptions(inferred, setting.Options{}, finding.CounterUnsafe), nil, []string{"Region"}},
	} {
		all := strings.Join(c.said, " ")
		for _, says := range c.says {
			if !strings.Contains(all, says) {
				t.Errorf("%q does not say %q", all, says)
			}
		}
		for _, not := range c.not {
			if strings.Contains(all, not) {
				t.Errorf("%q says %q", all, not)
			}
		}
	}
	if _, sum := f.run(inferred, setting.Options{}); len(sum.Assumptions) != 0 {
		t.Errorf("a guess confirmed something: %q", sum.Assumptions)
	}
	_, sum := f.run(accounts, setting.Options{})
	if len(sum.Assumptions) != 4 {
		t.Errorf("%q", sum.Assumptions)
	}
	if _, sum = f.run(accounts, setting.Options{Confirm: setting.ConfirmNone}); len(sum.Assumptions) != 0 {
		t.Errorf("nothing was confirmed: %q", sum.Assumptions)
	}
}

// The progress tells how long the present reading takes, and how long the next stages may take.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = time.Second
		for n := range 40 {
			w.signUp(fmt.Sprint(n), fmt.Sprint(n))
		}
		w.expire("3")
		table := w.open(settle)
		o := setting.Options{Segments: 64}
		cost := setting.Estimate(table, o)
		told := map[progress.Stage]int{}
		_, err := check.Run(t.Context(), table, o, func(finding.Finding) {}, func(s progress.State) {
			if s.Left == 0 {
				return
			}
			told[s.Stage]++
			again := settle + time.Duration(cost.Again/s.Rate*float64(time.Second))
			if off := s.More - again; s.Stage == progress.Reading && (off > time.Second || off < -time.Second) {
				t.Errorf("at %.1f a second the look is said to take %s, want %s", s.Rate, s.More, again)
			}
			if s.Stage == progress.LookingAgain && s.More != 0 {
				t.Errorf("%s are said to follow the look", s.More)
			}
		})
		if err != nil || told[progress.Reading] == 0 || told[progress.LookingAgain] == 0 {
			t.Errorf("%v, %v", told, err)
		}
	})
}
