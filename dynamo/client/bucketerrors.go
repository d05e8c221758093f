package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// explain puts an error of S3 into words. An object that is not there is fs.ErrNotExist.
func (b *Bucket) explain(key string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Kind: Failed, Op: "reading s3://" + b.name + "/" + key, Why: reason(err), Err: err}
	if errors.Is(err, context.Canceled) || b.explains.classifyLogin(e, err) {
		b.explains.classify(e, err)
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
		e.Why, e.Do = "it is archived", "restore it in S3, and check again"
	case status == http.StatusPreconditionFailed:
		e.Why, e.Do = "it was replaced while it was read", "check again, and see who writes into the export's folder"
	case slowedDown(err):
		e.Kind, e.Why, e.Do = Throttled, "S3 asked to slow down, again and again", "check again later"
	case code == "InvalidAccessKeyId",
		code == "SignatureDoesNotMatch",
		code == "InvalidToken",
		code == "TokenRefreshRequired":
		e.Kind, e.Why, e.Do = NoCredentials, "S3 does not accept the credentials ("+code+")", "check the profile"
	case code == "ExpiredToken":
		b.explains.classify(e, err)
	case code == "RequestTimeTooSkewed":
		e.Why, e.Do = "S3 takes this machine's clock for wrong ("+code+")", "set the clock"
	case status == http.StatusForbidden && (code == "AccessDenied" || code == "" || code == anonymous):
		b.denied(e, message)
	case status == http.StatusForbidden:
		e.Kind, e.Why = Denied, "S3 refuses it ("+reason(err)+")"
		e.Do = "ask who keeps the bucket and its account"
	case status != 0:
		e.Kind = Unreachable
		e.Why = fmt.Sprintf("%s answered with HTTP status %d%s", b.explains.Endpoint(), status, after(": ", code))
		e.Do = "is it an S3 that holds this bucket (AWS_ENDPOINT_URL_S3), or is a proxy in between?"
	default:
		b.explains.classify(e, err)
	}
	return e
}

// slowedDown reports whether S3 turned a request away since there were too many.
func slowedDown(err error) bool {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "SlowDown" {
		return true
	}
	response, ok := errors.AsType[*awshttp.ResponseError](err)
	return ok && response.HTTPStatusCode() == http.StatusServiceUnavailable
}

// denied says which permission is missing. Without the one to list the bucket S3 does not
// tell that an object is not there.
func (b *Bucket) denied(e *Error, message string) {
	e.Kind, e.Permission = Denied, "s3:GetObject"
	e.Why = "this role may not read it, or it does not exist: S3 tells that only to those who may list the bucket"
	e.Do = "check the address, and ask for s3:GetObject on the export's objects"
	if strings.Contains(message, "kms:Decrypt") {
		e.Permission = "kms:Decrypt"
		e.Why, e.Do = "this role may not decrypt it", "ask for kms:Decrypt on the key that the export is encrypted with"
	}
}

func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
