package words

import (
	"bytes"
	"encoding/json"
	"strings"
)

// PrettyJSON lays JSON out for people: what fits into a row of w cells stands in one.
func PrettyJSON(data []byte, w int) string {
	var b strings.Builder
	layOut(&b, data, 0, w)
	return b.String()
}

// layOut writes one value that begins at a column.
func layOut(b *strings.Builder, data []byte, col, w int) {
	var flat bytes.Buffer
	if err := json.Compact(&flat, data); err != nil {
		b.Write(data)
		return
	}
	data = flat.Bytes()
	if col+len(data) <= w || len(data) < 3 || (data[0] != '{' && data[0] != '[') {
		b.Write(data)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // the bracket
	indent := strings.Repeat(" ", col+2)
	b.WriteByte(data[0])
	for first := true; dec.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent)
		at := len(indent)
		if data[0] == '{' {
			from := dec.InputOffset()
			if _, err := dec.Token(); err != nil {
				return
			}
			name := bytes.TrimPrefix(data[from:dec.InputOffset()], []byte(","))
			b.Write(name)
			b.WriteString(": ")
			at += len(name) + 2
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		if at+len(value) > w {
			at = len(indent)
		}
		layOut(b, value, at, w)
	}
	b.WriteString("\n" + strings.Repeat(" ", col))
	b.WriteByte(data[len(data)-1])
}
