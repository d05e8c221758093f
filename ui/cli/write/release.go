package write

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Release releases locks.
func Release(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "releasing a lock"}
	var in app.Scope
	key, reserved := "", false
	cmd := &cobra.Command{
		Use:   "release CONSTRAINT VALUE...",
		Short: "Release locks that no account uses",
		Long: `Release locks: delete a lock if no account uses it. If a lock does not name its
owner, release first writes a mark on the lock. Then it waits for the time of
--settle, and reads every item of the tables whose items may hold the value. It
deletes the lock only if no item holds the value and the mark is still on the
lock. For several locks, release reads the items only once. If you release a
large part of all locks, type the number of locks, or add --yes.

release refuses a lock that an account uses. If items outside the layout may
hold the value, release refuses, too, until you say whether such items hold
values: tallylock layout --holder or --no-holder.

An application can reserve a lock before it writes the account (reserved_for in
the layout). release refuses such a lock until the reservation ends. To release
the lock anyway, add --reserved, and type the value or add --confirm VALUE.

A malformed lock is always a mistake of the program that wrote it. To release
it, type its value, or add --confirm VALUE. If the value is empty, write '' for
VALUE, and type the lock's key. If no value leads to the lock, name the lock
with --key.`,
		Example: `  tallylock release username alan --write --reason 'ticket 48151'
  tallylock release email mel@oldmail.test --dry-run
  tallylock release email '' --table accounts --dry-run
  tallylock release email --table accounts --dry-run \
    --key '{"PK":{"S":"UNIQ#EMAIL#"},"SK":{"S":"LOCK"}}'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if key != "" {
				return app.Takes(1, 1, "a CONSTRAINT (--key already names the lock)")(cmd, args)
			}
			return app.Takes(2, app.Many, "a CONSTRAINT and a VALUE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.release(cmd.Context(), args[0], args[1:], in, key, reserved)
		},
	}
	w.addFlags(cmd)
	app.CompletesArgument(cmd, 0, s.Flags.Constraints)
	cmd.Flags().StringVar(&key, "key", "", "name the lock by its whole `KEY` in DynamoDB JSON, instead of a value")
	cmd.Flags().BoolVar(&reserved, "reserved", false, "release one reserved lock, although the application may still write its account")
	in.AddFlag(cmd.Flags(), "the lock's key besides the value")
	return cmd
}

func (w *writing) release(
	ctx context.Context, constraint string, values []string, in app.Scope, key string, reserved bool,
) error {
	if reserved && len(values) > 1 {
		return exit.Usage("releasing reserved locks", "--reserved is for one lock at a time", "name one value; nothing was sent")
	}
	var at attr.Item
	if key != "" {
		if err := json.Unmarshal([]byte(key), &at); err != nil {
			return exit.Usage(
				"reading --key",
				"the text is not a key in DynamoDB JSON",
				`write a key such as {"PK":{"S":"UNIQ#EMAIL#"},"SK":{"S":"LOCK"}}`,
			)
		}
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	table, err := w.AccountTable(ctx, w.target, w.conn, !w.yes)
	if err != nil {
		return err
	}
	if _, c := table.Layout.Constraint(constraint); c != nil {
		if err := w.allowedOn(table.LockTable(c), table.CheckSure(w.op, c)); err != nil {
			return err
		}
	}
	if key != "" {
		p, err := planner.ReleaseAt(ctx, table, constraint, at, reserved)
		return w.carryOut(ctx, p, err)
	}
	var rels []*verdict.Relation
	seen := map[string]bool{}
	for _, value := range values {
		rel, err := table.LockOf(ctx, constraint, value, in)
		if err != nil {
			return err
		}
		if id := rel.Lock.Key.ID(); !seen[id] {
			seen[id] = true
			rels = append(rels, rel)
		}
	}
	if len(values) == 1 {
		p, err := planner.Release(ctx, table, rels[0], reserved)
		return w.carryOut(ctx, p, err)
	}
	b, err := change.PlanReleases(ctx, table, rels...)
	if err != nil {
		return err
	}
	return w.carryOutAll(ctx, b, "Release", "lock")
}

// carryOutAll works like carryOut, for several changes. verb and noun are the words for them: "Release", "lock".
func (w *writing) carryOutAll(ctx context.Context, b *change.Batch, verb, noun string) error {
	w.several = true
	for _, p := range b.Plans {
		p.Reason = w.reason
	}
	title := verb + " " + phrase.Count(len(b.Plans), noun)
	return w.apply(ctx, b, func(to *print.Printer) { w.writeBatch(to, b, title) }, title)
}

// writeBatch writes the plan of several changes for people.
func (w *writing) writeBatch(page *print.Printer, b *change.Batch, title string) {
	page.Line(kit.Strong, "%s", title)
	var about print.Facts
	for _, p := range b.Plans {
		if p.Undoes != "" {
			lead := p.Lead()
			about.Add("undo", fmt.Sprintf("%s: %s %s", p.Undoes, lead.Label, lead.Text))
		} else {
			about.Add("release", fmt.Sprintf("%s \"%s\"", p.Constraint, p.Value))
		}
		about.Add(string(plan.LabelHas), p.Line(plan.LabelHas))
	}
	for _, refused := range b.Refused {
		why := strings.Join(say.WhyReceipt(refused), " ")
		if refused.Plan.Undoes != "" {
			why = refused.Plan.Undoes + ": " + why
		}
		about.Add("refused", why)
	}
	if b.Typed != "" {
		about.Add("careful", "you release a large part of all locks: type the number of locks, "+b.Typed)
	}
	about.Add("price", b.Price.String())
	about.Add(string(plan.LabelPlanned), w.from)
	about.Add("reason", w.reason)
	page.Facts(2, about)
}
