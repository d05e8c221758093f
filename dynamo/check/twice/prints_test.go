package twice

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tallylock/internal/testrun"
)

// Prints finds exactly the fingerprints that a map finds, for any additions and any memory.
func TestFoundAreThoseThatAMapFinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spilt := false
	tables := 0
	rapid.Check(t, func(rt *rapid.T) {
		if tables++; tables > testrun.Runs(1000, 20) {
			return
		}
		memory := rapid.Int64Range(0, 1<<15).Draw(rt, "memory")
		seed := rapid.Uint64().Draw(rt, "seed")
		distinct := rapid.Uint64Range(1, 1000).Draw(rt, "distinct")
		dice := rand.New(rand.NewPCG(seed, 1))
		values := make([]uint64, distinct)
		for n := range values {
			values[n] = dice.Uint64() >> (64 - printBits)
		}
		p := New(memory, 1<<20, dir)
		count := map[uint64]int{}
		var all []uint64
		for range rapid.IntRange(0, 1500).Draw(rt, "added") {
			at := dice.Uint64N(distinct)
			if dice.IntN(4) == 0 {
				at /= 100 // a few are added very often
			}
			all = append(all, values[at])
			count[values[at]]++
		}
		var workers sync.WaitGroup
		for n := range 3 {
			workers.Go(func() {
				for at := n; at < len(all); at += 3 {
					p.Add(all[at])
				}
			})
		}
		workers.Wait()
		spilt = spilt || p.written.Load() > 0
		if err := p.Find(rt.Context()); err != nil {
			rt.Fatal(err)
		}
		want := 0
		for print, n := range count {
			if p.Has(print) != (n > 1) {
				rt.Fatalf("%x was added %d times, and is found: %v", print, n, p.Has(print))
			}
			if n > 1 {
				want++
			}
		}
		if kept, more := p.Found(); kept != want || more != 0 || p.Any() != (want > 0) {
			rt.Fatalf("%d and %d more; want %d", kept, more, want)
		}
	})
	if !spilt {
		t.Error("nothing was written to disk")
	}
	empty(t, dir)
}

// empty fails if a directory has a file.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// If very many items have the same value, Prints needs no more memory. It counts the duplicates that it does not keep.
func TestMoreDuplicatesThanAreKept(t *testing.T) {
	t.Parallel()
	p := New(1<<12, 100, t.TempDir())
	for range 50_000 {
		p.Add(0)
	}
	for n := range uint64(1000) {
		p.Mark(n<<40 + 1)
	}
	p.Add(5)
	if err := p.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept, more := p.Found(); kept != 100 || more != 901 || p.Has(5) {
		t.Errorf("%d and %d more", kept, more)
	}
}

// full is a disk that is full after some blocks.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) WriteAt(b []byte, _ int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}
func (f *full) ReadAt([]byte, int64) (int, error) { return 0, errFull }
func (f *full) Close() error                      { return nil }

func TestDiskFails(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (file, error){
		"at once":   func() (file, error) { return create(filepath.Join(t.TempDir(), "missing")) },
		"in time":   func() (file, error) { return &full{left: 10}, nil },
		"when read": func() (file, error) { return &full{left: 1 << 20}, nil },
	} {
		p := newPrints(1<<12, 100, open)
		for n := range uint64(20_000) {
			p.Mark(n << 30)
		}
		if err := p.Find(t.Context()); err == nil || p.Any() {
			t.Errorf("%s: %v, and some are found: %v", name, err, p.Any())
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	p := New(1<<12, 100, t.TempDir())
	for n := range uint64(20_000) {
		p.Mark(n << 30)
	}
	if err := p.Find(stopped); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A killed process leaves no file. The next process removes the files that an older version or Windows has left.
func TestKilledProcessLeavesNothing(t *testing.T) {
	const variable = "TALLYLOCK_TEST_PRINTS"
	if dir := os.Getenv(variable); dir != "" {
		p := New(0, 1, dir)
		for n := range uint64(10_000) {
			p.Add(n << 40)
		}
		fmt.Println("written", p.written.Load() > 1000)
		<-make(chan struct{}) // until the process is killed
		runtime.KeepAlive(p)  // otherwise the garbage collector closes the file
	}
	dir := t.TempDir()
	left := filepath.Join(dir, "tallylock-123.prints")
	other := filepath.Join(dir, "tallylock-notes.txt")
	for _, name := range []string{left, other} {
		if err := os.WriteFile(name, []byte("12345678"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The timer of a timeout keeps the runtime from ending a process in which every goroutine waits.
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessLeavesNothing$", "-test.timeout=10m")
	child.Env = append(os.Environ(), variable+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "written true\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := os.Stat(left); runtime.GOOS != "windows" && err == nil {
		t.Error("an older file is still there")
	}
	if runtime.GOOS == "linux" {
		private(t, child.Process.Pid, dir)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if err := Try(dir); err != nil { // as the next process does
		t.Fatal(err)
	}
	if err := os.Remove(other); err != nil {
		t.Error("it removed a file of another name")
	}
	empty(t, dir)
}

// private fails unless a process has an open file in the directory. The file must have no name, and others must not be
// able to read it.
func private(t *testing.T, pid int, dir string) {
	t.Helper()
	found := false
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, name := range all {
		if at, _ := os.Readlink(name); strings.HasPrefix(at, dir) {
			about, err := os.Stat(name)
			if err != nil || about.Mode().Perm() != 0o600 || !strings.HasSuffix(at, "(deleted)") {
				t.Errorf("%s: %v, %v", at, about, err)
			}
			found = true
		}
	}
	if !found {
		t.Error("the process has no file in the directory")
	}
}
