package mcp

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
	"tallylock/ui/safe"
	"tallylock/ui/say"
)

// failure is an error that package mcp makes itself. Its texts have no values of tables.
type failure struct {
	Op  string // what was tried
	Why string
	Do  string // what to do; empty if there is no advice
}

// Error implements error.
func (f *failure) Error() string {
	text := f.Op + ": " + f.Why
	if f.Do != "" {
		text += "; " + f.Do
	}
	return text
}

// kindWords has, for each kind of error, the reason and the advice. A masked error has no other words: the text of an
// error may quote keys and values.
var kindWords = map[client.Kind][2]string{
	client.Denied:      {"a permission is missing", "a person can run: tallylock doctor"},
	client.Unreachable: {"the endpoint does not answer", "try again later, or ask a person to run: tallylock doctor"},
	client.NoTable: {
		"the table does not exist in this Region", "ask a person to correct --table or --region of the server",
	},
	client.NoCredentials: {"there are no credentials", "ask a person to log in, and to start the server again"},
	client.Expired:       {"the log-in has expired", "ask a person to log in again, for example with: aws sso login"},
	client.NoRegion:      {"no AWS Region is configured", "ask a person to start the server with --region"},
	client.NoLayout: {
		"no known layout of accounts and locks fits the table",
		"ask a person to describe the layout of the table in the config, or to run: tallylock layout",
	},
	client.Throttled: {"DynamoDB throttled the requests", "try again later"},
	client.Conflict:  {"the application kept writing to the same items", "try again"},
	client.ReadOnly: {
		"the server only reads, and the config may forbid changes", "a person makes changes with tallylock itself",
	},
	client.Unsupported: {"the endpoint does not know the operation", "a person can run: tallylock doctor"},
	client.Cancelled:   {"the call was cancelled", ""},
	client.Usage: {
		"the parameters, the config or the layout do not allow this call", "ask a person to run: tallylock layout",
	},
	client.Forbidden: {
		"the server is not allowed to read a table that the layout names",
		"ask a person to start the server with --table and the name of that table, too",
	},
	client.Spent: {
		"the session has used its read units",
		"ask a person to raise session_read_units in the config, or to start the server again",
	},
	client.Failed: {"it failed", "to see the whole error, ask a person to run the tallylock command that does the same"},
}

// action matches an action of IAM, such as dynamodb:Scan.
var action = regexp.MustCompile(`^[a-z0-9-]+:[A-Za-z]+$`)

// words returns the text of an error. op is what was tried: it has no values of tables.
func (s *server) words(op string, err error) string {
	if known, ok := errors.AsType[*failure](err); ok {
		return known.Error()
	}
	if s.mask == nil {
		e := say.Explain(err)
		text := op + ": " + e.Why
		if e.Op != "" {
			text = op + ": " + e.Op + ": " + e.Why
		}
		if e.Do != "" {
			text += "; " + e.Do
		}
		return safe.Text(strings.Join(strings.Fields(text), " "))
	}
	kind := client.KindOf(err)
	if errors.Is(err, context.Canceled) {
		kind = client.Cancelled
	}
	said, ok := kindWords[kind]
	if !ok {
		said = kindWords[client.Failed]
	}
	if dynamo.UnacceptedOf(err) != nil {
		said = [2]string{guessedWhy, guessedDo}
	}
	f := failure{op, said[0], said[1]}
	if e, known := errors.AsType[*client.Error](err); known && kind == client.Denied && action.MatchString(e.Permission) {
		f.Why = "the permission " + e.Permission + " is missing"
	}
	e, known := errors.AsType[*client.Error](err)
	if known && kind == client.Forbidden && e.Remedy.Code == remedy.AllowTable {
		f.Why, f.Do = "the server is not allowed to read the table "+e.Remedy.Args[0],
			"ask a person to add: --table "+e.Remedy.Args[0]
	}
	return f.Error()
}

// The words for a layout that no person has confirmed.
const (
	guessedWhy = "no person has confirmed this part of the layout"
	guessedDo  = "ask a person to look at it, and to accept it, with: tallylock layout"
)
