package ui_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"testing"

	"tallylock/dynamo"
)

// unpriced imitates an endpoint that never reports consumed capacity.
type unpriced struct{ next http.RoundTripper }

var consumed = regexp.MustCompile(`,?"ConsumedCapacity":(\{[^{}]*\}|\[[^\[\]]*\])`)

func (u unpriced) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := u.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.Replace(consumed.ReplaceAll(body, nil), []byte("{,"), []byte("{"), 1)
	answer.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

// If the endpoint reports no consumed capacity, the header shows no read units.
func TestAnEndpointThatNamesNoUnits(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Transport = unpriced{o.Transport} })
	s.run(t).see("no RU reported", "confirmed")
}
