package adopt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// ProblemKind is a kind of problem that a survey reports.
type ProblemKind string

// The kinds of problems.
const (
	DuplicateValue ProblemKind = "duplicate-value" // several accounts hold the value
	ForeignLock    ProblemKind = "foreign-lock"    // the lock names another account than the holder, or no account
	UnfitValue     ProblemKind = "unfit-value"     // the value cannot have a lock
)

// Problem is a reason why the rule does not hold for one value. Its texts come from the table.
type Problem struct {
	Kind       ProblemKind `json:"problem"`
	Constraint string      `json:"constraint"`
	// Value is the value in the lock's key. For an unfit value it is the account's own text, perhaps cut.
	Value string `json:"value"`
	// Lock is the key of the value's lock; empty for an unfit value. LockExists says whether the lock exists. Owner is
	// the owner of an existing lock; empty if the lock names no account.
	Lock       attr.Item `json:"lock,omitempty"`
	LockExists bool      `json:"lock_exists"`
	Owner      string    `json:"owner,omitempty"`
	// Accounts are the holders of the value. MoreAccounts counts the holders that are not listed.
	Accounts     []Holder `json:"accounts"`
	MoreAccounts int      `json:"more_accounts,omitempty"`
	// Unfit says why a value cannot have a lock.
	Unfit *Unfit `json:"unfit,omitempty"`
}

// Holder is an account that holds a value.
type Holder struct {
	Key attr.Item `json:"key"`
	// Since is the probable time of the account's creation. By is the attribute with this time, or "id". Both are empty if
	// the item shows no time.
	Since *time.Time `json:"since,omitempty"`
	By    string     `json:"since_by,omitempty"`
	// Holds lists the values of the account's other constraints.
	Holds []Held `json:"holds"`

	account schema.Account
}

// Held is a value of another constraint.
type Held struct {
	Constraint string `json:"constraint"`
	Value      string `json:"value"`
}

// mostHolders is the number of holders that a survey lists for one value. longestValue is the number of bytes that it
// shows of an unfit value.
const (
	mostHolders  = 20
	longestValue = 200
)

// suspect is a key that may have several holders, or a lock of another account.
type suspect struct {
	value   string
	c       *layout.Constraint
	key     attr.Key
	holders []Holder
	more    int  // further holders
	owned   bool // the lock names one of the holders
	lock    *schema.Lock
}

// addHolder adds an account that holds the value.
func (to *suspect) addHolder(s *survey, w Wanted, item attr.Item, owned bool) {
	to.value, to.c, to.key = w.Claim.Value, w.Claim.Constraint, w.Claim.Key
	to.owned = to.owned || owned
	if len(to.holders) >= mostHolders || len(to.holders) >= 2 && s.room.Add(-1) < 0 {
		to.more++
		return
	}
	to.holders = append(to.holders, s.r.holder(w, item, time.Now()))
}

// holder describes an account that holds a value.
func (r *Rule) holder(w Wanted, item attr.Item, now time.Time) Holder {
	h := Holder{Key: w.Account.Key.Item(), Holds: []Held{}}
	h.account = schema.Account{Model: w.Account.Model, ID: w.Account.ID, Key: w.Account.Key}
	if at, by := createdAt(w.Account.ID, item, now); by != "" {
		h.Since, h.By = &at, by
	}
	for _, claim := range r.Table.ClaimsBy(w.Kind, item) {
		if !slices.Contains(r.Shared, claim.Constraint) {
			h.Holds = append(h.Holds, Held{claim.Constraint.Name, cut(claim.Raw)})
		}
	}
	return h
}

// byID is the value of Holder.By if the account's id contains the time.
const byID = "id"

// createdAt returns the time at which an account was probably created, and the attribute with this time. An attribute
// whose name speaks of creation comes first, then an id that contains its time, then an attribute whose name speaks of
// a time, and then any other date. Among equals, the earliest time counts.
func createdAt(id string, item attr.Item, now time.Time) (at time.Time, by string) {
	best := 0
	if kind, when, ok := idtime.Recognise(id, now); ok && kind != idtime.Snowflake { // its epoch is unknown
		best, at, by = rankID, when.Truncate(time.Millisecond), byID
	}
	for _, name := range item.Names() {
		rank := timeRank(name, item[name])
		age, ok := layout.Age(item[name], now)
		if rank == 0 || !ok {
			continue
		}
		when := now.Add(-age).UTC().Truncate(time.Millisecond)
		if rank > best || rank == best && when.Before(at) {
			best, at, by = rank, when, name
		}
	}
	return at, by
}

