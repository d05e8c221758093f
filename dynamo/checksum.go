package dynamo

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// damaged is an answer that did not arrive as it was sent. It may be asked for
// again.
type damaged struct{ why string }

func (d *damaged) Error() string { return "the answer was damaged on its way: " + d.why }

// RetryableError tells the SDK's retryer to ask again.
func (*damaged) RetryableError() bool { return true }

// checksums refuses answers that do not have the checksum they were sent with.
// The SDK only logs that, and a page with one letter changed would speak for a
// table. A server that sends no checksum is believed.
func checksums(stack *middleware.Stack) error {
	// Last of the last step: what comes from the wire, before anything reads it.
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc(checksumStep,
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, meta, err := next.HandleDeserialize(ctx, in)
			response, ok := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !ok {
				return out, meta, err
			}
			body, err := whole(response, nil)
			if err != nil {
				return out, meta, err
			}
			response.Body = io.NopCloser(bytes.NewReader(body))
			return out, meta, nil
		}), middleware.After)
}

const checksumStep = "tallylock checksums"

// whole reads an answer to its end, into buf where that is large enough, and
// compares its checksum.
func whole(response *smithyhttp.Response, buf []byte) ([]byte, error) {
	body, err := readAll(response.Body, buf, response.ContentLength)
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return body, &damaged{err.Error()}
	}
	if sent := response.Header.Get("X-Amz-Crc32"); sent != "" {
		if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != sent {
			return body, &damaged{fmt.Sprintf("its checksum is %s, and %s was sent", got, sent)}
		}
	}
	return body, nil
}

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
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// spare is how much room readAll leaves behind what it expects.
const spare = 64
