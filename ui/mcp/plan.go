package mcp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/verdict"
	"tallylock/ui/say"
)

// planArgs are the parameters of the tool plan.
type planArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func (s *server) planTool() tool {
	return tool{
		name: "plan", title: "Plan a repair for a person to apply", run: s.runPlan, writesPlans: true,
		params: []param{
			textParam("id", "the id of a lock (from find) or of a finding (from findings)", longestID),
			textParam("reason", "why the change is needed, such as a ticket; a person and the journal get it", longestReason),
		},
		about: "Plans the repair of a lock or a finding: it reads the items again, and writes a plan file into the folder " +
			"of the server. It changes no table. A person looks at the file and applies it with tallylock apply.",
		data: func() (map[string]any, error) {
			text, flag := map[string]any{"type": "string"}, map[string]any{"type": "boolean"}
			number := map[string]any{"type": "number"}
			return object([]string{"outcome", "id", "table", "reasons"}, map[string]any{
				"outcome": map[string]any{"type": "string", "enum": []string{"planned", "refused"}},
				"id":      text, "table": text, "connection": text, "file": text, "kind": text, "does": text,
				"must_type": flag, "apply": text,
				"price": object([]string{"write_units", "read_units", "about"}, map[string]any{
					"write_units": number, "read_units": number, "about": flag, "uncounted": flag,
				}, nil),
				"reasons": map[string]any{"type": "array", "items": object([]string{"slot", "code", "text"}, map[string]any{
					"slot": map[string]any{"type": "integer"}, "code": text, "text": text,
				}, nil)},
			}, nil), nil
		},
	}
}

// planned is the JSON of a plan. Reasons say why it was refused.
type planned struct {
	Outcome string `json:"outcome"`
	ID      string `json:"id"`
	Table   string `json:"table"`
	// Connection is the connection of the table, as the config names it.
	Connection string `json:"connection,omitempty"`
	// File is the name of the plan file in the folder of the server.
	File string    `json:"file,omitempty"`
	Kind plan.Kind `json:"kind,omitempty"`
	Does string    `json:"does,omitempty"`
	// MustType: the person must type a text before the plan can be applied.
	MustType bool          `json:"must_type,omitempty"`
	Price    *plan.Price   `json:"price,omitempty"`
	Apply    string        `json:"apply,omitempty"`
	Reasons  []plan.Reason `json:"reasons"`
}

