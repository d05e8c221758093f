package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// A Bucket reads objects of an S3 bucket. It never lists or writes objects.
type Bucket struct {
	name   string
	sdk    *s3.Client
	region atomic.Pointer[string] // the Region that S3 named for the bucket; nil: the connection's Region
	// answered is true once the bucket has sent an object, so its address is right. From then on, a failing request is
	// retried for a quarter of an hour: a check of an export takes hours, and should survive an outage.
	answered atomic.Bool
	target   Target // for error messages; its endpoint is S3's
}

// Bucket returns the bucket with the given name, in any Region. Its requests use the connection's
// credentials, but not the connection's endpoint, which is DynamoDB's. AWS_ENDPOINT_URL_S3 or the profile
// may name an endpoint for S3.
func (c *Client) Bucket(name string) *Bucket {
	b := &Bucket{name: name}
	b.sdk = s3.NewFromConfig(c.config, func(o *s3.Options) {
		if client, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			// A large object takes longer than any answer of DynamoDB, so a request has no timeout.
			// Instead, object.some limits the time without new bytes.
			o.HTTPClient = client.WithTimeout(
				0,
			).WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = answerWithin })
		}
		// Most S3 servers outside AWS have no host name for each bucket, so the path names the bucket.
		o.UsePathStyle = o.BaseEndpoint != nil && !onAWS(*o.BaseEndpoint)
		// The export's manifest has a checksum of each object, so the SDK need not verify one.
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	b.target = c.Target
	b.target.endpoint = cmp.Or(aws.ToString(b.sdk.Options().BaseEndpoint), "https://s3."+c.region+".amazonaws.com")
	return b
}

type againKey struct{}

// Again returns a context for reads of a bucket. Each retry of such a read first calls the given
// function. throttled is true if S3 throttled the request. Otherwise no answer came. Until the bucket has
// sent its first object, retries do not call the function.
func Again(ctx context.Context, again func(throttled bool, reasons []string)) context.Context {
	return context.WithValue(ctx, againKey{}, again)
}

// Open returns a reader of an object. If the connection breaks, the reader connects again and continues
// at the same byte. If the object has changed by then, the reader fails.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	o := &object{bucket: b, ctx: ctx, key: key}
	if err := o.request(time.Now()); err != nil {
		return nil, b.explain(key, err)
	}
	return o, nil
}

// get requests an object. If the bucket is in another Region, S3 names this Region, and get repeats the request there.
// since is the time when the last bytes of the object arrived, or when the object was first requested. get stops
// retrying a quarter of an hour after this time.
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

// bucketRegion returns the bucket's Region if err is S3's redirect to this Region. For any other error it
// returns "".
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

// explain puts an error of S3 into words. The error of a missing object wraps fs.ErrNotExist.
func (b *Bucket) explain(key string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Kind: Failed, Op: "reading s3://" + b.name + "/" + key, Why: reason(err), Err: err}
	if errors.Is(err, context.Canceled) || b.target.classifyLogin(e, err) {
		b.target.classify(e, err)
		return e
	}
	code, message := "", ""
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code, message = api.ErrorCode(), api.ErrorMessage()
	}
	status := 0
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status = response.HTTPStatusCode()
	}
	switch {
	case code == "NoSuchBucket":
		e.Kind, e.Why, e.Do = Usage, "there is no bucket "+b.name, "check the address"
	case status == http.StatusNotFound:
		e.Kind, e.Why, e.Do, e.Err = Usage, "there is no such object", "check the address", fs.ErrNotExist
	case code == "InvalidObjectState":
		e.Why, e.Do = "the object is archived", "restore the object in S3, and check again"
	case status == http.StatusPreconditionFailed:
		e.Why, e.Do = "the object was replaced while it was read", "check again, and find the program that writes into the export's folder"
	case slowedDown(err):
		e.Kind, e.Why, e.Do = Throttled, "S3 kept throttling the requests", "check again later"
	case code == "InvalidAccessKeyId",
		code == "SignatureDoesNotMatch",
		code == "InvalidToken",
		code == "TokenRefreshRequired":
		e.Kind, e.Why, e.Do = NoCredentials, "S3 does not accept the credentials ("+code+")", "check the profile"
	case code == "ExpiredToken":
		b.target.classify(e, err)
	case code == "RequestTimeTooSkewed":
		e.Why, e.Do = "S3 says that this machine's clock is wrong ("+code+")", "set the clock"
	case status == http.StatusForbidden && (code == "AccessDenied" || code == "" || code == anonymous):
		b.denied(e, message)
	case status == http.StatusForbidden:
		e.Kind, e.Why = Denied, "S3 refuses the read ("+reason(err)+")"
		e.Do = "ask the owner of the bucket and of its AWS account"
	case status != 0:
		e.Kind, e.Why = Unreachable, fmt.Sprintf("%s answered with HTTP status %d", b.target.Endpoint(), status)
		if code != "" {
			e.Why += ": " + code
		}
		e.Do = "check AWS_ENDPOINT_URL_S3, and look for a proxy in between"
	default:
		b.target.classify(e, err)
	}
	return e
}

// slowedDown reports whether S3 throttled a request.
func slowedDown(err error) bool {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "SlowDown" {
		return true
	}
	response, ok := errors.AsType[*awshttp.ResponseError](err)
	return ok && response.HTTPStatusCode() == http.StatusServiceUnavailable
}

