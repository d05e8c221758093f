// Command mutants removes each predicate of the SQL of checks in turn, and names the test that fails. It exits with
// status 1 if no test fails for a predicate that equivalent.go does not list, or if a test fails for a listed one. The
// SQL runs on DuckDB: TALLYLOCK_TEST_DUCKDB has its command. .ci/mutants sets it.
//
// The command writes a copy of package sql in which a hook surrounds each predicate, and builds the tests with this
// copy (go test -overlay). An environment variable tells the hook which predicate becomes a constant. A first run of
// all tests finds out which tests reach which predicates.
package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed hook.txt
var hook []byte

// folder has the code whose predicates are removed.
const folder = "dynamo/check/sql"

// packages have the tests, in the order in which they run.
var packages = []string{"dynamo/check/sql", "dynamo/check", "internal/corpus"}

func main() {
	only := flag.String("only", "", "try only mutants that match this `REGEXP`")
	quick := flag.Bool("quick", false, "run only the tests of package sql, which are the quickest")
	workers := flag.Int("workers", 2, "the `NUMBER` of mutants at a time")
	flag.Parse()
	if *quick {
		packages = packages[:1]
	}
	if err := run(regexp.MustCompile(*only), *workers); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only *regexp.Regexp, workers int) error {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	places, err := overlay(dir)
	if err != nil {
		return err
	}
	t := &tests{dir: dir, reached: map[string]map[string][]string{}, took: map[string]map[string]float64{}}
	for _, p := range packages {
		if err := t.build(p); err != nil {
			return err
		}
	}
	all := slices.Sorted(maps.Keys(t.reached))
	all = slices.DeleteFunc(all, func(id string) bool { return !only.MatchString(id) })
	survived := 0
	var each sync.WaitGroup
	var lock sync.Mutex
	next := make(chan string)
	for range workers {
		each.Go(func() {
			for id := range next {
				killer := t.kill(id)
				why, known := equivalent[id]
				said := "killed by " + killer
				lock.Lock()
				switch {
				case killer == "" && known:
					said = "equivalent: " + why
				case killer == "":
					said = "SURVIVED"
					survived++
				case known:
					said += ", but is listed as equivalent"
					survived++
				}
				fmt.Printf("%s  %s  %s\n", places[source(id)], id, said)
				lock.Unlock()
			}
		})
	}
	for _, id := range all {
		next <- id
	}
	close(next)
	each.Wait()
	for id, place := range places {
		if only.MatchString(id) && !slices.ContainsFunc(all, func(one string) bool { return source(one) == id }) {
			fmt.Printf("%s  %s  is this constant in all tests\n", place, id)
		}
	}
	fmt.Printf("%d mutants, %d survived\n", len(all), survived)
	if survived > 0 {
		return fmt.Errorf("%d mutants survived", survived)
	}
	return nil
}

// source removes the constant and the index from the id of a mutant.
func source(id string) string {
	id, _, _ = strings.Cut(id, " → ")
	return index.ReplaceAllString(id, "")
}

var index = regexp.MustCompile(` \[\d+\]$`)

// overlay writes the copy with hooks, and the file for -overlay. It returns the places of all mutations.
func overlay(dir string) (places map[string]string, err error) {
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	places, taken, replace := map[string]string{}, map[string]int{}, map[string]string{}
	write := func(name string, text []byte) error {
		at := filepath.Join(dir, name)
		replace[filepath.Join(root, folder, name)] = at
		return os.WriteFile(at, text, 0o600)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "tree.go" {
			continue // tree.go has only the constructors of expressions
		}
		text, all, err := rewrite(path, taken)
		if err == nil {
			err = write(filepath.Base(path), text)
		}
		if err != nil {
			return nil, err
		}
		for _, m := range all {
			places[m.id] = m.place
		}
	}
	if err := write("mutant_hook.go", hook); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return places, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600)
}

// tests are the test programs.
type tests struct {
	dir     string
	reached map[string]map[string][]string // the tests that reach a mutant, by mutant and package
	took    map[string]map[string]float64  // the seconds of each test, by package and test
}

func (t *tests) program(p string) string {
	return filepath.Join(t.dir, strings.ReplaceAll(p, "/", "-"))
}

// build builds the tests of a package, and runs them once.
func (t *tests) build(p string) error {
	build := exec.Command("go", "test", "-c", "-overlay", filepath.Join(t.dir, "overlay.json"), "-o", t.program(p), "./"+p)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the tests of %s: %w\n%s", p, err, out)
	}
	log := filepath.Join(t.dir, "reached")
	_ = os.Remove(log)
	out, err := t.run(p, []string{"TALLYLOCK_MUTANTS=" + log}, "-test.v")
	if err != nil {
		return fmt.Errorf("the tests of %s fail without a mutant: %w\n%s", p, err, out)
	}
	t.took[p] = map[string]float64{}
	for _, m := range passed.FindAllStringSubmatch(string(out), -1) {
		t.took[p][m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		id, test, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if t.reached[id] == nil {
			t.reached[id] = map[string][]string{}
		}
		t.reached[id][p] = append(t.reached[id][p], test)
	}
	return nil
}

var (
	passed = regexp.MustCompile(`(?m)^--- PASS: (Test\w+) \(([0-9.]+)s\)`)
	failed = regexp.MustCompile(`(?m)^(?:--- FAIL: |\s+)(Test\w+)`)
)

func (t *tests) run(p string, environment []string, args ...string) ([]byte, error) {
	cmd := exec.Command(t.program(p), append(args, "-test.timeout", "15m")...)
	cmd.Dir, cmd.Env = p, append(os.Environ(), environment...)
	return cmd.CombinedOutput()
}

// kill returns a test that fails with a mutant. It is empty if all tests pass.
func (t *tests) kill(id string) (test string) {
	for _, p := range packages {
		names := t.reached[id][p]
		if slices.Contains(names, "*") { // the program reaches it at its start, before any test
			names = slices.Collect(maps.Keys(t.took[p]))
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := t.took[p][name]; return !ok })
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(t.took[p][a], t.took[p][b]) })
		for some := range slices.Chunk(names, 4) {
			mutant := []string{"TALLYLOCK_MUTANT=" + id}
			out, err := t.run(p, mutant, "-test.failfast", "-test.run", "^("+strings.Join(some, "|")+")$")
			if err == nil {
				continue
			}
			if m := failed.FindSubmatch(out); m != nil {
				return string(m[1])
			}
			return string(bytes.TrimSpace(out[:min(len(out), 200)]))
		}
	}
	return ""
}
