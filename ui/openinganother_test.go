package ui_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
)

// doors hold back the requests that name a text, such as a table, until it is let through.
type doors struct {
	next http.RoundTripper
	mu   sync.Mutex
	shut map[string]chan struct{}
}

func (d *doors) hold(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut[text] = make(chan struct{})
}

func (d *doors) release(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.shut[text])
	delete(d.shut, text)
}

func (d *doors) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var wait []chan struct{}
	d.mu.Lock()
	for text, c := range d.shut {
		if strings.Contains(op+" "+string(body), text) {
			wait = append(wait, c)
		}
	}
	d.mu.Unlock()
	for _, c := range wait {
		select {
		case <-c:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return d.next.RoundTrip(r)
}

// twoTables is the demo beside another table, "towns", of accounts without locks.
func twoTables(t *testing.T) (*setup, *doors) {
	d := &doors{shut: map[string]chan struct{}{}}
	s := onDemo(t, func(o *dynamo.Options) { d.next, o.Transport = o.Transport, d })
	app := s.demo.App()
	if _, err := app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("towns"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aachen", "bonn", "celle", "dessau"} {
		if _, err := app.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("towns"), Item: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: name},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	s.w, s.h = 140, 40
	return s, d
}

// A table that is opened while another is on its way is not given the other's rows.
func TestAnotherTableIsOpenedBeforeTheFirstIsJudged(t *testing.T) {
	s, d := twoTables(t)
	d.hold("BatchGetItem")
	term := s.run(t)
	term.see("ACCT#", "recognising the layout")
	term.meanwhile(":")
	term.see("towns")
	term.until("towns looked at", func(f string) bool { return strings.Contains(row(f, "towns"), "nothing known") })
	term.meanwhile("towns<enter>")
	term.see("not recognised")
	d.release("BatchGetItem")
	term.press("<esc>")
	term.see("aachen")
	if f := term.screen(); strings.Contains(f, "ACCT#") || !strings.Contains(f, "aachen") || strings.Contains(f, "recognising") {
		t.Errorf("rows of another table:\n%s", f)
	}
}

// The rows of a table stay under its own name when the opening of another is stopped.
func TestRowsStayUnderTheirOwnName(t *testing.T) {
	s, d := twoTables(t)
	d.hold("BatchGetItem")
	d.hold(`"towns"`)
	term := s.run(t)
	term.see("ACCT#", "recognising the layout")
	term.meanwhile(":")
	term.see("towns")
	term.meanwhile("towns<enter>")
	term.screen()
	term.meanwhile("<esc>")
	term.gone("recognising")
	term.meanwhile("<esc>")
	if f := term.see("towns"); strings.Contains(f, "ACCT#") {
		t.Errorf("rows of another table:\n%s", f)
	}
}
