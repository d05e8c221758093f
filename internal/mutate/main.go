// Command mutate removes each condition of each transaction that the program sends, one at a time, and runs the tests
// of dynamo/change that send the transaction. If no test fails, no test shows that the condition is needed. The command
// prints each condition with the test that fails. docs/spec/survivors.txt lists the conditions without such a test,
// with the reason.
//
//	go run ./internal/mutate [-match TEXT]
package main

import (
	"bufio"
	"cmp"
	"context"
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

const (
	of        = "./dynamo/change"
	survivors = "docs/spec/survivors.txt"
	// few is the number of tests in the first run for a condition. These are the quickest tests.
	few = 12
)

func main() {
	match := flag.String("match", "", "only conditions that contain this text")
	flag.Parse()
	if err := run(context.Background(), *match); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run prints the list. It returns an error if an unlisted condition survives. It also does so if a listed condition
// does not survive, or if no test sends it.
func run(ctx context.Context, match string) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &mutator{binary: filepath.Join(dir, "tests"), list: filepath.Join(dir, "list")}
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", m.binary, of).CombinedOutput(); err != nil {
		return fmt.Errorf("building the tests: %w\n%s", err, out)
	}
	known, err := knownSurvivors()
	if err != nil {
		return err
	}
	conditions, err := m.conditions(ctx)
	if err != nil {
		return err
	}
	stale := unsent(known, conditions)
	for _, name := range stale {
		fmt.Printf("%s → no test sends it, but %s lists it\n", name, survivors)
	}
	conditions = slices.DeleteFunc(conditions, func(c condition) bool { return !strings.Contains(c.name, match) })
	wrong := len(stale)
	for _, r := range m.all(ctx, conditions) {
		reason, isKnown := known[r.name]
		switch {
		case r.killer == "" && isKnown:
			fmt.Printf("%s → survives: %s\n", r.name, reason)
		case r.killer == "":
			fmt.Printf("%s → SURVIVES %s\n", r.name, strings.Join(r.tests, ", "))
			wrong++
		case isKnown:
			fmt.Printf("%s → killed by %s, but %s lists it\n", r.name, r.killer, survivors)
			wrong++
		default:
			fmt.Printf("%s → killed by %s\n", r.name, r.killer)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d conditions: add a test, or correct %s", wrong, len(conditions), survivors)
	}
	fmt.Printf("%d conditions\n", len(conditions))
	return nil
}

// unsent returns the known survivors that no test sends any more.
func unsent(known map[string]string, sent []condition) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return slices.ContainsFunc(sent, func(c condition) bool { return c.name == name })
	})
}

// knownSurvivors reads the listed conditions that survive, with their reasons.
func knownSurvivors() (map[string]string, error) {
	text, err := os.ReadFile(survivors)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, reason, found := strings.Cut(strings.TrimSpace(line), " → ")
		if found && !strings.HasPrefix(line, "#") {
			known[name] = reason
		}
	}
	return known, nil
}

// mutator runs the tests.
type mutator struct{ binary, list string }

// condition is a condition of a transaction, with the tests that send it, the quickest first. killer is the test that
// fails without the condition; empty if there is none.
type condition struct {
	name   string
	tests  []string
	killer string
}

// conditions runs all tests once, and returns the conditions that they send.
func (m *mutator) conditions(ctx context.Context) ([]condition, error) {
	out, err := m.test(ctx, []string{"TALLYLOCK_MUTATION_LIST=" + m.list}, "-test.v")
	if err != nil {
		return nil, fmt.Errorf("the tests fail before any condition is removed: %w\n%s", err, failures(out))
	}
	took := map[string]float64{}
	for _, line := range regexp.MustCompile(`(?m)^--- PASS: (\w+) \((.*)s\)$`).FindAllStringSubmatch(out, -1) {
		took[line[1]], _ = strconv.ParseFloat(line[2], 64)
	}
	file, err := os.Open(m.list)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tests := map[string][]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		test, name, _ := strings.Cut(lines.Text(), "\t")
		if !slices.Contains(tests[name], test) {
			tests[name] = append(tests[name], test)
		}
	}
	var all []condition
	for name, by := range tests {
		slices.SortFunc(by, func(a, b string) int { return cmp.Or(cmp.Compare(took[a], took[b]), cmp.Compare(a, b)) })
		all = append(all, condition{name: name, tests: by})
	}
	slices.SortFunc(all, func(a, b condition) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// all removes each condition in turn, two at the same time, and returns the conditions with the tests that fail.
func (m *mutator) all(ctx context.Context, conditions []condition) []condition {
	var running sync.WaitGroup
	slots := make(chan struct{}, 2)
	for n := range conditions {
		slots <- struct{}{}
		running.Go(func() {
			m.remove(ctx, &conditions[n])
			<-slots
		})
	}
	running.Wait()
	return conditions
}

// remove runs the tests of a condition without the condition: the quickest first, and then the others.
func (m *mutator) remove(ctx context.Context, c *condition) {
	for _, tests := range [][]string{c.tests[:min(few, len(c.tests))], c.tests[min(few, len(c.tests)):]} {
		if len(tests) == 0 {
			return
		}
		only := "^(" + strings.Join(tests, "|") + ")$"
		out, err := m.test(ctx, []string{"TALLYLOCK_MUTATION=" + c.name}, "-test.failfast", "-test.run", only)
		if err != nil {
			c.killer = failures(out)
			return
		}
	}
}

// failures returns the name of the first test that failed.
func failures(out string) string {
	failed := regexp.MustCompile(`(?m)^--- FAIL: (\w+) `).FindStringSubmatch(out)
	switch {
	case failed != nil:
		return failed[1]
	case strings.Contains(out, "panic: test timed out"):
		return "a test that does not end"
	}
	return "a test that stops all others"
}

// test runs the tests in the directory of their package.
func (m *mutator) test(ctx context.Context, environment []string, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, m.binary, append([]string{"-test.short", "-test.timeout=300s"}, arguments...)...)
	c.Dir = of
	c.Env = append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	return string(out), err
}
