package embedded_test

import (
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// post sends a body without the SDK.
func (t *trial) post(operation, body string) (*http.Response, string) {
	o := t.db.Options()
	r, err := http.NewRequestWithContext(t.ctx, http.MethodPost, *o.BaseEndpoint+"/", strings.NewReader(body))
	t.ok(err)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Date", "20261120T000000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := o.HTTPClient.Do(r)
	t.ok(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	t.ok(err)
	return answer, string(text)
}

var wireCases = []conformance{
	{"wire/checksum and headers", func(t *trial) {
		for _, operation := range []string{"ListTables", "Nonsense"} {
			answer, body := t.post(operation, "{}")
			t.equal(answer.Header.Get("X-Amz-Crc32"), strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10), operation, " checksum:")
			t.equal(answer.Header.Get("Content-Type"), "application/x-amz-json-1.0")
			if answer.Header.Get("X-Amzn-Requestid") == "" {
				t.errorf("%s has no request id", operation)
			}
		}
	}},
	{"wire/unknown operation", func(t *trial) {
		answer, body := t.post("Nonsense", "{}")
		t.equal(answer.StatusCode, 400)
		if !strings.Contains(body, "#UnknownOperationException\"") {
			t.errorf("%s", body)
		}
	}},
	{"wire/bad JSON", func(t *trial) {
		name := *t.table(typeS)
		for _, bad := range []string{
			"", "{", "nonsense", `{"TableName":5}`, `{"TableName":"` + name + `","Key":5}`, `{"TableName":"` + name + `","Key":{"pk":{"S":5}}}`,
			`{"TableName":"` + name + `","Key":{"pk":{"N":5}}}`, `{"TableName":"` + name + `","Key":{"pk":"a"}}`, `{"TableName":"` + name + `","Key":{"pk":{"S":"a"}}`, `{"TableName":"` + name + `","Key":{"pk":{"B":"%%%"}}}`,
		} {
			answer, body := t.post("GetItem", bad)
			if answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, "#SerializationException\"") {
				t.errorf("%s: %d %s", bad, answer.StatusCode, body)
			}
		}
	}},
	{"wire/no table name", func(t *trial) {
		for _, operation := range []string{"GetItem", "Scan", "DescribeTable"} {
			if answer, body := t.post(operation, `{"Key":{"pk":{"S":"a"}}}`); answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, "#ValidationException\"") {
				t.errorf("%s: %d %s", operation, answer.StatusCode, body)
			}
		}
	}},
	{"wire/a list for a request", func(t *trial) {
		if _, body := t.post("GetItem", "[]"); !strings.Contains(body, "#SerializationException\"") {
			t.errorf("%s", body)
		}
	}},
	{"wire/bad attribute values", func(t *trial) {
		name := *t.table(typeS)
		for _, bad := range []string{`{}`, `{"S":"a","N":"1"}`, `{"Q":"a"}`} {
			answer, body := t.post("GetItem", `{"TableName":"`+name+`","Key":{"pk":`+bad+`}}`)
			if answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, "#ValidationException\"") {
				t.errorf("%s: %d %s", bad, answer.StatusCode, body)
			}
		}
	}},
	{"wire/escapes", func(t *trial) {
		name := t.table(typeS)
		answer, body := t.post("PutItem", `{"TableName":"`+*name+`","Item":{"pk":{"S":"a"},"\u0076":{"S":"\u00e9\ud83d\ude00\/\"\\\b\f\n\r\t"}}}`)
		t.equal(answer.StatusCode, 200, body)
		t.equal(t.get(name, doc{"pk": s("a")})["v"], s("é😀/\"\\\b\f\n\r\t"))
	}},
	{"wire/condition failure", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a")})
		answer, body := t.post("PutItem", `{"TableName":"`+*name+`","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_not_exists(pk)"}`)
		t.equal(answer.StatusCode, 400)
		if !strings.Contains(body, `"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"`) {
			t.errorf("%s", body)
		}
	}},
}
