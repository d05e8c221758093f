package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
)

// Status is the result of the last check of a table, for monitoring. Its JSON is a contract: names may be added, but
// never changed.
type Status struct {
	Version     string       `json:"version"` // the version of tallylock
	Table       string       `json:"table"`
	TableID     string       `json:"table_id,omitempty"`
	Layout      string       `json:"layout"`
	LayoutState layout.State `json:"layout_state"`
	// LastComplete is the end of the last complete check of everything. Such a check looks for all kinds of findings, and
	// leaves out nothing that a person described. LastComplete is null if there was no such check.
	LastComplete *time.Time `json:"last_complete"`
	// Began and Ended are the times of the last check. Complete says whether that check was complete, and Why explains
	// why it was not.
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended"`
	Complete bool      `json:"complete"`
	Why      string    `json:"why,omitempty"`
	// Items, Accounts and Locks count the items that the last check read.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	// Findings counts the new findings of each kind that the last check looked for. Known counts the findings of the last
	// check that the baseline lists; they are not among Findings.
	Findings map[finding.Kind]StatusFindings `json:"findings"`
	Known    int                             `json:"known"`
	// Unsettled counts the values that changed during the check and were not judged.
	Unsettled  int                  `json:"unsettled"`
	NotChecked []finding.NotChecked `json:"not_checked"`
	ReadUnits  float64              `json:"read_units"`
	Seconds    float64              `json:"seconds"`
}

// StatusFindings counts the findings of one kind.
type StatusFindings struct {
	Confirmed   int `json:"confirmed"`
	Unconfirmed int `json:"unconfirmed"`
}

// StatusFormat is the format of a file with a Status: "json", or "prom" for the textfile collector of Prometheus.
type StatusFormat string

// FormatOfStatus returns the format that the extension of path selects.
func FormatOfStatus(path string) (StatusFormat, error) {
	switch ext := StatusFormat(strings.TrimPrefix(filepath.Ext(path), ".")); ext {
	case "json", "prom":
		return ext, nil
	}
	return "", fmt.Errorf("%s has no known format: name a file that ends in .json or .prom", path)
}

// Write writes the status. It counts unchecked values of constraints, but does not name them.
func (f StatusFormat) Write(w io.Writer, s Status) error {
	s.NotChecked = slices.Clone(s.NotChecked)
	for n, of := range s.NotChecked {
		if of.What == finding.UncheckedValues { // other users may read the file
			s.NotChecked[n].Names, s.NotChecked[n].More = []string{}, of.Count()
		}
	}
	if f == "prom" {
		return writeProm(w, s)
	}
	text, err := attr.Line(s, "  ")
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Read reads the table and the time of the last complete check from a file that Write wrote. It returns nil if the file
// is empty.
func (f StatusFormat) Read(r io.Reader) (*Status, error) {
	text, err := io.ReadAll(r)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil, err
	}
	s, other := &Status{}, errors.New("the file exists, but is not the status of a check")
	if f == "prom" {
		s.readProm(string(text))
	} else if json.Unmarshal(text, s) != nil || s.Began.IsZero() {
		return nil, other
	}
	if s.Table == "" {
		return nil, other
	}
	return s, nil
}

// prom writes metrics in the text format of Prometheus.
type prom struct {
	w     *bufio.Writer
	table string
}

const (
	promPrefix   = "tallylock_check_"
	promComplete = promPrefix + "last_complete_timestamp_seconds"
	promInfo     = promPrefix + "info"
)

