package change_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/internal/testrun"
)

// copies makes a journal with copies of a real receipt. Every thousandth copy has no answer.
func copies(tb testing.TB, real []byte, receipts int) string {
	tb.Helper()
	path := filepath.Join(private(tb), "journal.jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	send, answer, _ := bytes.Cut(real, []byte("\n"))
	name := send[bytes.Index(send, []byte("R-")):]
	name = name[:bytes.IndexByte(name, '"')]
	var before []byte
	write := func(line, fresh []byte) {
		before = chainedLine(before, bytes.ReplaceAll(line, name, fresh))
		_, _ = out.Write(before)
		_ = out.WriteByte('\n')
	}
	for n := range receipts {
		fresh := fmt.Appendf(nil, "R-%020d", n)
		write(send, fresh)
		if n%1000 != 999 {
			write(answer, fresh)
		}
	}
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// realLines returns the two journal lines of an applied change.
func realLines(t *testing.T) []byte {
	t.Helper()
	f := start(t)
	p := f.planBump()
	p.Reason = "ticket \"48151\": a <reason> & more"
	f.apply(p, nil)
	lines, err := os.ReadFile(f.journal)
	if err != nil {
		t.Fatal(err)
	}
	return unchained(lines) // the copies get their own hashes
}

// A journal with very many receipts is listed, written and pruned like any other.
func TestAJournalOfAHundredThousandReceipts(t *testing.T) {
	t.Parallel()
	receipts := testrun.Runs(100_000, 2_000)
	real := realLines(t)
	f := start(t)
	path := copies(t, real, receipts)
	f.journal = path
	f.changer = f.operator("tester")
	begin := time.Now()
	records, err := f.changer.Journal.Records()
	t.Logf("%d bytes listed in %v", len(real)*receipts, time.Since(begin))
	if err != nil || len(records) != receipts || len(journal.Unresolved(records)) != receipts/1000 {
		t.Fatalf("%d records, %d open, %v; want %d and %d", len(records), len(journal.Unresolved(records)), err, receipts, receipts/1000)
	}
	for _, r := range []*journal.Record{records[0], records[receipts*7/9], records[receipts-1]} {
		p := planOf(r)
		if p == nil || p.ID != r.Receipt || p.Counter != "order_id" || r.What != p.String() || r.Reason != p.Reason || r.Table != p.Table || r.Who != "tester" {
			t.Errorf("%+v has the plan %+v", r, p)
		}
	}
	last := f.bump()
	if r := f.record(last.ID); r.Outcome != journal.Applied {
		t.Errorf("%+v", r)
	}
	if n, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(time.Hour)); n != receipts-receipts/1000+1 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	// A record that was listed before the pruning still has its plan.
	if p := planOf(records[receipts-1]); p == nil || p.ID != records[receipts-1].Receipt {
		t.Errorf("after pruning its plan is %+v", p)
	}
}
