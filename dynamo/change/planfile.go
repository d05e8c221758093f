package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
)

// PlanFile is changes that one person has planned for another to make. It holds what was
// asked for, in words and by name, and no request: whoever makes the changes has them
// planned again. It is not believed, since anybody may have written it.
type PlanFile struct {
	Version int       `json:"tallylock_plan"`
	Written time.Time `json:"written"`
	Who     string    `json:"who,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	// Connection is what the person calls it; Region, Endpoint and Account say where the
	// tables are.
	Connection string `json:"connection,omitempty"`
	Region     string `json:"region"`
	Endpoint   string `json:"endpoint"`
	Account    string `json:"account,omitempty"`
	// Tables are the TableIds of all tables that are written or checked, by name.
	Tables  map[string]string `json:"tables"`
	Changes []PlannedChange   `json:"changes"`
}

// PlannedChange is one change of a file of plans.
type PlannedChange struct {
	Does     string `json:"does"` // in words, for who opens the file
	Sentence string `json:"sentence,omitempty"`
	Kind     Kind   `json:"kind"`
	Table    string `json:"table"` // of the accounts, or of the counter
	Request  Asked  `json:"request"`
	// Layout is the hash of the layout that it was planned by, of changes of locks.
	Layout string `json:"layout,omitempty"`
	// Before and After are those of the plan.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Seen are the items that it rests on.
	Seen []SeenItem `json:"seen,omitempty"`
}

// The bounds of a file of plans: it may come from anybody.
const (
	planFileVersion = 1
	maxPlanFile     = 32 << 20
	maxPlanWords    = 4 << 10 // of a reason or a name
	maxPlanTables   = 100
)

// NewPlanFile is a file without changes yet, of a connection's tables.
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

// Add writes plans down that were just made.
func (f *PlanFile) Add(plans ...*Plan) error {
	for _, p := range plans {
		if p.table == nil || p.asked.empty() {
			return fmt.Errorf("%s cannot be handed over: make it here", p)
		}
		maps.Copy(f.Tables, p.Tables)
		f.Tables[p.table.Name], f.Account = p.table.ID, p.account
		f.Changes = append(f.Changes, PlannedChange{
			Does: p.String(), Sentence: p.Sentence, Kind: p.Kind, Table: p.table.Name, Request: p.asked, Layout: p.Layout,
			Before: p.Before, After: p.After, Seen: seen(p),
		})
	}
	return nil
}

// Bytes is the file as it is kept: JSON that a person can read.
func (f *PlanFile) Bytes() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	data, err := attr.Line(f, "  ")
	if err == nil && len(data) > maxPlanFile {
		err = fmt.Errorf("it would take %d MB, and %d are read: plan fewer changes at once", len(data)>>20+1, maxPlanFile>>20)
	}
	return data, err
}

// ReadPlanFile reads what Bytes wrote. What this version does not understand is refused:
// half of what somebody asked for is something else.
func ReadPlanFile(r io.Reader) (*PlanFile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPlanFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPlanFile {
		return nil, fmt.Errorf("it is larger than %d MB", maxPlanFile>>20)
	}
	var of struct {
		Version int `json:"tallylock_plan"`
	}
	if err := json.Unmarshal(data, &of); err != nil {
		return nil, fmt.Errorf("it is no JSON of a plan: %w", err)
	}
	if of.Version != planFileVersion {
		return nil, fmt.Errorf("it is no plan of the version %d", planFileVersion)
	}
	f := &PlanFile{}
	if err := strictly(data, f); err != nil {
		return nil, err
	}
	return f, f.check()
}

// check says why nothing is done about a file.
func (f *PlanFile) check() error {
	switch {
	case f.Region == "" || f.Endpoint == "" || len(f.Tables) == 0:
		return errors.New("it does not say where it was made")
	case f.Written.IsZero():
		return errors.New("it does not say when it was made")
	case len(f.Reason) > maxPlanWords || len(f.Who) > maxPlanWords:
		return fmt.Errorf("its reason, or who wrote it, is longer than %d KB", maxPlanWords>>10)
	case len(f.Tables) > maxPlanTables:
		return fmt.Errorf("it names more than %d tables", maxPlanTables)
	case len(f.Changes) == 0:
		return errors.New("it has no changes")
	}
	for n, c := range f.Changes {
		if f.Tables[c.Table] == "" {
			return fmt.Errorf("its change %d does not say by a TableId which table %s is", n+1, c.Table)
		}
		if c.Request.empty() {
			return fmt.Errorf("its change %d does not say what is asked for", n+1)
		}
		if finding := c.Request.Finding; finding != nil && finding.Table != c.Table {
			return fmt.Errorf("its change %d is of the table %s, and its finding of %s", n+1, c.Table, finding.Table)
		}
		if one := f.Changes[0]; len(f.Changes) > 1 && (!c.Request.joins(one.Request) || c.Request.Finding == nil && c.Table != one.Table) {
			return errors.New("its changes are not of one kind: several are releases of one table, or repairs of findings")
		}
	}
	return nil
}

// Mends reports whether its changes put right what a check found.
func (f *PlanFile) Mends() bool { return f.Changes[0].Request.Finding != nil }

// Here makes sure that the connection's tables are those that it was made on.
func (f *PlanFile) Here(ctx context.Context, conn *dynamo.Connection, op string) error {
	_, err := places(ctx, conn, &Entry{
		&journal.Entry{Region: f.Region, Endpoint: f.Endpoint, Account: f.Account}, &Plan{Tables: f.Tables},
	}, op)
	return err
}

// strictly decodes one JSON value, of which every name is known, and nothing behind it.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the plan")
	}
	return nil
}
