package change

import (
	"bytes"
	"encoding/json"
)

// glance reads of a line what a list shows: the members that it begins with, which
// are texts. A line that is not written like ours is read whole. It reports false
// for what is no line of a journal.
func glance(line []byte) (e Entry, ok bool) {
	line = content(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return e, false
	}
	rest := line[1:]
	for {
		name, text, after, more := member(rest)
		if !more {
			break
		}
		if at := e.text(name); at != nil {
			*at = string(text)
		} else if string(name) == "at" && e.At.UnmarshalText(text) != nil {
			break
		}
		rest = after
	}
	// Of what is sent the rest is the plan; of an answer it is its reasons.
	if e.Receipt != "" && !e.At.IsZero() && ((e.Event == "send" && e.What != "") || len(rest) == 1) {
		return e, true
	}
	e = Entry{}
	ok = json.Unmarshal(line, &e) == nil && e.Receipt != ""
	if e.What == "" && e.Plan != nil { // an older journal
		e.What, e.Table, e.Reason = e.Plan.String(), e.Plan.Table, e.Plan.Reason
	}
	return e, ok
}

// text is where a member of that name is kept; nil for one that is no text, or is
// not needed.
func (e *Entry) text(name []byte) *string {
	switch string(name) {
	case "event":
		return &e.Event
	case "receipt":
		return &e.Receipt
	case "step":
		return &e.Step
	case "run":
		return &e.Run
	case "undoes":
		return &e.Undoes
	case "outcome":
		return (*string)(&e.Outcome)
	case "sent":
		return &e.Sent
	case "what":
		return &e.What
	case "table":
		return &e.Table
	case "no_sts":
		return &e.NoSTS
	case "error":
		return &e.Error
	case "reason":
		return &e.Reason
	case "who":
		return &e.Who
	case "profile":
		return &e.Profile
	case "account":
		return &e.Account
	case "connection":
		return &e.Connection
	case "region":
		return &e.Region
	case "endpoint":
		return &e.Endpoint
	}
	return nil
}

// member takes "name":"text" off a JSON object, with the comma before it. It
// reports false where the next member is anything else.
func member(object []byte) (name, text, rest []byte, ok bool) {
	rest = bytes.TrimPrefix(object, []byte(","))
	if len(rest) == 0 || rest[0] != '"' {
		return nil, nil, nil, false
	}
	name, rest, found := bytes.Cut(rest[1:], []byte(`":"`))
	if !found || bytes.ContainsAny(name, `"\\`) {
		return nil, nil, nil, false
	}
	end, plain := 0, true
	for ; end < len(rest) && rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end, plain = end+1, false
		}
	}
	if end >= len(rest) {
		return nil, nil, nil, false
	}
	if text = rest[:end]; plain {
		return name, text, rest[end+1:], true
	}
	var said string
	err := json.Unmarshal(append(append([]byte{'"'}, text...), '"'), &said)
	return name, []byte(said), rest[end+1:], err == nil
}

// words keeps one copy of each text that many lines repeat.
type words map[string]string

func (w words) of(s string) string {
	if have, ok := w[s]; ok {
		return have
	}
	w[s] = s
	return s
}
