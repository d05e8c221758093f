package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// MostSkew is how far a clock may be from AWS's: requests signed at another time are
// refused (IAM User Guide, "Signature Version 4").
const MostSkew = 5 * time.Minute

// Clock asks the endpoint one small thing, once: how far this machine's clock is ahead of
// its own. dated is false where no answer came, or one without a date. The error is that of
// the question, ListTables, which an answer with a date may be, too.
func (c *Client) Clock(ctx context.Context) (ahead time.Duration, dated bool, err error) {
	out, err := c.sdk.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	if err == nil {
		behind, dated := awsmiddleware.GetAttemptSkew(out.ResultMetadata)
		return -behind, dated, nil
	}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPResponse() != nil {
		if there, wrong := http.ParseTime(response.HTTPResponse().Header.Get("Date")); wrong == nil {
			ahead, dated = time.Since(there), true
		}
	}
	return ahead, dated, c.Explain("asking "+c.Endpoint(), err)
}
