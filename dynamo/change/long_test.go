package change_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/fault"
)

// copies makes a journal of so many receipts: copies of a real one, of which every
// thousandth was never answered.
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
	for n := range receipts {
		fresh := fmt.Appendf(nil, "R-%020d", n)
		_, _ = out.Write(bytes.ReplaceAll(send, name, fresh))
		_ = out.WriteByte('\n')
		if n%1000 != 999 {
			_, _ = out.Write(bytes.ReplaceAll(answer, name, fresh))
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

// realLines are the two lines of a change that was applied.
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
	return unchained(lines) // of which copies can be made
}

// A journal of so many receipts is listed, written and pruned like any other.
func TestAJournalOfAHundredThousandReceipts(t *testing.T) {
	t.Parallel()
	receipts := fault.Runs(100_000, 2_000)
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
	if r := f.record(last.ID); r.Outcome != change.Applied {
		t.Errorf("%+v", r)
	}
	if n, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(time.Hour)); n != receipts-receipts/1000+1 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	// What was listed before it was pruned can still be looked at.
	if p := planOf(records[receipts-1]); p == nil || p.ID != records[receipts-1].Receipt {
		t.Errorf("after pruning its plan is %+v", p)
	}
}

// Lines as the first version wrote them are read, and what they lack is said.
func TestAnOlderJournalIsRead(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.journal = filepath.Join(private(t), "journal.jsonl")
	f.changer = f.operator("tester")
	const plan = `"plan":{"id":"R-20261101-120000-aaaa","kind":"release","at":"2026-11-01T12:00:00Z","table":"accounts","table_id":"0000","constraint":"username","value":"alan","title":"Release a lock","sentence":"…","lines":[],"button":"Release the lock","steps":[{"name":"mark","token":"t1","writes":[{"verb":"update","table":"accounts","key":{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}},"update":"SET #mark = :mark","condition":"attribute_exists(#pk)","names":{"#pk":"PK","#mark":"tallylock_release"},"values":{":mark":{"S":"m"}}}]},{"name":"delete","token":"t2","writes":[]},{"name":"unmark","token":"t3","writes":[]}],"price":{"write_units":4,"read_units":1,"about":true},"reason":"ticket \"1\""}`
	const where = `"who":"sam","connection":"support","region":"eu-west-1","endpoint":"dynamodb.eu-west-1.amazonaws.com",`
	old := `{"event":"send","receipt":"R-20261101-120000-aaaa","step":"mark","token":"t1","at":"2026-11-01T12:00:00Z",` + where + plan + `,"writes":[]}` + "\n" +
		`{"event":"answer","receipt":"R-20261101-120000-aaaa","step":"mark","token":"t1","at":"2026-11-01T12:00:01Z","outcome":"applied"}` + "\n" +
		`{"event":"send","receipt":"R-20261101-120000-aaaa","step":"delete","token":"t2","at":"2026-11-01T12:00:12Z",` + where + plan + `,"writes":[]}` + "\n" +
		`{"event":"answer","receipt":"R-20261101-120000-aaaa","step":"delete","token":"t2","at":"2026-11-01T12:00:13Z","outcome":"applied"}` + "\n" +
		`{"event":"send","receipt":"R-2","step":"bump","token":"t4","at":"2026-11-02T12:00:00Z",` + where + `"plan":{"id":"R-2","kind":"bump","at":"2026-11-02T12:00:00Z","table":"order_id","counter":"order_id","title":"","sentence":"","lines":null,"button":"","steps":null,"price":{"write_units":2,"read_units":0,"about":false},"before":"1","after":"2"}}` + "\n" +
		`{"event":"answer","receipt":"R-2","step":"bump","token":"t4","at":"2026-11-02T12:00:09Z","outcome":"unknown","reasons":[{"slot":0,"code":"NoAnswer","text":"lost"}],"error":"no answer"}` + "\n"
	if err := os.WriteFile(f.journal, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	records, err := f.changer.Journal.Records()
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	released, bumped := records[0], records[1]
	if released.Outcome != change.Applied || released.Open || released.Who != "sam" || released.Region != "eu-west-1" || released.Table != "accounts" ||
		released.What != `release username "alan" of accounts` || released.Reason != `ticket "1"` {
		t.Errorf("%+v", released)
	}
	if !bumped.Open || codes(change.ReasonsOf(bumped)) != "NoAnswer" || bumped.Error != "no answer" || planOf(bumped).After != "2" {
		t.Errorf("%+v", bumped)
	}
	table := f.open("order_id")
	if s, err := f.changer.Examine(t.Context(), table.Connection(), bumped); client.KindOf(err) != client.Usage {
		t.Errorf("%+v, %v; want it refused: it was made elsewhere", s, err)
	}
	if why := change.WhyNotUndoable(released); why == "" {
		t.Error("it keeps no images, and is said to be undoable")
	}
}
