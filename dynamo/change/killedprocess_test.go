package change_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// These environment variables tell a process of the test binary which change to make before it is killed.
const (
	processVariable  = "TALLYLOCK_TEST_PROCESS"
	endpointVariable = "TALLYLOCK_TEST_ENDPOINT"
	journalVariable  = "TALLYLOCK_TEST_JOURNAL"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	if name := os.Getenv(processVariable); name != "" {
		if err := killedProcesses[name].live(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testrun.SideBySide("4")
	os.Exit(m.Run())
}

// killedProcess is a change that a process of its own makes until it is killed.
type killedProcess struct {
	table string
	// units is the connection's AutoReadUnits; 0 means the default.
	units float64
	plan  func(context.Context, *dynamo.Table) ([]*plan.Plan, error)
	// watch has, for each plan, the place of the items that it changes.
	watch []place
	// meanwhile writes these items like the application, after the process was killed.
	meanwhile func(f *fixture)
}

func releases(constraint string, values ...string) func(context.Context, *dynamo.Table) ([]*plan.Plan, error) {
	return func(ctx context.Context, t *dynamo.Table) ([]*plan.Plan, error) {
		var rels []*verdict.Relation
		for _, v := range values {
			rel, err := t.LockOf(ctx, constraint, v, nil)
			if err != nil {
				return nil, err
			}
			rels = append(rels, rel)
		}
		b, err := change.PlanReleases(ctx, t, rels...)
		if err != nil {
			return nil, err
		}
		return b.Plans, nil
	}
}

func bumps(ctx context.Context, t *dynamo.Table) ([]*plan.Plan, error) {
	counters, _, err := counter.Read(ctx, t)
	if err != nil {
		return nil, err
	}
	p, err := planner.Bump(ctx, counters[0], big.NewInt(3))
	return []*plan.Plan{p}, err
}

// retake gives the locks to new accounts, and overwrites existing locks, as if somebody had deleted them by hand.
func retake(table string, values ...string) func(f *fixture) {
	return func(f *fixture) {
		for _, v := range values {
			f.put(table, row("ACCT#new-"+v, "PROFILE", "email", "new-"+v+"@example.net", "username", v))
			f.put(table, handle(v))
		}
	}
}

var killedProcesses = map[string]killedProcess{
	"bump": {
		table: "order_id", plan: bumps, watch: []place{{"order_id", ""}},
		meanwhile: func(f *fixture) {
			f.take("order_id", item{"id": num("0")}, "order_number", types.ReturnValueUpdatedNew)
		},
	},
	"bump of a key": {
		table: "NextIdTable", plan: bumps, watch: []place{{"NextIdTable", ""}},
		meanwhile: func(f *fixture) {
			now := f.items(place{"NextIdTable", ""})[0]["Counter"]
			n, _ := new(big.Int).SetString(text(now), 10)
			f.transact(
				types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("NextIdTable"), Key: item{"Counter": now}}},
				types.TransactWriteItem{Put: &types.Put{TableName: aws.String("NextIdTable"), Item: item{"Counter": num(n.Add(n, big.NewInt(1)).String())}}},
			)
		},
	},
	"release": {
		table: "accounts", plan: releases("username", "alan"), watch: []place{{"accounts", "UNIQ#HANDLE#alan"}}, meanwhile: retake("accounts", "alan"),
	},
	"release of two": {
		table: "accounts", plan: releases("username", "alan", "turing"),
		watch: []place{{"accounts", "UNIQ#HANDLE#alan"}, {"accounts", "UNIQ#HANDLE#turing"}}, meanwhile: retake("accounts", "alan", "turing"),
	},
	"release of a held lock": {
		table: "accounts", units: 0.001, plan: releases("username", "ada"), watch: []place{{"accounts", "UNIQ#HANDLE#ada"}}, meanwhile: func(*fixture) {},
	},
	"release by owner": {
		table: "members", plan: releases("username", "alan"), watch: []place{{"members", "UNIQ#HANDLE#alan"}},
		meanwhile: func(f *fixture) {
			f.put("members", row("MEM#new", "PROFILE", "email", "new@example.net", "username", "alan"))
			f.put("members", row("UNIQ#HANDLE#alan", "LOCK", "memberId", "MEM#new"))
		},
	},
	"change of a value": {
		table: "accounts", watch: []place{{"accounts", ""}},
		meanwhile: func(f *fixture) {
			has := text(f.get("accounts", profile("a1f9c3"))["username"])
			f.transact(
				types.TransactWriteItem{Update: &types.Update{
					TableName: aws.String("accounts"), Key: profile("a1f9c3"), UpdateExpression: aws.String("SET username = :v"),
					ExpressionAttributeValues: item{":v": str("babbage")},
				}},
				types.TransactWriteItem{Put: &types.Put{TableName: aws.String("accounts"), Item: handle("babbage")}},
				types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("accounts"), Key: handle(has)}},
			)
		},
		plan: func(ctx context.Context, t *dynamo.Table) ([]*plan.Plan, error) {
			rel, err := t.LockOf(ctx, "username", "ada", nil)
			if err != nil {
				return nil, err
			}
			fresh, _, err := find.Reread(ctx, t, find.RereadOptions{OneClaimant: true}, rel)
			if err != nil {
				return nil, err
			}
			p, err := planner.ChangeValue(ctx, t, fresh[0], "countess")
			return []*plan.Plan{p}, err
		},
	},
}

