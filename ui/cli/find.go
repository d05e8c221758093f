package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
	"tallylock/ui/words"
)

// noFlag begins an argument that looks like a flag and is a value.
const noFlag = "\x00"

// negativeNumbers marks the negative numbers among the arguments of find: they are values, such as an
// id, and the library for the command line takes them for flags.
func negativeNumbers(args []string) []string {
	args = slices.Clone(args)
	for n := slices.Index(args, "find") + 1; n > 0 && n < len(args) && args[n] != "--"; n++ {
		if a := args[n]; len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9' {
			args[n] = noFlag + a
		}
	}
	return args
}

// findCommand answers who holds a value.
func findCommand(s *invocation) *cobra.Command {
	var o dynamo.FindOptions
	var in scope
	cmd := &cobra.Command{
		Use:   "find VALUE...",
		Short: "Show who holds a value or an account id",
		Long: `Show who holds a value, such as an email or a username, or an account id, and
what blocks somebody who wants it. A few reads by key answer this. If they
cannot, it reads the whole table, as long as that stays within
--auto-read-units.`,
		Example: "  tallylock find ada@lovelace.io --table accounts\n  tallylock find alan --output json",
		Args:    takes(1, many, "a VALUE"),
		RunE: func(cmd *cobra.Command, values []string) error {
			o.Scope = in
			for n, v := range values {
				values[n] = strings.TrimPrefix(v, noFlag)
			}
			return runFind(s, cmd, values, o)
		},
	}
	cmd.Flags().BoolVar(&o.Scan, "scan", false, "read the whole table if only that can tell, whatever it costs")
	in.addFlag(cmd.Flags(), "a lock's key needs besides the value")
	return cmd
}

func runFind(s *invocation, cmd *cobra.Command, values []string, o dynamo.FindOptions) error {
	ctx := cmd.Context()
	t, conn, err := s.connectTarget(ctx)
	if err != nil {
		return err
	}
	table, err := accountTable(ctx, s, t, conn)
	if err != nil {
		return err
	}
	o.Near = s.flags.output == asText // look-alikes are for people, who mix them up
	var found []answer
	for n, v := range values {
		end := s.showWait(conn.Where(), "looking for "+v)
		a, err := table.Find(ctx, v, o)
		end()
		if err != nil {
			if s.flags.output == asJSON && len(found) > 0 {
				return errors.Join(err, printAll(s, found)) // what was answered stays
			}
			return err
		}
		switch s.flags.output {
		case asText:
			if n > 0 {
				s.printer().end()
			}
			writeAnswer(s, s.printer(), a, table)
		case asLines:
			if err := s.print(answerOf(table, a)); err != nil {
				return err
			}
		default:
			found = append(found, answerOf(table, a))
		}
	}
	if s.flags.output == asJSON {
		return printAll(s, found)
	}
	return nil
}

// answer is the JSON of an answer. Its names are a contract.
type answer struct {
	Query     string          `json:"query"`
	Table     string          `json:"table"`
	Complete  bool            `json:"complete"`
	ReadUnits float64         `json:"read_units"`
	Locks     []answerLock    `json:"locks"`
	Unlocked  []answerUse     `json:"unlocked,omitempty"`
	Accounts  []answerAccount `json:"accounts"`
	// LayoutState says who answers for the layout.
	LayoutState layout.State `json:"layout_state"`
	// Note says how the answer differs from what was asked: "found as evelyn".
	Note string `json:"note,omitempty"`
}

type answerLock struct {
	// ID identifies the lock: every search that finds it gives it the same one.
	ID          string     `json:"id"`
	Constraint  string     `json:"constraint"`
	Value       string     `json:"value"`
	Key         attr.Key   `json:"key"`
	Exists      bool       `json:"exists"`
	Verdict     string     `json:"verdict"`
	Provisional bool       `json:"provisional"`
	Owner       *string    `json:"owner"`
	Claimants   []attr.Key `json:"claimants"`
	// ReservedUntil is until when an account may still come for the lock.
	ReservedUntil *time.Time `json:"reserved_until,omitempty"`
	// Attributes are those of a lock that exists, besides its key.
	Attributes attr.Item `json:"attributes,omitzero"`
	// Since is the earliest time of the past among the lock's attributes.
	Since    *time.Time `json:"since,omitempty"`
	Evidence string     `json:"evidence"`
}

// answerUse is a value of a constraint without locks.
type answerUse struct {
	Constraint  string     `json:"constraint"`
	Value       string     `json:"value"`
	Verdict     string     `json:"verdict"`
	Provisional bool       `json:"provisional"`
	Accounts    []attr.Key `json:"accounts"`
	Evidence    string     `json:"evidence"`
}

type answerAccount struct {
	Key    attr.Key      `json:"key"`
	Values []answerValue `json:"values"`
}

type answerValue struct {
	Constraint string `json:"constraint"`
	Value      string `json:"value"`
	Verdict    string `json:"verdict"`
}

func answerOf(t *dynamo.Table, a *dynamo.Answer) answer {
	out := answer{
		LayoutState: t.Layout.State(),

		Query:     a.Query,
		Table:     a.Table,
		Complete:  a.Complete,
		ReadUnits: a.ReadUnits,
		Locks:     []answerLock{},
		Accounts:  []answerAccount{},
		Note:      a.Note(),
	}
	for _, r := range a.Locks {
		lock := answerLock{
			ID:         check.LockID(t, r),
			Constraint: r.Constraint.Name, Value: r.Value, Key: r.Lock.Key, Exists: r.Lock.Exists,
			Verdict: string(r.Verdict), Provisional: r.Provisional, Claimants: []attr.Key{}, Evidence: words.Evidence(a, r),
		}
		if r.Lock.Owner != "" {
			lock.Owner = &r.Lock.Owner
		}
		if !r.Until.IsZero() {
			lock.ReservedUntil = &r.Until
		}
		if r.Lock.Exists {
			lock.Attributes = r.Lock.Attributes()
		}
		if since := r.Lock.Written(time.Now()).UTC(); !since.IsZero() {
			lock.Since = &since
		}
		for _, c := range r.Claimants {
			lock.Claimants = append(lock.Claimants, c.Key)
		}
		out.Locks = append(out.Locks, lock)
	}
	for _, u := range a.Unlocked {
		use := answerUse{
			Constraint:  u.Constraint.Name,
			Value:       u.Value,
			Verdict:     string(u.Verdict),
			Provisional: u.Provisional,
			Accounts:    []attr.Key{},
			Evidence:    u.Sentence(),
		}
		if u.Why != "" {
			use.Evidence += " " + words.Sentence(u.Why)
		}
		for _, account := range u.Claimants {
			use.Accounts = append(use.Accounts, account.Key)
		}
		out.Unlocked = append(out.Unlocked, use)
	}
	for _, h := range a.Accounts {
		account := answerAccount{Key: h.Key, Values: []answerValue{}}
		for _, v := range h.Values {
			account.Values = append(account.Values, answerValue{v.Constraint.Name, v.Value, v.Verdict.OfValue()})
		}
		out.Accounts = append(out.Accounts, account)
	}
	return out
}
