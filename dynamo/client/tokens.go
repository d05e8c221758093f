package client

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
)

// tokens is what a connection knows of its endpoint and request tokens. It is safe for
// concurrent use.
type tokens struct {
	mu           sync.Mutex
	known, asked bool
}

// KnowsTokens reports whether the endpoint makes a transaction once if it is sent twice under one
// ClientRequestToken. AWS does (API reference of TransactWriteItems). Any other endpoint is asked
// once a connection, by two different transactions under one token. Each has one check on a random
// key of the table, and writes nothing. An endpoint that knows tokens refuses the second with
// IdempotentParameterMismatchException. An endpoint that refuses the first is taken for one without
// tokens. KnowsTokens returns an error if the endpoint does not answer.
func (c *Client) KnowsTokens(ctx context.Context, table string) (bool, error) {
	if c.origin.aws || c.options.Transport != nil {
		return true, nil
	}
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	if c.tokens.asked {
		return c.tokens.known, nil
	}
	known, err := c.probeTokens(ctx, table)
	if err != nil {
		return false, err
	}
	c.tokens.known, c.tokens.asked = known, true
	return known, nil
}

// tokenProbes is how often the endpoint is asked whether it knows tokens, if it does not answer.
const tokenProbes = 3

func (c *Client) probeTokens(ctx context.Context, table string) (known bool, err error) {
	d, err := c.Describe(ctx, table)
	if err != nil {
		return false, err
	}
	for range tokenProbes {
		var first, second Attempt
		token := rand.Text()
		if first, err = c.checkAbsent(ctx, token, table, d.Schema); err != nil {
			continue
		}
		if first.Result != Happened {
			return false, nil // it has no transactions, or denies them: the write itself will say so
		}
		if second, err = c.checkAbsent(ctx, token, table, d.Schema); err != nil {
			continue
		}
		_, mismatch := errors.AsType[*types.IdempotentParameterMismatchException](second.Err)
		return mismatch, nil
	}
	return false, err
}

// checkAbsent sends a transaction that only requires that a random key of the table is absent.
// It returns an error if there was no answer, or if the endpoint was busy.
func (c *Client) checkAbsent(ctx context.Context, token, table string, s attr.Schema) (Attempt, error) {
	key := attr.Key{Hash: attr.Attribute{Name: s.HashName, Value: randomOf(s.HashKind)}}
	if s.RangeName != "" {
		key.Range = attr.Attribute{Name: s.RangeName, Value: randomOf(s.RangeKind)}
	}
	request, err := Request(token, []Write{{Verb: Check, Table: table, Key: key, Absent: true}})
	if err != nil {
		return Attempt{}, err
	}
	a := c.Transact(ctx, request)
	switch a.Result {
	case Happened, Rejected:
		return a, nil
	}
	return a, a.Err
}

// randomOf returns a random value of a type that keys have. No item has it for its key.
func randomOf(kind attr.Kind) attr.Value {
	switch kind {
	case attr.N:
		n, _ := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(37), nil)) // crypto/rand never fails
		return attr.Number(n.String())
	case attr.B:
		return attr.Binary(rand.Text())
	}
	return attr.String("tallylock " + rand.Text())
}