// denied explains a refused read and names the missing permission. S3 also refuses to read a missing
// object if the role may not list the bucket.
func (b *Bucket) denied(e *Error, message string) {
	e.Kind, e.Permission = Denied, "s3:GetObject"
	e.Why = "this role may not read the object, or the object does not exist: " +
		"without s3:ListBucket, S3 answers the same in both cases"
	e.Do = "check the address, and ask for s3:GetObject on the export's objects"
	if strings.Contains(message, "kms:Decrypt") {
		e.Permission = "kms:Decrypt"
		e.Why, e.Do = "this role may not decrypt the object", "ask for kms:Decrypt on the export's key"
	}
}

// object reads an object of S3 as one stream. If a connection breaks, object continues at the same byte
// over a new connection.
type object struct {
	bucket *Bucket
	ctx    context.Context
	key    string
	etag   string // the ETag in the first answer
	at     int64  // the number of bytes read
	size   int64  // the object's length in bytes; −1 if unknown

	body   io.ReadCloser // nil after the connection broke
	cancel context.CancelCauseFunc
	broke  error     // the error that broke the connection
	lost   time.Time // when bytes stopped arriving; zero while they arrive
	tries  int       // the number of retries since bytes stopped arriving
}

var (
	errStalled = errors.New("nothing arrived for " + answerWithin.String())
	errOther   = errors.New("the answer is another part of the object")
)

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	for {
		if o.size >= 0 && o.at >= o.size {
			return 0, io.EOF
		}
		if o.body == nil {
			if err := o.again(); err != nil {
				return 0, o.bucket.explain(o.key, err)
			}
			continue
		}
		n, err := o.some(p)
		if o.at += int64(n); n > 0 {
			o.tries, o.lost = 0, time.Time{}
		}
		switch {
		case errors.Is(err, io.EOF) && o.size < 0:
			return n, io.EOF
		case errors.Is(err, io.EOF) && o.at < o.size:
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			o.drop(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

// some reads the next bytes. If no bytes arrive within answerWithin, some ends the connection.
func (o *object) some(p []byte) (int, error) {
	stalled := time.AfterFunc(answerWithin, func() { o.cancel(errStalled) })
	defer stalled.Stop()
	return o.body.Read(p)
}

// again requests the rest of the object after a pause. If the answer is a wrong part of the object, the
// error is nil and the body stays nil. Read then calls this method once more.
func (o *object) again() error {
	if time.Since(o.lost) >= outage {
		return &Error{
			Kind: Unreachable, Op: "reading s3://" + o.bucket.name + "/" + o.key,
			Why: fmt.Sprintf("after %d bytes, nothing arrived for 15 minutes (%s)", o.at, reason(o.broke)),
			Do:  "check the network, and check again", Err: o.broke,
		}
	}
	if o.etag == "" && o.at > 0 {
		return o.broke // without an ETag, the rest may come from another version of the object
	}
	o.tries++
	if Pause(o.ctx, apart(o.tries, outagePause)) != nil {
		return context.Canceled
	}
	if again, ok := o.ctx.Value(againKey{}).(func(bool, []string)); ok {
		again(false, nil)
	}
	err := o.request(o.lost)
	if errors.Is(err, errOther) {
		o.broke = err
		return nil
	}
	return err
}

// request asks S3 for the unread part of the object. since is the time when the last bytes arrived, or
// when the object was first requested. It limits the time for retries.
func (o *object) request(since time.Time) error {
	ctx, cancel := context.WithCancelCause(o.ctx)
	in := &s3.GetObjectInput{Bucket: &o.bucket.name, Key: &o.key}
	if o.etag != "" {
		in.IfMatch = &o.etag
	}
	if o.at > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", o.at))
	}
	out, err := o.bucket.get(ctx, in, since)
	if err != nil {
		cancel(nil)
		return err
	}
	if o.at > 0 && !o.continues(out) {
		cancel(nil)
		out.Body.Close()
		return errOther
	}
	if o.at == 0 {
		o.etag, o.size = aws.ToString(out.ETag), -1
		if out.ContentLength != nil {
			o.size = *out.ContentLength
		}
	}
	o.body, o.cancel = out.Body, cancel
	return nil
}

// continues reports whether an answer is the rest of the object.
func (o *object) continues(out *s3.GetObjectOutput) bool {
	part := aws.ToString(out.ContentRange)
	return aws.ToString(out.ETag) == o.etag && strings.HasPrefix(part, fmt.Sprintf("bytes %d-", o.at)) &&
		(o.size < 0 || strings.HasSuffix(part, fmt.Sprintf("/%d", o.size)))
}

// ETag returns S3's ETag of the object, without quotes; empty if S3 gave none.
func (o *object) ETag() string { return strings.Trim(o.etag, `"`) }

// drop closes the connection. why is the reason, for a later error message.
func (o *object) drop(why error) {
	o.cancel(nil)
	o.body.Close()
	o.body, o.broke = nil, why
	if o.lost.IsZero() {
		o.lost = time.Now()
	}
}

// Close implements io.Closer.
func (o *object) Close() error {
	if o.body != nil {
		o.drop(nil)
	}
	return nil
}
