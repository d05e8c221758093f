package client

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// damaged is an answer that did not arrive as it was sent. It may be asked for
// again.
type damaged struct{ why string }

func (d *damaged) Error() string { return "the answer was damaged on its way: " + d.why }

// RetryableError tells the SDK's retryer to ask again.
func (*damaged) RetryableError() bool { return true }

// checksumHeader is where a server sends the checksum of its answer's body. The SDK
// only logs that it is wrong, and a page with one letter changed would speak for a
// table.
const checksumHeader = "X-Amz-Crc32"

// How long the body of an answer may be. A page has 1 MB of items and a transaction
// 4 MB, a batch 16 MB. As JSON that is up to nine times as much where attributes are
// as small as they can be, {"a":{"NULL":true}} for two bytes, and sixty times where
// all are numbers of two bytes that are written with all of their zeros: no batch
// of 100 items is like that.
const (
	longestAnswer = 64 << 20
	longestBatch  = 160 << 20
)

// longest is how long the body of the answer to a request may be.
func longest(asked any) int64 {
	if _, ok := asked.(*dynamodb.BatchGetItemInput); ok {
		return longestBatch
	}
	return longestAnswer
}

// whole reads an answer to its end, into buf where that is large enough, and
// compares its checksum.
func whole(response *smithyhttp.Response, buf []byte, most int64) ([]byte, error) {
	body, err := buf, error(nil)
	tooLong := response.ContentLength > most
	if !tooLong {
		body, err = readAll(io.LimitReader(response.Body, most+1), buf, response.ContentLength)
		tooLong = int64(len(body)) > most
	}
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	response.Body = http.NoBody // the SDK reads what is left, or it would keep the connection
	if tooLong {
		return nil, &unproven{why: fmt.Sprintf("it is longer than %d MB, and none of DynamoDB's is", most>>20), final: true}
	}
	if err != nil {
		return body, &damaged{err.Error()}
	}
	if sent := response.Header.Get(checksumHeader); sent != "" {
		if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != sent {
			return body, &damaged{fmt.Sprintf("its checksum is %s, and %s was sent", got, sent)}
		}
	}
	return body, nil
}

// readAgain is a body that was read.
func readAgain(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// readAll is io.ReadAll into memory that is there already. size is how much is
// expected, or negative.
func readAll(r io.Reader, buf []byte, size int64) ([]byte, error) {
	// Room for the end of the file to show, and never a gigabyte on the word of a
	// header.
	if want := int(min(max(size, 512), 8<<20)) + spare; cap(buf) < want {
		buf = make([]byte, 0, want)
	}
	buf = buf[:0]
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) == cap(buf):
			buf = slices.Grow(buf, len(buf))
		}
	}
}

// spare is how much room readAll leaves behind what it expects.
const spare = 64
