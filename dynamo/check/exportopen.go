package check

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
)

// Open opens a table by its export alone. An engine in the process stands for the
// endpoint: it has the tables of the export and some of their items, which the layout
// is told by as it is told by a table's. That will do for a check with ConfirmNone,
// which reads all else from the export itself. keys are the names of the table's key
// attributes; none: as the items tell. An empty name is the only table's.
func (e *Export) Open(ctx context.Context, o dynamo.Options, name string, keys []string) (*dynamo.Table, error) {
	if name == "" && len(e.tables) == 1 {
		name = e.tables[0].table
	}
	if name == "" || len(e.tables) > 1 && !slices.ContainsFunc(e.tables, func(one *exported) bool { return one.table == name }) {
		return nil, &client.Error{Kind: client.Usage, Op: "choosing the table", Why: "the export in " + e.dir + " does not tell which", Do: "name it with --table"}
	}
	engine, made := embedded.New(), map[string]bool{}
	var own *exported
	var telling string
	for _, one := range e.tables {
		table := cmp.Or(one.table, name)
		if made[table] {
			continue // which of the two is meant is asked later
		}
		s, err := one.sample(ctx)
		if err != nil {
			return nil, err
		}
		said := keys
		if table != name {
			said = nil
		}
		schema, err := s.schema(table, said)
		if err != nil && table != name {
			continue // the layout may do without it
		} else if err != nil {
			return nil, err
		}
		if err := s.load(ctx, engine, table, schema); err != nil {
			return nil, err
		}
		if made[table] = true; table == name {
			own = one
			telling = fmt.Sprintf("no endpoint was asked: the keys of %s are taken to be %s, and which items expire is not known", name, namesOf(schema))
		}
	}
	if own == nil {
		return nil, wrongExport(e.dir, "there is no export of the table "+name+" in it")
	}
	o.Transport = engine.Transport()
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		if client.KindOf(err) == client.NoTable {
			return nil, wrongExport(e.dir, "the layout keeps locks or ids in a table that it has no export of, or not one whose keys can be told: "+err.Error())
		}
		return nil, err
	}
	t.ID = own.id
	if e.alone = telling; !t.Layout.Configured {
		e.alone += "; the layout " + t.Layout.Name + " was told by " + count(min(t.Items, mostSampled)) + " of the export"
	}
	return t, nil
}

// sample is some items of a table, each attribute as {"TYPE":…}.
type sample []map[string]map[attr.Kind]json.RawMessage

// mostSampled is how many items of an export its keys and its layout are told by.
const mostSampled = 10_000

// sample reads some items of each file.
func (e *exported) sample(ctx context.Context) (sample, error) {
	var all sample
	for _, f := range e.files {
		some, err := f.head(max(mostSampled/len(e.files), 1))
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); len(all) >= mostSampled {
			break
		}
	}
	return all, nil
}

// head reads the first items of a file.
func (f dataFile) head(most int) (sample, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, damagedExport(f.path, plainly(err))
	}
	defer file.Close()
	in := io.Reader(file)
	if strings.HasSuffix(f.path, ".gz") {
		z, err := gzip.NewReader(file)
		if err == io.EOF {
			return nil, nil // a partition without items
		}
		if err != nil {
			return nil, damagedExport(f.path, err.Error())
		}
		in = z
	}
	var items sample
	for lines := json.NewDecoder(in); len(items) < most; {
		var line struct {
			Item map[string]map[attr.Kind]json.RawMessage
		}
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, damagedExport(f.path, fmt.Sprintf("%s, after %s", err, count(int64(len(items)))))
		}
		items = append(items, line.Item)
	}
	return items, nil
}

// keyPart is a key attribute of a table.
type keyPart struct {
	name string
	kind attr.Kind
}

// schema tells the keys of a table by its items: every item has them, of one type,
// and no two items have the same. What is the only such attribute is the key; of
// several it is those that are called PK and SK, however they are spelt.
func (s sample) schema(table string, said []string) ([]keyPart, error) {
	have := map[string]attr.Kind{}
	for n, item := range s {
		if n == 0 {
			for name, v := range item {
				for kind := range v {
					have[name] = kind
				}
			}
		}
		maps.DeleteFunc(have, func(name string, kind attr.Kind) bool {
			return item[name][kind] == nil || kind != attr.S && kind != attr.N && kind != attr.B
		})
	}
	all := slices.Sorted(maps.Keys(have))
	called := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return strings.ToLower(strings.Trim(one, "_")) != name })
	}
	names := slices.Concat(called("pk"), called("sk"))
	switch {
	case len(said) > 2:
		return nil, noKeys(table, "a key has two parts at most")
	case len(said) > 0:
		names = said
	case len(all) == 1:
		names = all
	case len(called("pk")) != 1 || len(called("sk")) > 1:
		return nil, noKeys(table, fmt.Sprintf("every item has %s", cmp.Or(strings.Join(all, ", "), "no attribute in common with the others")))
	}
	var schema []keyPart
	for _, name := range names {
		if have[name] == "" {
			return nil, noKeys(table, "not every item has "+name+", as text, a number or bytes of one type")
		}
		schema = append(schema, keyPart{name, have[name]})
	}
	seen := map[string]bool{}
	for _, item := range s {
		key := ""
		for _, k := range schema {
			key += string(item[k.name][k.kind]) + " "
		}
		if seen[key] {
			return nil, noKeys(table, "several items have the same "+namesOf(schema))
		}
		seen[key] = true
	}
	return schema, nil
}

func namesOf(schema []keyPart) string {
	if len(schema) == 1 {
		return schema[0].name
	}
	return schema[0].name + " and " + schema[1].name
}

// noKeys is the error of an export that does not tell its table's keys.
func noKeys(table, why string) error {
	return &client.Error{Kind: client.Usage, Op: "telling the keys of " + table + " by its export", Why: why, Do: "name them with --keys, partition key first, such as --keys PK,SK"}
}

// load puts the items into a table of an engine.
func (s sample) load(ctx context.Context, engine *embedded.Engine, table string, schema []keyPart) error {
	type element struct {
		AttributeName          string
		AttributeType, KeyType string `json:",omitempty"`
	}
	var keys, types []element
	for n, k := range schema {
		keys = append(keys, element{AttributeName: k.name, KeyType: []string{"HASH", "RANGE"}[n]})
		types = append(types, element{AttributeName: k.name, AttributeType: string(k.kind)})
	}
	ask := func(operation string, body map[string]any) error {
		body["TableName"] = table
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://embedded.invalid", bytes.NewReader(data))
		if err != nil {
			return err
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		answer, err := engine.Transport().RoundTrip(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
			return &client.Error{Kind: client.Failed, Op: "reading the export of " + table, Why: string(text)}
		}
		return nil
	}
	if err := ask("CreateTable", map[string]any{"BillingMode": "PAY_PER_REQUEST", "KeySchema": keys, "AttributeDefinitions": types}); err != nil {
		return err
	}
	for _, item := range s {
		if err := ask("PutItem", map[string]any{"Item": item}); err != nil {
			return err
		}
	}
	return nil
}
