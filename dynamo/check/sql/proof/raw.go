package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// Row is a row of what SQL has found, before anybody makes sure of it.
type Row struct {
	check.Finding
	// Unjudged says of Item, an item of the table Of, what SQL does not judge.
	Unjudged string    `json:"unjudged"`
	Of       string    `json:"of"`
	Item     attr.Item `json:"item"`
}

// Rows are those of a file.
func Rows(path string) (rows []Row, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var row Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("%w in %s", err, line)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// leading are the kinds of candidates that lead to a kind of finding. To others, which making
// sure of candidates makes of them, any leads. What stands in a lock's place and does not
// say that it is a lock is missing to SQL, and somebody else's to who reads it.
var leading = map[check.Kind][]check.Kind{
	check.MissingLock:    {check.MissingLock},
	check.DuplicateValue: {check.DuplicateValue},
	check.ForeignLock:    {check.ForeignLock, check.MissingLock},
	check.DuplicateID:    {check.DuplicateID},
	check.DriftedKey:     {check.DriftedKey},
}

// Missed are those of a check's findings to which nothing in such a file leads: neither a
// candidate nor an item that SQL does not judge.
func Missed(path string, t *dynamo.Table, found []check.Finding) (missed []check.Finding, err error) {
	rows, err := Rows(path)
	if err != nil {
		return nil, err
	}
	unjudged, candidates := map[string]bool{}, map[string][]check.Kind{}
	for _, row := range rows {
		if row.Unjudged != "" {
			unjudged[at(t, row.Of, row.Item)] = true
			continue
		}
		for _, place := range placesOf(t, row.Finding) {
			candidates[place] = append(candidates[place], row.Kind)
		}
	}
	for _, one := range found {
		leads := func(place string) bool {
			return unjudged[place] || slices.ContainsFunc(candidates[place], func(kind check.Kind) bool {
				return leading[one.Kind] == nil || slices.Contains(leading[one.Kind], kind)
			})
		}
		if !alone(t, one) && !slices.ContainsFunc(placesOf(t, one), leads) {
			missed = append(missed, one)
		}
	}
	return missed, nil
}

// alone reports whether a finding is about a counter that a check reads whatever SQL says:
// one with a key that is known beforehand.
func alone(t *dynamo.Table, f check.Finding) bool {
	return strings.HasPrefix(string(f.Kind), "counter-") && slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
		key, err := c.Key(t.Schema)
		return c.KeyIsValue(t.Schema) || c.Fixed(t.Schema) && err == nil && at(t, t.Name, key.Item()) == at(t, t.Name, f.Key)
	})
}

// placesOf are the items that a finding is about.
func placesOf(t *dynamo.Table, f check.Finding) (all []string) {
	add := func(table string, key attr.Item) {
		if key != nil {
			all = append(all, at(t, table, key))
		}
	}
	add(f.LockTable, f.Lock)
	add("", f.Key)
	for _, key := range f.Accounts {
		add("", key)
	}
	for _, one := range f.Items {
		add(one.Table, one.Key)
	}
	return all
}

// at is where an item is. An empty table is that of the accounts.
func at(t *dynamo.Table, table string, item attr.Item) string {
	if table == "" {
		table = t.Name
	}
	key, _ := t.SchemaOf(table).KeyOf(item)
	return table + " " + key.ID()
}
