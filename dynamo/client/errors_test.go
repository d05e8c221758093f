package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo/remedy"
)

// Each error of a connection says in one sentence what to do.
func TestExplain(t *testing.T) {
	c := &Target{options: Options{Profile: "support"}, region: "eu-west-1"}
	for _, tc := range []struct {
		err  error
		kind Kind
		says string
		do   remedy.Code // empty: the text in says contains the remedy
	}{
		{&ssocreds.InvalidTokenError{Err: errors.New("expired")}, Expired, "the SSO session has expired", remedy.LogInSSO},
		{errors.New("failed to read cached SSO token file"), Expired, "there is no log-in to the SSO session for the profile support", remedy.LogInSSO},
		{errors.New("refresh cached SSO token failed, unable to refresh SSO token, operation error SSO OIDC: CreateToken, InvalidGrantException"), Expired, "session has expired", remedy.LogInSSO},
		{&smithy.OperationError{ServiceID: "SSO", OperationName: "GetRoleCredentials", Err: &smithy.GenericAPIError{Code: "UnauthorizedException", Message: "Session token not found or invalid"}}, Expired, "session has expired", remedy.LogInSSO},
		{errors.New("load login token: token file not found, please reauthenticate"), Expired, "there is no log-in for the profile support", remedy.LogIn},
		{config.SharedConfigProfileNotExistError{Profile: "nope"}, Usage, "no profile nope", remedy.ListProfiles},
		{&smithy.GenericAPIError{Code: "ExpiredTokenException", Message: "m"}, Expired, "the credentials have expired", remedy.LogInSSOAgain},
		{&smithy.GenericAPIError{Code: "UnrecognizedClientException", Message: "m"}, NoCredentials, "check the profile", ""},
		{&smithy.OperationError{OperationName: "Scan", Err: &smithy.GenericAPIError{Code: "AccessDeniedException"}}, Denied, "dynamodb:Scan", ""},
		{&smithy.OperationError{OperationName: "TransactWriteItems", Err: &smithy.GenericAPIError{Code: "UnknownOperationException"}}, Unsupported, "TransactWriteItems", ""},
		{&smithy.OperationError{OperationName: "TransactWriteItems", Err: &smithy.GenericAPIError{Code: "AccessDeniedException"}}, Denied, "dynamodb:UpdateItem", ""},
		{&smithy.OperationError{OperationName: "TransactGetItems", Err: &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "not authorized to perform: dynamodb:GetItem on resource: x"}}, Denied, "dynamodb:GetItem", ""},
		{&types.ResourceNotFoundException{}, NoTable, "eu-west-1", ""},
		{&types.ProvisionedThroughputExceededException{}, Throttled, "try again later", ""},
		{errors.New("failed to refresh cached credentials, no EC2 IMDS role found"), NoCredentials, "profile support", remedy.NameProfile},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, Unreachable, "network", ""},
		{&net.DNSError{Err: "no such host", Name: "x"}, Unreachable, "no such host", ""},
		{fmt.Errorf("x: %w", context.Canceled), Cancelled, "stopped", ""},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), Unreachable, "in time", ""},
	} {
		err := c.Explain("trying", tc.err)
		if KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.says) || !strings.HasPrefix(err.Error(), "trying: ") {
			t.Errorf("%v\nis explained as (%s) %v\nwant (%s) with %q", tc.err, KindOf(err), err, tc.kind, tc.says)
		}
		known, _ := errors.AsType[*Error](err)
		if known.Remedy.Code != tc.do || tc.do == remedy.LogInSSO && !slices.Equal(known.Remedy.Args, []string{"support"}) {
			t.Errorf("%v: remedy %v; want %q", tc.err, known.Remedy, tc.do)
		}
		if wrapped := errors.Unwrap(err); wrapped == nil || wrapped.Error() != tc.err.Error() {
			t.Errorf("%v is not wrapped", tc.err)
		}
	}
}

// The error keeps IAM's caller, resource and reason.
func TestRefusal(t *testing.T) {
	c := &Client{}
	for message, want := range map[string]Refusal{
		"User: arn:aws:sts::111122223333:assumed-role/viewer/sam is not authorized to perform: dynamodb:Scan on resource: arn:aws:dynamodb:us-east-1:111122223333:table/accounts because no identity-based policy allows the dynamodb:Scan action": {
			"arn:aws:sts::111122223333:assumed-role/viewer/sam", "arn:aws:dynamodb:us-east-1:111122223333:table/accounts", "no identity-based policy allows the dynamodb:Scan action",
		},
		"User: arn:aws:iam::111122223333:user/sam is not authorized to perform: dynamodb:Scan on resource: arn:aws:dynamodb:us-east-1:111122223333:table/accounts with an explicit deny in a service control policy": {
			"arn:aws:iam::111122223333:user/sam", "arn:aws:dynamodb:us-east-1:111122223333:table/accounts", "an explicit deny in a service control policy",
		},
		"User: arn:aws:iam::111122223333:user/sam is not authorized to perform: dynamodb:ListTables": {Caller: "arn:aws:iam::111122223333:user/sam"},
		"Access denied": {},
	} {
		err := c.Explain("trying", &smithy.OperationError{OperationName: "Scan", Err: &smithy.GenericAPIError{Code: "AccessDeniedException", Message: message}})
		known, _ := errors.AsType[*Error](err)
		if known == nil || known.Refusal != want || known.Refusal.Explicit() != strings.Contains(message, "explicit") {
			t.Errorf("%q: %+v; want %+v", message, known, want)
		}
	}
}

// The error of an attempt decides whether the transaction may have been applied.
func TestFate(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want Result
	}{
		{&smithy.GenericAPIError{Code: "ValidationException", Fault: smithy.FaultClient}, Rejected},
		{&types.TransactionCanceledException{}, Rejected},
		{&types.IdempotentParameterMismatchException{}, Rejected},
		{&types.InternalServerError{}, Lost},
		{&types.TransactionInProgressException{}, Lost},
		{&smithy.GenericAPIError{Code: "ThrottlingException"}, Busy},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, Unsent},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, Lost},
		{context.Canceled, Lost},
		{errors.New("unexpected EOF"), Lost},
	} {
		if got := resultOf(fmt.Errorf("wrapped: %w", tc.err)); got != tc.want {
			t.Errorf("%v: %s; want %s", tc.err, got, tc.want)
		}
	}
}