// overHTTP makes a connection to the engine by its URL, as other processes can.
func overHTTP(ctx context.Context, endpoint string, units float64) (*dynamo.Connection, error) {
	return dynamo.Connect(ctx, dynamo.Options{Options: client.Options{Endpoint: endpoint, Region: "us-east-1", Write: true, Settle: time.Millisecond, AutoReadUnits: units}, Asked: true})
}

// live makes the change in the process that is to be killed. It sends a request during the wait, so that the process
// can be killed there, too.
func (v killedProcess) live(ctx context.Context) error {
	conn, err := overHTTP(ctx, os.Getenv(endpointVariable), v.units)
	if err != nil {
		return err
	}
	t, err := conn.Open(ctx, v.table)
	if err != nil {
		return err
	}
	plans, err := v.plan(ctx, t)
	if err != nil {
		return err
	}
	j, err := journal.Open(os.Getenv(journalVariable))
	if err != nil {
		return err
	}
	knocked := false
	(&change.Changer{Journal: j, Who: "process"}).ApplyAll(ctx, plans, func(p change.Progress) {
		if p.Stage == "wait" && !knocked {
			knocked = true
			_, _ = conn.TableNames(ctx)
		}
	})
	return nil
}

// moment is the request at which a process dies. Requests are counted from the first write, which is number 0.
type moment struct {
	at int
	// applied is set if the request takes effect, but gets no answer.
	applied bool
	// torn is set if the journal's line about the request is torn.
	torn bool
}

const never = -1

func (m moment) String() string {
	switch {
	case m.applied:
		return fmt.Sprintf("after request %d was applied", m.at)
	case m.torn:
		return fmt.Sprintf("while it wrote down request %d", m.at)
	}
	return fmt.Sprintf("before request %d", m.at)
}

// murder is an engine whose client is killed at a moment.
type murder struct {
	*fixture
	url  string
	when moment

	mu   sync.Mutex
	ops  []string // the operations from the first write on
	kill func()   // nil if no process is to be killed
	now  time.Time
}

func scene(t *testing.T, when moment) *murder {
	m := &murder{when: when, now: time.Now()}
	m.fixture = start(t, fault.WithFaults(m.choose), embedded.WithClock(m.clock))
	m.changer.Now = m.clock
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- m.Engine.Serve(ctx, "127.0.0.1:0", func(url string) { ready <- url }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case m.url = <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return m
}

// clock returns the time for the engine and the journal.
func (m *murder) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *murder) later(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

func (m *murder) choose(r fault.Request) fault.Fault {
	m.mu.Lock()
	kill, n := m.kill, len(m.ops)
	now := kill != nil && (n > 0 || r.Op == "TransactWriteItems")
	if now {
		m.ops = append(m.ops, r.Op)
		if now = n == m.when.at; now {
			m.kill = nil
		}
	}
	m.mu.Unlock()
	if !now {
		return fault.NoFault
	}
	if m.when.applied {
		m.deliver(r.Body)
	}
	kill()
	return fault.CloseBefore
}

// run runs the process until its moment.
func (m *murder) run(name string) {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	process := exec.CommandContext(m.t.Context(), self)
	process.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", processVariable+"="+name, endpointVariable+"="+m.url, journalVariable+"="+m.journal)
	var said bytes.Buffer
	process.Stderr = &said
	dead := make(chan struct{})
	m.mu.Lock()
	if err := process.Start(); err != nil {
		m.mu.Unlock()
		m.t.Fatal(err)
	}
	m.kill = func() {
		if err := process.Process.Kill(); err != nil {
			m.t.Error(err)
		}
		<-dead
	}
	m.mu.Unlock()
	err = process.Wait()
	close(dead)
	m.mu.Lock()
	killed := m.kill == nil
	m.kill = nil
	m.mu.Unlock()
	if outlived := m.when.at == never || len(m.ops) <= m.when.at; killed == outlived || killed == (err == nil) {
		m.t.Fatalf("it ended with %v after %v: %s", err, m.ops, said.String())
	}
	if m.when.torn && killed {
		m.tear()
	}
}

// tear cuts the last line of the journal in half.
func (m *murder) tear() {
	m.t.Helper()
	data, err := os.ReadFile(m.journal)
	if err != nil {
		m.t.Fatal(err)
	}
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	if err := os.Truncate(m.journal, int64(last+len(data))/2); err != nil {
		m.t.Fatal(err)
	}
}
