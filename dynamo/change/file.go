package change

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
)

// PlanFile has changes that one person planned and another person applies. It stores the requests of the first person,
// but no DynamoDB request: every change is planned again before it is applied. The program does not trust the file,
// since anybody may have written it.
type PlanFile struct {
	Version int       `json:"tallylock_plan"`
	Written time.Time `json:"written"`
	Who     string    `json:"who,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	// Connection is the connection's name in the config of the person who planned. Region, Endpoint and Account
	// locate the tables.
	Connection string `json:"connection,omitempty"`
	Region     string `json:"region"`
	Endpoint   string `json:"endpoint"`
	Account    string `json:"account,omitempty"`
	// Tables maps each table that the changes write or check to its identity: the TableId, or the time of creation.
	Tables  map[string]string `json:"tables"`
	Changes []PlannedChange   `json:"changes"`
}

// PlannedChange is one change of a plan file.
type PlannedChange struct {
	// ID identifies the change in the journal, so that the change is made only once.
	ID       string       `json:"id"`
	Does     string       `json:"does"` // the change in words
	Sentence string       `json:"sentence,omitempty"`
	Kind     plan.Kind    `json:"kind"`
	Table    string       `json:"table"` // the table of the accounts or of the counter
	Request  plan.Request `json:"request"`
	// Layout is the hash of the layout at planning time. Only changes of locks have one.
	Layout string `json:"layout,omitempty"`
	// Before and After are the values of a counter or an account before and after the change.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Seen lists the items that the change depends on, as they were at planning time.
	Seen []SeenItem `json:"seen,omitempty"`

	before error // the refusal if the change was applied before, or may have been; else nil
}

// The limits of a plan file. They are needed since anybody may have written the file.
const (
	planFileVersion = 1
	maxPlanFile     = 32 << 20
	maxPlanWords    = 4 << 10 // length of a reason or a name
	maxPlanTables   = 100
)

// NewPlanFile returns a file without changes, for a connection's tables.
func NewPlanFile(ctx context.Context, conn *dynamo.Connection, who, reason string) *PlanFile {
	f := &PlanFile{
		Version: planFileVersion, Written: time.Now().UTC().Truncate(time.Second), Who: who, Reason: reason,
		Connection: conn.Name(), Region: conn.Region(), Endpoint: conn.Endpoint(), Tables: map[string]string{},
	}
	if known := conn.Identity(ctx); known.ARN != "" {
		f.Who = known.ARN
	}
	return f
}

// Add adds plans that were just made. It returns an error for a plan that has no request: it cannot be planned again.
func (f *PlanFile) Add(plans ...*plan.Plan) error {
	for _, p := range plans {
		if p.Live.Table == nil || p.Live.Request.IsEmpty() {
			return fmt.Errorf("%s cannot be stored in a plan file: make the change here", p)
		}
		maps.Copy(f.Tables, p.Tables)
		f.Tables[p.Live.Table.Name], f.Account = p.Live.Table.Identity(), p.Live.Account
		f.Changes = append(f.Changes, PlannedChange{
			ID:   "C-" + strings.ToLower(rand.Text()),
			Does: p.String(), Sentence: p.Sentence, Kind: p.Kind, Table: p.Live.Table.Name, Request: p.Live.Request,
			Layout: p.Layout,
			Before: p.Before, After: p.After, Seen: seenItems(p),
		})
	}
	return nil
}

// Bytes returns the file as indented JSON.
func (f *PlanFile) Bytes() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	data, err := attr.Line(f, "  ")
	if err == nil && len(data) > maxPlanFile {
		err = fmt.Errorf("the plan file would have %d MB, but apply reads %d MB at most: plan fewer changes at once", len(data)>>20+1, maxPlanFile>>20)
	}
	return data, err
}

// ReadPlanFile reads a file that Bytes made. It refuses unknown fields: without such a field, the change may differ
// from the change that the person asked for.
func ReadPlanFile(r io.Reader) (*PlanFile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPlanFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPlanFile {
		return nil, fmt.Errorf("the file is larger than %d MB", maxPlanFile>>20)
	}
	var of struct {
		Version int `json:"tallylock_plan"`
	}
	if err := json.Unmarshal(data, &of); err != nil {
		return nil, errors.New("the file is not a plan file")
	}
	if of.Version != planFileVersion {
		return nil, fmt.Errorf("this program reads only plans of version %d", planFileVersion)
	}
	f := &PlanFile{}
	if err := attr.Strict(data, f); err != nil {
		return nil, err
	}
	return f, f.check()
}

// check returns an error if the file is incomplete or too large, or if its changes cannot be applied together.
func (f *PlanFile) check() error {
	switch {
	case f.Region == "" || f.Endpoint == "" || len(f.Tables) == 0:
		return errors.New("the plan does not say where it was made")
	case f.Written.IsZero():
		return errors.New("the plan does not say when it was made")
	case len(f.Reason) > maxPlanWords || len(f.Who) > maxPlanWords:
		return fmt.Errorf("the plan's reason, or the name of its author, is longer than %d KB", maxPlanWords>>10)
	case len(f.Tables) > maxPlanTables:
		return fmt.Errorf("the plan names more than %d tables", maxPlanTables)
	case len(f.Changes) == 0:
		return errors.New("the plan has no changes")
	}
	ids := map[string]bool{}
	for n, c := range f.Changes {
		if f.Tables[c.Table] == "" {
			return fmt.Errorf("change %d of the plan does not identify the table %s", n+1, c.Table)
		}
		if c.ID == "" || ids[c.ID] || len(c.ID) > 100 || strings.ContainsAny(c.ID, `/\`) {
			return fmt.Errorf("change %d of the plan has no unique id for the journal", n+1)
		}
		ids[c.ID] = true
		if c.Request.IsEmpty() {
			return fmt.Errorf("change %d of the plan has an empty request", n+1)
		}
		if finding := c.Request.Finding; finding != nil && finding.Table != c.Table {
			return fmt.Errorf("change %d of the plan is for the table %s, but its finding is for the table %s", n+1, c.Table, finding.Table)
		}
		if one := f.Changes[0]; len(f.Changes) > 1 &&
			(!c.Request.CanJoin(one.Request) || c.Request.Finding == nil && c.Table != one.Table) {
			return errors.New("the plan's changes differ in kind. A plan of several changes can hold only releases of one table, or only repairs of findings")
		}
	}
	return nil
}

// Mends reports whether the file's changes are repairs of a check's findings.
func (f *PlanFile) Mends() bool { return f.Changes[0].Request.Finding != nil }

// CheckTables returns an error if the connection's tables are not the tables of the file.
func (f *PlanFile) CheckTables(ctx context.Context, conn *dynamo.Connection, op string) error {
	return plan.CheckTables(ctx, conn, &plan.Entry{
		Entry: journal.Entry{Region: f.Region, Endpoint: f.Endpoint, Account: f.Account},
		Plan:  &plan.Plan{Tables: f.Tables},
	}, op)
}
