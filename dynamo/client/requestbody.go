package client

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// earlyAnswers is a client that minds answers that come while the last of the
// request is still being sent, as those of an endpoint on this machine do. The SDK
// closes the request's body as soon as the answer begins, and its WriteTo then fails
// with io.EOF, which net/http takes for a broken connection: it cuts the answer off.
// Without WriteTo the body is merely at its end.
//
// A request has no GetBody: net/http then never sends it again by itself, after a
// connection that was lost, a refused stream or a redirect. How often a change was
// sent is known to who sends it.
type earlyAnswers struct{ aws.HTTPClient }

func (c earlyAnswers) Do(r *http.Request) (*http.Response, error) {
	if _, ok := r.Body.(io.WriterTo); ok {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	r.GetBody = nil
	return c.HTTPClient.Do(r)
}