// The ranks of times, from the least certain to the most certain.
const (
	rankText    = 1 + iota // a text that is a date
	rankTime               // the name of the attribute speaks of a time
	rankID                 // the account's id contains its time
	rankCreated            // the name of the attribute speaks of creation
)

// timeRank returns how well the name of an attribute fits the time of an item's creation; 0 if it does not fit. A
// number needs a name that speaks of a time, since nearly every number can be read as a time.
func timeRank(name string, v attr.Value) int {
	low := strings.ToLower(name)
	for _, word := range []string{"creat", "signup", "signedup", "sign_up", "signed_up", "regist", "joined"} {
		if strings.Contains(low, word) {
			return rankCreated
		}
	}
	if strings.Contains(low, "birth") || strings.Contains(low, "expir") || low == "ttl" || low == "dob" {
		return 0
	}
	for _, end := range []string{"at", "time", "date", "_ts", "timestamp", "since"} {
		if strings.HasSuffix(low, end) {
			return rankTime
		}
	}
	if v.Kind == attr.S {
		return rankText
	}
	return 0
}

// cut shortens a text for a list.
func cut(text string) string {
	if len(text) <= longestValue {
		return text
	}
	return strings.ToValidUTF8(text[:longestValue], "") + "…"
}

// unfitProblem describes a value that cannot have a lock.
func unfitProblem(r *Rule, w Wanted) Problem {
	unfit := w.Unfit
	unfit.Why = cut(unfit.Why)
	return Problem{
		Kind: UnfitValue, Constraint: w.Claim.Constraint.Name, Value: cut(w.Claim.Raw), Unfit: &unfit,
		Accounts: []Holder{r.holder(w, w.Account.Item, time.Now())},
	}
}

// report emits the problems among the suspects. shared counts the holders of all values that have several holders.
// owned counts the values with several holders and a lock that names one of the holders.
func (s *survey) report() (shared, owned int64) {
	var all []*suspect
	for _, one := range s.suspects.Each {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *suspect) int {
		return cmp.Or(strings.Compare(a.value, b.value), strings.Compare(a.key.ID(), b.key.ID()))
	})
	for _, one := range all {
		switch {
		case len(one.holders) > 1:
			s.sum.Duplicates++
			shared += int64(len(one.holders) + one.more)
			if one.owned {
				owned++
			}
			s.emit(one.problem(DuplicateValue))
		case len(one.holders) == 1 && one.lock != nil && !s.r.Table.Names(one.c, *one.lock, &one.holders[0].account):
			s.sum.ForeignLocks++
			s.emit(one.problem(ForeignLock))
		}
	}
	return shared, owned
}

func (to *suspect) problem(kind ProblemKind) Problem {
	p := Problem{
		Kind: kind, Constraint: to.c.Name, Value: to.value, Lock: to.key.Item(), Accounts: to.holders,
		MoreAccounts: to.more,
	}
	slices.SortFunc(p.Accounts, func(a, b Holder) int {
		return cmp.Or(times(a).Compare(times(b)), strings.Compare(a.account.Key.ID(), b.account.Key.ID()))
	})
	if to.lock != nil {
		p.LockExists, p.Owner = true, to.lock.Owner
	}
	return p
}

// times returns the time of a holder for sorting; holders without a time come last.
func times(h Holder) time.Time {
	if h.Since == nil {
		return time.Unix(1<<40, 0)
	}
	return *h.Since
}

// emit passes a problem to the caller. After MostListed problems, it only counts them.
func (s *survey) emit(p Problem) {
	s.calls.Lock()
	defer s.calls.Unlock()
	if s.listed++; s.listed <= MostListed && s.found != nil {
		s.found(p)
	}
}