// writeProm writes the status for the textfile collector of Prometheus.
func writeProm(w io.Writer, s Status) error {
	p := prom{bufio.NewWriter(w), s.Table}
	p.metric(promInfo, "The table and the layout of the last check.")
	p.sample(promInfo, "1", "table_id", s.TableID, "layout", s.Layout, "layout_state", string(s.LayoutState),
		"version", s.Version)
	last := time.Time{}
	if s.LastComplete != nil {
		last = *s.LastComplete
	}
	p.single(promComplete, "When the last complete check of everything ended; 0 if there was none.", seconds(last))
	p.single(promPrefix+"timestamp_seconds", "When the last check ended, complete or not.", seconds(s.Ended))
	complete := "0"
	if s.Complete {
		complete = "1"
	}
	p.single(promPrefix+"complete", "Whether the last check was complete.", complete)
	p.single(promPrefix+"duration_seconds", "How long the last check took.", number(s.Seconds))
	p.single(promPrefix+"read_units", "The read units that the last check used.", number(s.ReadUnits))
	p.single(promPrefix+"items", "The items that the last check read.", strconv.FormatInt(s.Items, 10))
	p.single(promPrefix+"accounts", "The accounts that the last check read.", strconv.FormatInt(s.Accounts, 10))
	p.single(promPrefix+"locks", "The locks that the last check read.", strconv.FormatInt(s.Locks, 10))
	p.metric(promPrefix+"findings", "The new findings of the last check, by kind.")
	for _, kind := range finding.Kinds() {
		if n, looked := s.Findings[kind]; looked {
			p.sample(promPrefix+"findings", strconv.Itoa(n.Confirmed), "kind", string(kind), "confirmed", "true")
			p.sample(promPrefix+"findings", strconv.Itoa(n.Unconfirmed), "kind", string(kind), "confirmed", "false")
		}
	}
	p.single(promPrefix+"known_findings", "The last check's findings that the baseline lists.", strconv.Itoa(s.Known))
	p.single(promPrefix+"unsettled_values", "The values that changed during the check and were not judged.",
		strconv.Itoa(s.Unsettled))
	p.notChecked(s)
	return p.w.Flush()
}

// notChecked counts everything that was not checked. It names only described or requested things: other names may come
// from the table.
func (p prom) notChecked(s Status) {
	const name = promPrefix + "not_checked"
	p.metric(name, "The number of things that the last check left out. The label \"name\" is set only if a person described, accepted or requested the thing.")
	type series struct {
		what, name string
		required   bool
	}
	counts := map[series]int{}
	for _, n := range s.NotChecked {
		if !n.Required {
			counts[series{what: string(n.What)}] += n.Count()
			continue
		}
		for _, one := range n.Names {
			counts[series{string(n.What), one, true}]++
		}
		if n.More > 0 || len(n.Names) == 0 {
			counts[series{what: string(n.What), required: true}] += max(n.More, 1)
		}
	}
	var all []series
	for one := range counts {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b series) int {
		return cmp.Or(strings.Compare(a.what, b.what), strings.Compare(a.name, b.name),
			strings.Compare(strconv.FormatBool(a.required), strconv.FormatBool(b.required)))
	})
	for _, one := range all {
		p.sample(name, strconv.Itoa(counts[one]), "what", one.what, "name", one.name,
			"required", strconv.FormatBool(one.required))
	}
}

func (p prom) metric(name, help string) {
	fmt.Fprintf(p.w, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

// single writes a metric that has one sample.
func (p prom) single(name, help, value string) {
	p.metric(name, help)
	p.sample(name, value)
}

// sample writes a sample of the table. labels has names and values in turn.
func (p prom) sample(name, value string, labels ...string) {
	fmt.Fprintf(p.w, `%s{table="%s"`, name, escapeLabel(p.table))
	for n := 0; n < len(labels); n += 2 {
		fmt.Fprintf(p.w, `,%s="%s"`, labels[n], escapeLabel(labels[n+1]))
	}
	fmt.Fprintf(p.w, "} %s\n", value)
}

// escapeLabel escapes the value of a label. Prometheus refuses invalid UTF-8.
func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "�"))
}

// seconds writes a time in Unix seconds; 0 for the zero time.
func seconds(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return fmt.Sprintf("%d.%03d", t.Unix(), t.Nanosecond()/int(time.Millisecond))
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

var (
	promLine  = regexp.MustCompile(`^(\w+)\{(.*)\} (\d+)\.?(\d*)$`)
	promLabel = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*")`)
)

// readProm reads the table, its id and the time of the last complete check.
func (s *Status) readProm(text string) {
	for line := range strings.Lines(text) {
		parts := promLine.FindStringSubmatch(strings.TrimSpace(line))
		if parts == nil || parts[1] != promInfo && parts[1] != promComplete {
			continue
		}
		for _, label := range promLabel.FindAllStringSubmatch(parts[2], -1) {
			switch value, _ := strconv.Unquote(label[2]); label[1] { // Go knows the three escapes of Prometheus
			case "table":
				s.Table = value
			case "table_id":
				s.TableID = value
			}
		}
		sec, err := strconv.ParseInt(parts[3], 10, 64)
		milli, _ := strconv.Atoi(parts[4])
		if parts[1] == promComplete && err == nil && sec > 0 {
			at := time.Unix(sec, int64(milli)*int64(time.Millisecond)).UTC()
			s.LastComplete = &at
		}
	}
}