func (s *server) runPlan(ctx context.Context, c *call) (any, error) {
	var args planArgs
	if err := decode(c.tool.name, c.tool.params, c.arguments, &args); err != nil {
		return nil, err
	}
	if strings.TrimSpace(args.Reason) == "" {
		return nil, &failure{Op: "planning a repair", Why: "the reason is empty", Do: "say why the change is needed"}
	}
	of, known := s.subjects[args.ID]
	if !known {
		return nil, &failure{
			Op: "planning a repair", Why: "no answer of this session has the id " + brief(args.ID),
			Do: "call find or findings, and use an id of the answer",
		}
	}
	t, err := s.openTable(ctx, c, place{Connection: of.at.Name, Table: of.table})
	if err != nil {
		return nil, err
	}
	c.op = "planning a repair in the table " + t.Name
	out := planned{ID: args.ID, Table: t.Name, Connection: of.at.Name, Reasons: []plan.Reason{}}
	p, err := planOf(ctx, t, of)
	if err == nil && t.Connection().Denied(p.Table) != nil {
		return nil, &failure{
			Op: c.op, Why: "the config forbids all changes of this table", Do: "ask a person whether the config should allow it",
		}
	}
	if err == nil {
		err = p.Live.Unsure
	}
	if reasons := s.refusals(err); reasons != nil {
		out.Outcome, out.Reasons = "refused", reasons
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p.Reason = args.Reason
	if err := s.writePlan(ctx, c, t, args, p); err != nil {
		return nil, err
	}
	out.Outcome, out.File, out.Kind, out.MustType = "planned", args.ID+".json", p.Kind, p.Typed != ""
	out.Price = &p.Price
	out.Does = "The file has the whole change. A person sees the change before applying it."
	if s.mask == nil {
		out.Does = p.String()
	}
	apply := []string{"apply", out.File}
	if of.at.Name != "" {
		apply = append(apply, "--connection", of.at.Name)
	}
	out.Apply = say.CommandLine(append(apply, "--dry-run"))
	return out, nil
}

// planOf plans the repair of a subject.
func planOf(ctx context.Context, t *dynamo.Table, of subject) (*plan.Plan, error) {
	if f := of.finding; f != nil {
		if err := mend.UnsureFindings(t, *f); err != nil {
			return nil, err
		}
		return (&change.Changer{}).PlanMend(ctx, t, *f, nil)
	}
	r := of.lock.On(t.Layout)
	if r.Constraint.Lockless() {
		return nil, plan.Refuse(plan.ByHand, "the constraint has no locks")
	}
	if err := t.CheckSure("planning a repair of "+t.Name, r.Constraint); err != nil {
		return nil, err
	}
	switch {
	case !r.Lock.Exists || r.Variant != nil:
	case r.Verdict == verdict.Malformed, r.Verdict == verdict.Orphaned, r.Verdict == verdict.Stale,
		r.Verdict == verdict.Unknown:
		return planner.ReleaseAt(ctx, t, r.Constraint.Name, r.Lock.Key.Item(), false)
	}
	return mend.Repair(ctx, t, r)
}

// refusals lists the reasons of an error, if the error says that a change is impossible now. It returns nil for other
// errors.
func (s *server) refusals(err error) []plan.Reason {
	if dynamo.UnacceptedOf(err) != nil {
		return []plan.Reason{{Code: "NotAccepted", Text: guessedWhy + "; " + guessedDo}}
	}
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok {
		return nil
	}
	out := []plan.Reason{}
	for _, r := range refused.Reasons {
		text := say.Reason(r)
		if s.mask != nil {
			if text = codeMeans[r.Code]; text == "" {
				r.Code, text = "Other", "a person must look at this repair"
			}
		}
		out = append(out, plan.Reason{Slot: r.Slot, Code: r.Code, Text: text})
	}
	return out
}

// codeMeans explains the codes of refusals without a value.
var codeMeans = map[string]string{
	plan.Held:       "an account, or another item, holds the value",
	plan.Asked:      "a person must say whether an item holds the value: tallylock layout",
	plan.Reserved:   "a sign-up may still use the lock",
	plan.Absent:     "the lock, the counter or the account does not exist",
	plan.Changed:    "the table has changed since it was read: call find or findings again",
	plan.Moving:     "the account changed while it was read: call plan again",
	plan.NotANumber: "the counter holds no whole number",
	plan.TooLarge:   "the number would be too large for DynamoDB",
	plan.NotHigher:  "the new number is not above the counter, or not above an id in use",
	plan.NotLower:   "the new number is not below the counter",
	plan.Incomplete: "some accounts could not be read, or do not match the layout",
	plan.Duplicate:  "two accounts hold the value: a person must decide who keeps it",
	plan.Misfit:     "the layout does not fit the table",
	plan.TooMany:    "the change is too large for one transaction",
	plan.InOrder:    "nothing is left to repair",
	plan.ByHand:     "a person has to decide, or to make this change separately",
	plan.Regions:    "other Regions write the table, or its replication allows no transactions",
}

// writePlan writes the plan file. It never replaces a file.
func (s *server) writePlan(ctx context.Context, c *call, t *dynamo.Table, args planArgs, p *plan.Plan) error {
	file := change.NewPlanFile(ctx, t.Connection(), s.Who, args.Reason)
	file.Who += ", by tallylock mcp"
	if c.client != "" {
		file.Who += " for " + brief(c.client)
	}
	if err := file.Add(p); err != nil {
		return err
	}
	data, err := file.Bytes()
	if err != nil {
		return err
	}
	if wrong := checkPlans(s.Plans); wrong != nil {
		return wrong
	}
	failed := func(why, do string) error {
		return &failure{Op: "writing the plan file " + args.ID + ".json", Why: why, Do: do}
	}
	if err := writeNew(s.Plans, args.ID+".json", data); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return failed("the file exists already", "a person can apply or remove it")
		}
		return failed("the file cannot be written into the folder",
			"ask a person to check the folder's permissions and the disk")
	}
	return nil
}

// writeNew writes a new file that only the user can read. It follows no link, and replaces no file.
func writeNew(dir, name string, data []byte) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// checkPlans returns an error if the folder for plans is missing, or if other people can write into it: they could
// replace a plan.
func checkPlans(dir string) *failure {
	failed := func(why, do string) *failure { return &failure{Op: "opening the folder of --plans", Why: why, Do: do} }
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("it does not exist", "make it with: mkdir -m 700")
	case err != nil:
		return failed("it cannot be read", "name another folder with --plans")
	case !info.IsDir():
		return failed("it is not a folder", "name a folder with --plans")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return failed("other people can write into it", "remove their permission with: chmod go-w")
	case !mine(info):
		return failed("it belongs to another user", "name a folder of your own with --plans")
	}
	return nil
}
