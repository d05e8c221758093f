package ui_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/session"
)

// doors hold requests that contain a text, such as the name of a table, until the text is released.
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

// twoTables returns the demo with another table, "towns", which has items without a layout.
func twoTables(t *testing.T, change ...func(*dynamo.Options)) (*setup, *doors) {
	d := &doors{shut: map[string]chan struct{}{}}
	s := onDemo(t, append(change, func(o *dynamo.Options) { d.next, o.Transport = o.Transport, d })...)
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

// If a table is opened while another table is still opening, it does not get rows of the other table.
func TestAnotherTableIsOpenedBeforeTheFirstIsJudged(t *testing.T) {
	s, d := twoTables(t, undescribed)
	d.hold("BatchGetItem")
	term := s.run(t)
	term.see("ACCT#", "recognising the layout")
	term.meanwhile(":")
	term.see("towns")
	term.until("towns looked at", func(f string) bool { return strings.Contains(row(f, "towns"), "nothing known") })
	term.meanwhile("towns<enter>")
	term.see("! no layout")
	d.release("BatchGetItem")
	term.see("aachen")
	if f := term.screen(); strings.Contains(f, "ACCT#") || !strings.Contains(f, "aachen") || strings.Contains(f, "recognising") {
		t.Errorf("rows of another table:\n%s", f)
	}
}

// If a person leaves the choice of tables while the chosen table is opening, the open table stays, with its own rows
// and header.
func TestRowsStayUnderTheirOwnName(t *testing.T) {
	s, d := twoTables(t, undescribed)
	d.hold("BatchGetItem")
	d.hold(`"towns"`)
	term := s.run(t)
	term.see("ACCT#", "recognising the layout")
	term.meanwhile(":")
	term.see("towns")
	term.meanwhile("towns<enter>")
	term.see("opening towns")
	term.meanwhile("<esc><esc>")
	if f := term.see("› accounts", "ACCT#", "ing the layout"); strings.Contains(f, "towns") {
		t.Errorf("another table's name:\n%s", f)
	}
	d.release(`"towns"`)
	d.release("BatchGetItem")
	if f := term.see("● held", "confirmed"); strings.Contains(f, "towns") {
		t.Errorf("another table's name:\n%s", f)
	}
}

// If a table of another connection cannot be opened, the open table stays, with its own rows, header and guard.
func TestATableThatCannotBeOpenedChangesNothing(t *testing.T) {
	t.Parallel()
	for name, judged := range map[string]bool{"judged": true, "not judged yet": false} {
		t.Run(name, func(t *testing.T) {
			s, d := twoTables(t, undescribed)
			var chosen atomic.Bool
			o := s.demo.Options()
			o.Name, o.Write = "support", false
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				switch _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); {
				case op == "ListTables":
					return s.demo.Engine.Transport().RoundTrip(r)
				case !chosen.Load(): // the samples for the list of tables wait
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				body := `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}`
				return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
			})
			s.options.Connections = append(s.options.Connections, session.Connection{
				Called: "support", Production: true,
				Dial: func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, o) },
			})
			if !judged {
				d.hold("BatchGetItem")
			}
			term := s.run(t)
			if judged {
				term.see("● held", "confirmed")
			} else {
				term.see("ACCT#", "recognising the layout")
			}
			term.meanwhile(":")
			term.see("▎support")
			term.meanwhile("support towns")
			term.see("▸ ▎support", "▎PRODUCTION")
			chosen.Store(true)
			term.meanwhile("<enter>")
			frame := term.see("! ", "dynamodb:")
			term.meanwhile("<esc><esc>")
			if !judged {
				d.release("BatchGetItem")
			}
			for _, f := range []string{frame, term.see("› accounts", "● held", "WRITE")} {
				if head, _, _ := strings.Cut(f, "\n"); !strings.Contains(head, " demo ›") || !strings.Contains(head, " WRITE ") {
					t.Errorf("the header is that of a table that is not open:\n%s", f)
				}
			}
		})
	}
}

// The header shows the guard of the open table, even if the table was sampled for the list before.
func TestTheHeaderHasTheOpenTablesGuard(t *testing.T) {
	s, _ := twoTables(t, undescribed)
	s.connect(t, func(o *dynamo.Options) { o.Guards = map[string]client.Guard{"towns": client.GuardDeny} })
	term := s.run(t)
	term.see("WRITE", "● held")
	term.press(":")
	term.until("towns looked at", func(f string) bool { return strings.Contains(row(f, "towns"), "nothing known") })
	term.press("towns<enter>")
	term.see("› towns", "READ-ONLY")
}

// The screen of a contradicted layout opens by itself only over the rows of its table. If the choice of tables is open,
// the screen opens after the choice closes.
func TestTheLayoutDoesNotOpenOverTheTables(t *testing.T) {
	s, d := twoTables(t, undescribed)
	s.connect(t, func(o *dynamo.Options) {
		d.next, o.Transport = o.Transport, d
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
		}}}}
	})
	d.hold("BatchGetItem")
	term := s.run(t)
	term.see("ACCT#", "checking the layout")
	term.meanwhile(":")
	term.see("type a table, or a command", "towns")
	d.release("BatchGetItem")
	term.quiet()
	if f := term.screen(); !strings.Contains(f, "type a table, or a command") {
		t.Errorf("something opened over the tables:\n%s", f)
	}
	term.press("<esc>")
	term.see("accounts › layout", "contradicted")
	term.press("<esc>")
	term.gone("› layout")
	term.press(":")
	term.see("type a table, or a command")
	term.press("<esc>")
	if f := term.see("? unknown"); strings.Contains(f, "› layout") {
		t.Errorf("it opened a second time:\n%s", f)
	}
}
