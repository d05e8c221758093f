package find

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Query reads one partition of a table or of an index, page by page. It never scans.
type Query struct {
	Table  *dynamo.Table
	Index  string      // the name of the index; empty for the table itself
	Schema attr.Schema // key schema of the table or the index
	Hash   attr.Value
	Prefix string // the beginning of the sort keys; empty for all sort keys
	// Late is true for a global index, which follows the table with a delay.
	Late bool
	// Part is true for an index that has only some of the items' attributes.
	Part bool
}

// queryPage is the greatest number of items on a page, about two screens.
const queryPage = 100

// ParseQuery parses a query as a person types it: an optional index, a partition key, and an optional
// beginning of the sort keys. A partition key needs double quotes if it has blanks, or if it could be the
// name of an index. The beginning of the sort keys needs them only if it begins or ends with a blank. A
// partition key of bytes is written in hex, as 0x01ff.
func ParseQuery(t *dynamo.Table, text string) (*Query, error) {
	q := &Query{Table: t, Schema: t.Schema}
	word, rest, err := firstWord(text)
	if err != nil {
		return nil, unasked(t, err.Error())
	}
	quoted := strings.HasPrefix(strings.TrimSpace(text), `"`)
	if at := slices.IndexFunc(t.Queryable, func(x attr.Index) bool { return x.Name == word }); at >= 0 && rest != "" &&
		!quoted {
		x := t.Queryable[at]
		q.Index, q.Schema, q.Late, q.Part = x.Name, x.Schema, !x.Local, x.Part
		if word, rest, err = firstWord(rest); err != nil {
			return nil, unasked(t, err.Error())
		}
	}
	if word == "" {
		return nil, unasked(t, "a partition key is needed")
	}
	if q.Hash, err = typedKey(q.Schema.HashName, q.Schema.HashKind, word); err != nil {
		return nil, unasked(t, err.Error())
	}
	if q.Prefix, err = beginning(rest); err != nil {
		return nil, unasked(t, err.Error())
	}
	switch {
	case q.Prefix == "":
	case q.Schema.RangeName == "":
		return nil, unasked(t, "there is no sort key, so nothing can begin with "+phrase.Quote(q.Prefix))
	case q.Schema.RangeKind != attr.S:
		return nil, unasked(t, "the sort key "+q.Schema.RangeName+" is not text: give the partition key only")
	}
	return q, nil
}

// unasked returns the error of an invalid query.
func unasked(t *dynamo.Table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "querying " + t.Name,
		Why:  why,
		Do:   "type: query KEY, or query KEY PREFIX, or query INDEX KEY; PREFIX is the beginning of the sort keys; put a key with blanks into double quotes",
	}
}

// firstWord returns a text's first word, which may be in quotes, and the rest.
func firstWord(text string) (word, rest string, err error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", fmt.Errorf("a quoted key has no closing quotation mark, or a wrong escape")
		}
		word, err = strconv.Unquote(quoted)
		return word, strings.TrimSpace(text[len(quoted):]), err
	}
	word, rest, _ = strings.Cut(text, " ")
	return word, strings.TrimSpace(rest), nil
}

// beginning parses the typed beginning of the sort keys: the whole text, or the text in quotes.
func beginning(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	prefix, more, err := firstWord(text)
	if err == nil && more != "" {
		err = fmt.Errorf("%s follows the quoted PREFIX: put the whole PREFIX into double quotes", phrase.Quote(more))
	}
	return prefix, err
}

// typedKey parses one attribute of a typed key.
func typedKey(name string, kind attr.Kind, text string) (attr.Value, error) {
	switch kind {
	case attr.N:
		n, ok := attr.Decimal(text)
		if !ok {
			return attr.Value{}, fmt.Errorf("%s is a number, but %s is not", name, phrase.Quote(text))
		}
		return attr.Number(n), nil
	case attr.B:
		raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if err != nil {
			return attr.Value{}, fmt.Errorf("%s holds bytes: write the bytes in hex; %s is not hex", name, phrase.Quote(text))
		}
		return attr.Binary(string(raw)), nil
	}
	return attr.String(text), nil
}

// Page reads the next page of the query. after is the key of the last item of the page before; it is nil
// for the first page. Reads are strongly consistent, except from a global index.
func (q *Query) Page(ctx context.Context, after attr.Item) (client.Page, error) {
	in := client.PageInput{Limit: queryPage, Consistent: !q.Late, Index: q.Index, Start: after}
	return q.Table.Connection().Reader().Query(ctx, q.Table.Name, q.Schema, q.Hash, q.Prefix, in)
}

// String describes the query: "PK = ACCT#1, SK begins with P".
func (q *Query) String() string {
	said := q.Schema.HashName + " = " + q.Hash.Display()
	if q.Prefix != "" {
		said += ", " + q.Schema.RangeName + " begins with " + q.Prefix
	}
	return said
}
