package change_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/schema"
)

// The tool internal/mutate makes one condition of one kind of change always true, and runs these tests. Some test has to
// fail. It sets two variables: mutationList is a file to which each condition is written with its test, and
// mutationOf is the condition that is always true.
const (
	mutationList = "TALLYLOCK_MUTATION_LIST"
	mutationOf   = "TALLYLOCK_MUTATION"
)

// mutated changes the conditions of the tool's transactions on their way to the engine. The journal and the test still
// have the unchanged requests.
func (f *fixture) mutated() embedded.Option {
	list, one := os.Getenv(mutationList), os.Getenv(mutationOf)
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		if list == "" && one == "" {
			return next
		}
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
				return next.RoundTrip(r)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(f.mutate(body, list, one)))
			r.ContentLength = -1
			return next.RoundTrip(r)
		})
	})
}

// mutate writes the conditions of a transaction to the list, and makes the condition named by one always true.
func (f *fixture) mutate(body []byte, list, one string) []byte {
	change := f.changeOf(body)
	var request map[string]any
	if change == "" || json.Unmarshal(body, &request) != nil {
		return body
	}
	seen := map[string]int{}
	for _, slot := range request["TransactItems"].([]any) {
		for verb, a := range slot.(map[string]any) {
			action := a.(map[string]any)
			condition, _ := action["ConditionExpression"].(string)
			names, _ := action["ExpressionAttributeNames"].(map[string]any)
			terms := strings.Split(condition, " AND ")
			seen[verb]++
			for n, term := range terms {
				place := "first"
				if seen[verb] > 1 {
					place = "further"
				}
				point := fmt.Sprintf("%s, %s %s: %s", change, place, verb, readable(term, names))
				if point == one {
					terms[n] = "(" + term + " OR attribute_exists(#pk) OR attribute_not_exists(#pk))"
				}
				f.listPoint(list, point)
			}
			if condition != "" {
				action["ConditionExpression"] = strings.Join(terms, " AND ")
			}
		}
	}
	if one == "" {
		return body
	}
	mutated, err := json.Marshal(request)
	if err != nil {
		f.t.Error(err)
	}
	return mutated
}

// roles has the attributes of the tables in these tests. A condition names the role of its attribute. An attribute
// without a role is named "another attribute".
var roles = map[string][]string{
	"the mark":                  {"tallylock_release"},
	"the owner":                 {"userId", "memberId", "owner", "by"},
	"the value":                 {"email", "emails", "username", "handle", "phone", "contact.email"},
	"the counter":               {"order_number", "n", "val", "counterValue", "hand_crafted_int", "__max_hash_key__"},
	"the run":                   {schema.AdoptAttribute},
	"the expiry date":           {"ttl"},
	"what held locks also have": {"confirmedAt", "source", "confirmed"},
}

// readable returns a condition in words.
func readable(term string, names map[string]any) string {
	attribute := regexp.MustCompile(`#\w+`).ReplaceAllStringFunc(term, func(alias string) string {
		return fmt.Sprint(names[alias])
	})
	role := "another attribute"
	for r, all := range roles {
		if slices.ContainsFunc(all, func(name string) bool {
			return strings.Contains(attribute, "("+name+")") || strings.HasPrefix(attribute, name+" = ")
		}) {
			role = r
		}
	}
	switch {
	case strings.Contains(term, "(#pk)"):
		return strings.ReplaceAll(term, "(#pk)", "(key)")
	case strings.HasPrefix(term, "attribute_not_exists"):
		return "attribute_not_exists(" + role + ")"
	}
	return role + " = seen"
}

// changeOf returns the kind and the step of a change, which the journal has by the token of the request. The journal has
// no tokens of a backfill and of its undo: their locks have the mark of the run.
func (f *fixture) changeOf(body []byte) string {
	change := f.journalled(tokenOf(body))
	switch {
	case change != "" || !bytes.Contains(body, []byte(`"`+schema.AdoptAttribute+`"`)):
		return change
	case bytes.Contains(body, []byte(`"Delete"`)):
		return string(plan.KindUndoBackfill)
	}
	return string(plan.KindBackfill)
}

// journalled returns the kind and the step of the change with a token; empty if the journal does not have the token.
func (f *fixture) journalled(token string) string {
	lines, err := os.ReadFile(f.journal)
	if err != nil || token == "" {
		return ""
	}
	for line := range bytes.SplitSeq(lines, []byte("\n")) {
		if !bytes.Contains(line, []byte(token)) {
			continue
		}
		var e journal.Entry
		var sent struct{ Kind string }
		if json.Unmarshal(line, &e) != nil || e.Token != token || json.Unmarshal(e.Plan, &sent) != nil {
			continue
		}
		if sent.Kind == string(e.Step) {
			return sent.Kind
		}
		return sent.Kind + " " + string(e.Step)
	}
	return ""
}

// listPoint writes a condition and its test to the list.
func (f *fixture) listPoint(list, point string) {
	if list == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listed[point] {
		return
	}
	if f.listed == nil {
		f.listed = map[string]bool{}
	}
	f.listed[point] = true
	test, _, _ := strings.Cut(f.t.Name(), "/")
	to, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Error(err)
		return
	}
	defer to.Close()
	fmt.Fprintf(to, "%s\t%s\n", test, point)
}
