package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// object is the body of an object, over as many connections as it takes. To whoever reads
// it is one stream: no byte comes twice, and none is left out.
type object struct {
	bucket *Bucket
	ctx    context.Context
	key    string
	etag   string // of the object that was begun with
	at     int64  // how much of it was read
	size   int64  // −1 where the answer did not say

	body   io.ReadCloser // nil where the connection broke
	cancel context.CancelCauseFunc
	broke  error     // why it did
	lost   time.Time // since when nothing comes; zero: something did
	tries  int       // since then
}

var (
	errStalled = errors.New("nothing arrived for " + answerWithin.String())
	errOther   = errors.New("the answer is not the part of the object that was asked for")
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

// some reads what arrives next, and gives a connection up on which nothing does.
func (o *object) some(p []byte) (int, error) {
	stalled := time.AfterFunc(answerWithin, func() { o.cancel(errStalled) })
	defer stalled.Stop()
	return o.body.Read(p)
}

// again asks for the rest of the object. An answer that is not that leaves it as it is.
func (o *object) again() error {
	if time.Since(o.lost) >= outage {
		return &Error{
			Kind: Unreachable, Op: "reading s3://" + o.bucket.name + "/" + o.key,
			Why: fmt.Sprintf("after %d bytes nothing more came for a quarter of an hour (%s)", o.at, reason(o.broke)),
			Do:  "check the network, and check again", Err: o.broke,
		}
	}
	if o.etag == "" && o.at > 0 {
		return o.broke // nothing would tell that it is the same object
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

// request asks for the object from where it was read to. Nothing has come since then.
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

// ETag is what S3 calls the content of the object; empty where it does not say.
func (o *object) ETag() string { return strings.Trim(o.etag, `"`) }

// drop gives a connection up.
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
