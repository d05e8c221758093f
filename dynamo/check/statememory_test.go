package check_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/ui/say"
)

// A state needs at most 2,000 bytes of memory for each open key after a check, and at most 1,000 after Decode. Writing
// the state needs no memory for all keys. TestProcessMemory measures the whole process.
func TestStateNeedsLittleMemory(t *testing.T) {
	const open, most = 4_000, 2_000
	f := start(t)
	f.create("broken", "PK:S", "SK:S")
	table := f.described("broken", users())
	p := newPast(f, rand.New(rand.NewPCG(1, 1)), "broken", "broken")
	for n := range open / 2 {
		p.put("broken", user(fmt.Sprint(n), fmt.Sprint("missing", n)))
		p.put("broken", mail(fmt.Sprint("orphaned", n)))
		p.put("broken", user(fmt.Sprint("ok", n), fmt.Sprint("ok", n))) // else the layout would not fit
		p.put("broken", mail(fmt.Sprint("ok", n)))
	}
	o := setting.Options{Confirm: setting.ConfirmNone, Export: p.full(), Say: say.Do}
	before := heap()
	sum, kept, err := check.KeepState(t.Context(), table, o, func(finding.Finding) {}, nil)
	if err != nil || kept == nil || kept.Keys.Len() != open {
		t.Fatalf("%+v, %v", sum, err)
	}
	each := (heap() - before) / open
	if each > most {
		t.Errorf("the state of a check needs %d bytes for each key", each)
	}
	read, write := io.Pipe()
	go func() { write.CloseWithError(kept.Encode(write)) }()
	again, err := state.Decode(read, 1<<30)
	if err != nil || again.Keys.Len() != open {
		t.Fatal(again, err)
	}
	runtime.KeepAlive(kept)
	before = heap()
	runtime.KeepAlive(again)
	again = nil
	after := before - heap()
	if after/open > most/2 {
		t.Errorf("a state that is read needs %d bytes for each key", after/open)
	}
	t.Logf("%d bytes for each key after a check, and %d bytes when it is read", each, after/open)
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
