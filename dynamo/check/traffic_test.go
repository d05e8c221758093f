package check_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/internal/fault"
)

// The engine's delays, and the grace period, which is longer than both.
const (
	lag    = 3 * time.Second
	spread = 300 * time.Millisecond
	settle = 10 * time.Second
)

// wait is the time for which a given-up value stays free. It is longer than one more reading of all suspected locks. No
// check can exclude shorter absences.
const wait = 9 * time.Second

// act makes one random change of the application, or one mishap in its table. Accounts take their former values again,
// and other accounts take them. An account that takes a value with a lock also puts the lock (the gain rule): if an
// application breaks this rule, no reading can tell.
func (w *world) act() {
	id := fmt.Sprint("id", w.rand.IntN(12))
	v := fmt.Sprint("v", w.rand.IntN(18))
	if back := w.former[id]; back != "" && w.rand.IntN(4) == 0 {
		v = back
	}
	free := time.Since(w.freed[v]) > wait
	had, there := w.accounts[id]
	switch kind := w.rand.IntN(40); {
	case kind > 36: // a new account that never changes
		w.signUp(fmt.Sprint("new", len(w.accounts)+len(w.history)), fmt.Sprint("fresh", len(w.history)))
	case !there && kind == 36 && w.locks[v] == "":
		w.imports(id, v)
	case !there && free:
		w.signUp(id, v)
	case there && kind < 20 && free && v != had:
		w.change(id, v)
	case there && kind < 30:
		w.leave(id)
	case there && kind < 32:
		w.expire(id)
	case there && kind < 34 && free && v != had:
		w.strand(id, v)
	case kind == 34 && w.locks[v] != "":
		w.unlock(v)
	}
}

// live lets the application work until the context ends.
func (w *world) live(ctx context.Context) {
	for ctx.Err() == nil {
		w.mu.Lock()
		nap := w.upTo(400 * time.Millisecond)
		w.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(nap):
			w.mu.Lock()
			w.act()
			w.mu.Unlock()
		}
	}
}

// spoil makes one lasting problem of each kind of lock problems.
func (w *world) spoil() {
	for n := range 8 {
		w.signUp(fmt.Sprint("quiet", n), fmt.Sprint("q", n))
	}
	w.expire("quiet0")
	w.expire("quiet1")
	w.strand("quiet2", "r")
	w.unlock("q3")
	w.imports("new4", "q4")
	w.imports("new5", "q5")
	w.expire("quiet5") // the lock still names the account
	w.imports("twin1", "twin")
	w.imports("twin2", "twin")
	w.imports("bare", "bare")
}

// story runs one check of a table in use. It returns a complaint if the check is wrong.
func story(t *testing.T, seed uint64, latency time.Duration, owned bool, look setting.Look) (complaint string) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, seed, fault.Delays{Seed: seed, Lag: lag, Spread: spread})
		w.latency, w.owned = latency, owned
		w.spoil()
		for range 30 {
			w.act()
			time.Sleep(time.Second)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.live(ctx)
		}()
		table := w.open(settle)
		w.before = func(request) { // also between any two requests
			for range w.rand.IntN(4) {
				w.act()
			}
		}
		w.begun = time.Now()
		found, sum, err := run(t.Context(), table, setting.Options{Segments: 24, Look: look})
		w.ended = time.Now()
		stop()
		<-ended
		if err != nil || !sum.Complete {
			complaint = fmt.Sprintf("it ended with %v, %+v", err, sum)
			return
		}
		complaint = w.judge(found)
	})
	return complaint
}

// judge compares findings with the history. It returns a complaint if a finding is false or missing.
func (w *world) judge(found []finding.Finding) string {
	got := map[string]bool{}
	for _, f := range found {
		got[string(f.Kind)+" "+f.Value] = f.Confirmed
		if !f.Confirmed {
			continue
		}
		true_ := false
		during := w.during(f.Value, w.begun, w.ended)
		for _, m := range during {
			true_ = true_ || m.is(string(f.Kind))
		}
		if !true_ {
			return fmt.Sprintf("%s %s is confirmed (%s), and was never true between %s and %s: %v", f.Kind, f.Value, f.Evidence, w.begun.Format("04:05.000"), w.ended.Format("04:05.000"), during)
		}
	}
	for _, v := range w.values() {
		during := w.during(v, w.begun.Add(-lag-spread), w.ended)
		if len(during) != 1 {
			continue // the value changed
		}
		for _, kind := range []string{"orphaned-lock", "stale-lock", "foreign-lock", "missing-lock", "duplicate-value"} {
			if during[0].is(kind) && !got[kind+" "+v] {
				return fmt.Sprintf("%s %s was there from start to end, and was not found: %v", kind, v, said(found))
			}
		}
	}
	return ""
}

// While an application signs people up, changes and deletes them, a check confirms nothing false. It finds each problem
// that exists from start to end.
func TestTraffic(t *testing.T) {
	t.Parallel()
	few(t, "4")
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		look := rapid.SampledFrom([]setting.Look{setting.Strong, setting.Eventual}).Draw(rt, "look")
		owned := rapid.Bool().Draw(rt, "owned")
		latency := rapid.SampledFrom([]time.Duration{10 * time.Millisecond, 2 * time.Second}).Draw(rt, "latency")
		if complaint := story(t, seed, latency, owned, look); complaint != "" {
			rt.Fatal(complaint)
		}
	})
}
