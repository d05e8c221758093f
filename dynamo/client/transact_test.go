package client

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// If the SDK gets no credentials for a change, for example because they have expired, nothing is sent: the change did
// not happen.
func TestWithoutCredentialsNothingIsSent(t *testing.T) {
	for _, tc := range []struct {
		err  error
		kind Kind
	}{
		{&ssocreds.InvalidTokenError{Err: errors.New("expired")}, Expired},
		{errors.New("failed to refresh cached credentials"), NoCredentials},
		{&smithy.GenericAPIError{Code: "InternalFailure", Fault: smithy.FaultServer}, Failed}, // an error of STS
	} {
		w := &wire{}
		c, err := Connect(t.Context(), Options{Write: true, Transport: w})
		if err != nil {
			t.Fatal(err)
		}
		o := c.sdk.Options()
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, tc.err })
		c.sdk = dynamodb.New(o)
		if a := c.Transact(t.Context(), []byte(`{}`)); a.Result != Unsent || KindOf(a.Err) != tc.kind || len(w.sent) > 0 {
			t.Errorf("%v: %s, %s, %d sent; want unsent, %s", tc.err, a.Result, KindOf(a.Err), len(w.sent), tc.kind)
		}
	}
}
