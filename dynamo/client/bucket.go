package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Bucket reads objects of a bucket of S3. It lists none, and writes none.
type Bucket struct {
	name   string
	sdk    *s3.Client
	region atomic.Pointer[string] // where the bucket is; nil: the connection's, as far as is known
	// answered: it has sent an object. From then on nobody waits for a wrong address to be
	// told, and a check of hours is worth waiting for.
	answered atomic.Bool
	// explains has the credentials' side of errors, and S3's host in place of DynamoDB's.
	explains *Client
}

// Bucket is the bucket of that name, read with the connection's credentials. It may be in
// any Region. Which host answers for S3 says the SDK's own setting, AWS_ENDPOINT_URL_S3 or
// the profile's: the connection's endpoint is DynamoDB's.
func (c *Client) Bucket(name string) *Bucket {
	b := &Bucket{name: name}
	b.sdk = s3.NewFromConfig(c.config, func(o *s3.Options) {
		if client, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			// An object may take longer than any answer of DynamoDB's: what is bounded
			// is how long nothing arrives (see object.some).
			o.HTTPClient = client.WithTimeout(
				0,
			).WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = answerWithin })
		}
		o.UsePathStyle = o.BaseEndpoint != nil && !onAWS(*o.BaseEndpoint) // few others have a host name for each bucket
		// The export's manifest has a checksum of each object, over all that arrived.
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	host := aws.ToString(b.sdk.Options().BaseEndpoint)
	if host == "" {
		host = "https://s3." + c.region + ".amazonaws.com"
	}
	b.explains = &Client{options: c.options, region: c.region, source: c.source, endpoint: host, origin: &origin{}}
	return b
}

type againKey struct{}

// Again is a context in which a function is called whenever a bucket that has answered
// before is asked again: because it throttled, or because no answer came.
func Again(ctx context.Context, again func(throttled bool, reasons []string)) context.Context {
	return context.WithValue(ctx, againKey{}, again)
}

// Open reads an object from its beginning. A connection that breaks is made anew, and the
// object read on from there, as long as it is the same object.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	o := &object{bucket: b, ctx: ctx, key: key}
	if err := o.request(time.Now()); err != nil {
		return nil, b.explain(key, err)
	}
	return o, nil
}

// get asks for an object, in the bucket's own Region: S3 tells which that is where it was
// asked in another. Nothing of the object has come since then.
func (b *Bucket) get(ctx context.Context, in *s3.GetObjectInput, since time.Time) (*s3.GetObjectOutput, error) {
	there := func(o *s3.Options) {
		if region := b.region.Load(); region != nil {
			o.Region = *region
		}
		if b.answered.Load() {
			again, _ := ctx.Value(againKey{}).(func(bool, []string))
			o.Retryer = objectRetryer(since, again)
		}
	}
	out, err := b.sdk.GetObject(ctx, in, there)
	if region := bucketRegion(err); region != "" {
		if was := b.region.Swap(&region); was == nil || *was != region {
			out, err = b.sdk.GetObject(ctx, in, there)
		}
	}
	if err == nil {
		b.answered.Store(true)
	}
	return out, err
}

// bucketRegion is the Region that an answer says a request should have been sent to.
func bucketRegion(err error) string {
	response, ok := errors.AsType[*awshttp.ResponseError](err)
	if !ok || response.Response == nil {
		return ""
	}
	switch response.HTTPStatusCode() {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusBadRequest:
		return response.Response.Header.Get("X-Amz-Bucket-Region")
	}
	return ""
}
