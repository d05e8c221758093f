package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// place names a table in the parameters of a tool. Empty means the only one.
type place struct {
	Connection string `json:"connection"`
	Table      string `json:"table"`
}

// opened is a connection that a tool has used, with its open tables. Only the call that holds server.turn uses it.
type opened struct {
	Connection
	conn   *dynamo.Connection
	tables map[string]*openTable
}

// openTable is an open table. answers is the hash of people's answers at the time of opening.
type openTable struct {
	*dynamo.Table
	answers string
}

// placeParams are the parameters that name a connection and a table. A parameter with one possible text may be
// left out.
func (s *server) placeParams() (params []param) {
	table := oneOf("table", "the table of the accounts, or of the counters", s.Tables)
	table.required = len(s.Tables) > 1
	params = append(params, table)
	if names := s.connectionNames(); len(names) > 0 {
		conn := oneOf("connection", "the connection, as the config names it", names)
		conn.required = len(names) > 1
		params = append(params, conn)
	}
	return params
}

func (s *server) connectionNames() (names []string) {
	for _, o := range s.open {
		if o.Name != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

// find returns the connection and the name of the table of a place.
func (s *server) find(at place) (*opened, string, error) {
	table := at.Table
	if table == "" {
		table = s.Tables[0]
	}
	for _, o := range s.open {
		if at.Connection == "" || o.Name == at.Connection {
			return o, table, nil
		}
	}
	return nil, "", &failure{
		Op: "choosing the connection", Why: "the server has no such connection",
		Do: "use one of: " + strings.Join(s.connectionNames(), ", "),
	}
}

// connection connects, unless an earlier call has connected.
func (o *opened) connection(ctx context.Context) (*dynamo.Connection, error) {
	if o.conn == nil {
		conn, err := o.Connect(ctx)
		if err != nil {
			return nil, err
		}
		if conn.Write() {
			return nil, &failure{Op: "connecting", Why: "the connection can write", Do: "this is a fault of tallylock"}
		}
		o.conn = conn
	}
	return o.conn, nil
}

// table opens a table. A table that is open stays open, unless the config or people's answers about the table have
// changed.
func (o *opened) table(ctx context.Context, name string) (*dynamo.Table, error) {
	conn, err := o.connection(ctx)
	if err != nil {
		return nil, err
	}
	if t := o.tables[name]; t != nil {
		if now, err := t.Statements(); err == nil && now == t.answers {
			return t.Table, nil
		}
		delete(o.tables, name)
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	more, err := dynamo.Grown(ctx, t)
	if err != nil {
		return nil, err
	}
	if more != nil {
		t = more
	}
	open := &openTable{Table: t}
	if t.Answers != nil {
		if open.answers, err = t.Statements(); err != nil {
			return nil, err
		}
	}
	o.tables[name] = open
	return t, nil
}

// cost is the JSON of the cost of a call, in read units.
type cost struct {
	ReadUnits float64 `json:"read_units"`
	// Left and Limit are the rest and the whole of the session's budget. They are null if there is no limit.
	Left  *float64 `json:"session_read_units_left"`
	Limit *float64 `json:"session_read_units"`
	// Reported is false if the endpoint does not report read units. Then the cost is unknown.
	Reported bool `json:"reported"`
}

// costSince returns the cost of a call. before is the number of read units that the connection had consumed when the
// call began. The cost is zero without a connection.
func (o *opened) costSince(before float64) cost {
	if o == nil || o.conn == nil {
		return cost{Reported: true}
	}
	c := cost{ReadUnits: o.conn.Units() - before, Reported: o.conn.ReportsUnits()}
	if limit := o.conn.SessionLimit(); limit > 0 {
		left := math.Max(0, o.conn.UnitsLeft())
		c.Left, c.Limit = &left, &limit
	}
	return c
}

func (o *opened) units() float64 {
	if o == nil || o.conn == nil {
		return 0
	}
	return o.conn.Units()
}

// String returns the cost as a sentence.
func (c cost) String() string {
	if !c.Reported {
		return "The cost is unknown: the endpoint reports no read units."
	}
	text := "This call cost " + units(c.ReadUnits)
	if c.Left == nil {
		return text + "."
	}
	return text + "; " + number(*c.Left) + " of " + units(*c.Limit) + " are left in this session."
}

func units(n float64) string {
	if n == 1 {
		return "1 read unit"
	}
	return number(n) + " read units"
}

// number writes a number of read units. Its fraction is 0 or 0.5.
func number(n float64) string {
	whole := math.Trunc(n)
	text := phrase.Number(int64(whole))
	if n != whole {
		text += ".5"
	}
	return text
}

// spent returns an error if the session has no read units left.
func (o *opened) spent(op string) error {
	if o.conn == nil || !o.conn.UnitsSpent() {
		return nil
	}
	return &failure{
		Op: op, Why: "the session has used its " + units(o.conn.SessionLimit()),
		Do: "ask a person to raise session_read_units in the config, or to start the server again",
	}
}

// subject is the meaning of an id that a tool gave: a lock, or a finding.
type subject struct {
	at      *opened
	table   string
	lock    *verdict.Relation
	finding *finding.Finding
}

// remember gives an id to a subject. real is the id without a mask.
func (s *server) remember(real string, of subject) string {
	id := real
	switch {
	case s.mask != nil:
		id = s.mask.id(of.at.Name + "\x00" + real)
	case len(s.open) > 1: // another connection may have a table of this name
		sum := sha256.Sum256([]byte(of.at.Name + "\x00" + real))
		id = hex.EncodeToString(sum[:8])
	}
	s.subjects[id] = of
	return id
}
