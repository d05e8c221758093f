package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/logincreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Explain puts an error of the SDK into words. op names the attempt, such as "reading the table accounts".
func (t *Target) Explain(op string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Kind: Failed, Op: op, Why: reason(err), Err: err}
	t.classify(e, err)
	return e
}

// classify sets the kind, the reason and the remedy of an error. The order of the checks matters: log-in errors come
// first, then an answer of DynamoDB, then other answers, and last the text of any other error.
func (t *Target) classify(e *Error, err error) {
	if errors.Is(err, context.Canceled) {
		e.Kind, e.Why = Cancelled, "stopped before it was finished"
		return
	}
	if t.classifyLogin(e, err) {
		return
	}
	if reasons, ok := conditional(err); ok {
		t.classifyCancelled(e, err, reasons)
		return
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() != anonymous {
		t.classifyAPI(e, err, api) // DynamoDB's answer has a code, so its text does not count
		return
	}
	if t.classifyAnswer(e, err) {
		return
	}
	t.classifyText(e, err)
}

// classifyLogin recognises a missing profile, log-in, role or Region.
func (t *Target) classifyLogin(e *Error, err error) bool {
	if missing, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		e.Kind, e.Why = Usage, "there is no profile "+missing.Profile+" in the AWS config"
		e.Remedy = remedy.Of(remedy.ListProfiles)
		return true
	}
	text := err.Error()
	_, invalid := errors.AsType[*ssocreds.InvalidTokenError](err)
	switch {
	case invalid,
		strings.Contains(text, "SSO session has expired"),
		strings.Contains(text, "refresh SSO token"),
		strings.Contains(text, "GetRoleCredentials") && strings.Contains(text, "UnauthorizedException"):
		e.Kind, e.Why = Expired, "the SSO session has expired"
		e.Remedy = remedy.Of(remedy.LogInSSO, t.Profile())
		return true
	case strings.Contains(text, "SSO token"):
		e.Kind, e.Why = Expired, "there is no log-in to the SSO session"+t.forProfile()+", or the log-in has expired"
		e.Remedy = remedy.Of(remedy.LogInSSO, t.Profile())
		return true
	case strings.Contains(text, "load login token"), strings.Contains(text, "create oauth2 token"):
		e.Kind, e.Why = Expired, "there is no log-in"+t.forProfile()+", or the log-in has expired"
		e.Remedy = remedy.Of(remedy.LogIn, t.Profile())
		return true
	}
	if role, ok := errors.AsType[config.SharedConfigAssumeRoleError](err); ok {
		e.Kind, e.Why = NoCredentials, "the profile "+role.Profile+", which assumes the role, has no credentials"
		e.Do = "log in to this profile, or correct source_profile in the AWS config"
		return true
	}
	if strings.Contains(text, "invalid input region") {
		e.Kind, e.Why = Usage, "there is no AWS Region "+phrase.Quote(t.region)
		e.Remedy = remedy.Of(remedy.CorrectRegion)
		return true
	}
	if _, ok := errors.AsType[*aws.MissingRegionError](err); ok {
		e.Kind, e.Why = NoRegion, "no AWS Region is configured"
		e.Remedy = remedy.Of(remedy.NameRegion)
		return true
	}
	return false
}

// classifyAnswer recognises answers that do not come from DynamoDB.
func (t *Target) classifyAnswer(e *Error, err error) bool {
	if broken, ok := errors.AsType[*damaged](err); ok {
		if broken.late {
			t.late(e)
			return true
		}
		e.Why = "on every attempt, " + broken.Error()
		e.Do = "check the network, and look for a proxy that changes the answers"
		return true
	}
	if foreign, ok := errors.AsType[*unproven](err); ok {
		e.Kind, e.Why = Unreachable, t.Endpoint()+" answered, but not like DynamoDB ("+foreign.why+")"
		e.Do = "check the endpoint, and look for a proxy or a log-in page in between"
		return true
	}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPStatusCode() != 0 {
		e.Kind = Unreachable
		e.Why = fmt.Sprintf("%s answered with HTTP status %d, but not like DynamoDB", t.Endpoint(),
			response.HTTPStatusCode())
		e.Do = "check the endpoint, and look for a proxy in between"
		return true
	}
	return false
}

// classifyText recognises errors of the SDK that have no type of their own, by their text.
func (t *Target) classifyText(e *Error, err error) {
	text := err.Error()
	switch {
	case strings.Contains(text, "EC2 IMDS"): // the last source of credentials that the SDK tries
		e.Kind, e.Why = NoCredentials, "no AWS credentials were found"+t.forProfile()
		e.Remedy = remedy.Of(remedy.NameProfile)
	case strings.Contains(text, "failed to refresh cached credentials"),
		strings.Contains(text, "failed to retrieve credentials"):
		e.Kind, e.Why = NoCredentials, "the AWS credentials"+t.forProfile()+" could not be obtained ("+reason(err)+")"
		e.Do = "check the profile, and log in again if necessary"
	default:
		t.classifyNetwork(e, err)
	}
}

func (t *Target) classifyAPI(e *Error, err error, api smithy.APIError) {
	switch code := api.ErrorCode(); {
	case code == "ResourceNotFoundException":
		e.Kind, e.Why = NoTable, "there is no such table "+t.place()
		e.Do = "check the table's name, the Region and the endpoint"
	case code == "AccessDeniedException":
		t.deny(e, err, api.ErrorMessage())
	case code == "UnrecognizedClientException",
		code == "InvalidSignatureException",
		code == "MissingAuthenticationToken",
		code == "IncompleteSignature":
		e.Kind, e.Why = NoCredentials, "the endpoint does not accept the credentials ("+code+")"
		e.Do = "check the profile: its keys must be for this account and partition"
	case code == "ExpiredTokenException", code == "ExpiredToken":
		e.Kind, e.Why, e.Remedy = Expired, "the credentials have expired", t.logIn()
	case code == "UnknownOperationException":
		e.Kind, e.Why = Unsupported, "the endpoint does not know the operation "+operation(err)
		e.Do = "use a server that has this operation"
	case code == "InternalServerError", code == "InternalFailure", code == "ServiceUnavailable":
		e.Why, e.Do = "the endpoint failed on every attempt ("+code+")", "try again later"
	case throttled(code):
		e.Kind, e.Why = Throttled, "DynamoDB throttled the request ("+code+")"
		e.Do = slowDown
	case code == "TransactionConflictException":
		e.Kind, e.Why, e.Do = Conflict, "the application kept writing to the same items", "try again"
	}
}

// place returns the place of the tables in words, such as "in eu-west-1".
func (t *Target) place() string {
	switch {
	case t.options.Transport != nil:
		return "in the demo"
	case t.endpoint != "":
		return "at " + t.Endpoint()
	}
	return "in " + t.region
}

const slowDown = "try again later, or ask for less at a time"

func (t *Target) deny(e *Error, err error, message string) {
	e.Kind, e.Permission = Denied, permission(operation(err), message)
	e.Why = "this role lacks the permission " + e.Permission
	if strings.Contains(e.Permission, ",") {
		e.Why = "this role lacks one of the permissions " + e.Permission
	}
	e.Do = "ask your AWS administrator"
	if said := unauthorized.FindStringSubmatch(message); said != nil {
		e.Refusal = Refusal{Caller: said[1], Resource: said[2], Why: said[3]}
	}
}

// unauthorized matches a message of IAM: "User: ARN is not authorized to perform: ACTION on resource: ARN
// because no identity-based policy allows the ACTION action". The resource and the reason may be missing.
var unauthorized = regexp.MustCompile(
	`User: (\S+) is not authorized to perform: \S+(?: on resource: (\S+))?(?: (?:because|with) (.+))?`,
)

// named matches an IAM action of DynamoDB in a message.
var named = regexp.MustCompile(`dynamodb:[A-Z][A-Za-z]+`)

// permission returns the denied IAM action. Only some Regions name the action in the message; otherwise
// it follows from the operation. Transactions have no action of their own: they need the actions of their
// parts (Service Authorization Reference, "Amazon DynamoDB").
func permission(operation, message string) string {
	if action := named.FindString(message); action != "" && !strings.Contains(action, "Transact") {
		return action
	}
	switch operation {
	case "TransactGetItems":
		return "dynamodb:GetItem"
	case "TransactWriteItems":
		return "dynamodb:UpdateItem, DeleteItem, PutItem and ConditionCheckItem"
	}
	return "dynamodb:" + operation
}

func throttled(code string) bool {
	switch code {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "LimitExceededException":
		return true
	}
	return false
}

func operation(err error) string {
	if op, ok := errors.AsType[*smithy.OperationError](err); ok {
		return op.Operation()
	}
	return "the operation"
}

// reason returns the innermost cause of an error. It leaves out the names of the SDK's layers and the
// request id, which help nobody.
func reason(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if api.ErrorMessage() == "" {
			return api.ErrorCode()
		}
		return fmt.Sprintf("%s: %s", api.ErrorCode(), api.ErrorMessage())
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// conditional returns the reasons for a cancelled transaction, one for each action. It returns false if
// err does not mean that the endpoint cancelled a transaction.
func conditional(err error) ([]types.CancellationReason, bool) {
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return cancelled.CancellationReasons, true
	}
	return nil, false
}

// logIn says how to renew credentials that have expired.
func (t *Target) logIn() remedy.Remedy {
	switch t.source {
	case config.CredentialsSourceName:
		return remedy.Of(remedy.Text, "put new credentials into the environment, and start again")
	case logincreds.ProviderName:
		return remedy.Of(remedy.LogIn, t.Profile())
	}
	return remedy.Of(remedy.LogInSSOAgain, t.Profile())
}

func (t *Target) forProfile() string {
	if t.Profile() == "" {
		return ""
	}
	return " for the profile " + t.Profile()
}

// cancelledBy returns the kind of error that cancelled a transaction. Among several kinds, it chooses the
// one that lasts longest. A denied or failed action fails again. Throttling ends later, and a conflict
// ends soon.
func cancelledBy(reasons []types.CancellationReason) Kind {
	kinds := map[Kind]bool{}
	for _, r := range reasons {
		if code := aws.ToString(r.Code); code != "" && code != "None" {
			kinds[slotKind(code)] = true
		}
	}
	for _, kind := range []Kind{Denied, Failed, Throttled, Conflict} {
		if kinds[kind] {
			return kind
		}
	}
	return Failed
}

func slotKind(code string) Kind {
	switch {
	case code == "AccessDenied", code == "AccessDeniedException":
		return Denied
	case throttledSlot(code):
		return Throttled
	case code == "TransactionConflict":
		return Conflict
	}
	return Failed
}

// throttledSlot reports whether the code of an action's reason means throttling.
func throttledSlot(code string) bool {
	return code == "ThrottlingError" || code == "ProvisionedThroughputExceeded" || throttled(code)
}

// classifyCancelled puts the reason of a cancelled transaction into words.
func (t *Target) classifyCancelled(e *Error, err error, reasons []types.CancellationReason) {
	e.Kind = cancelledBy(reasons)
	code, message := "", ""
	for _, r := range reasons {
		if said := aws.ToString(r.Code); said != "" && said != "None" && slotKind(said) == e.Kind {
			code, message = said, aws.ToString(r.Message)
			break
		}
	}
	switch {
	case e.Kind == Denied:
		t.deny(e, err, message)
	case e.Kind == Throttled:
		e.Why, e.Do = "DynamoDB throttled the request ("+code+")", slowDown
	case e.Kind == Conflict:
		e.Why, e.Do = "the application kept writing to the same items", "try again"
	case code == "ValidationError":
		e.Why = "DynamoDB calls the request invalid"
		if message != "" {
			e.Why += ": " + message
		}
	}
}

// classifyNetwork recognises a request that did not reach the endpoint, or that got no answer.
func (t *Target) classifyNetwork(e *Error, err error) {
	var network net.Error
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch text := err.Error(); {
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Kind, e.Why = Unreachable, t.Endpoint()+" does not use HTTPS"
		e.Do = "use http://"
	case untrusted:
		e.Kind, e.Why = Unreachable, "the certificate of "+t.Endpoint()+" is not trusted ("+reason(err)+")"
		e.Do = "if you use a proxy, set AWS_CA_BUNDLE to the file with the proxy's certificates"
	case errors.Is(err, context.DeadlineExceeded):
		t.late(e)
	case errors.As(err, &network),
		strings.Contains(text, "connection refused"),
		strings.Contains(text, "exceeded maximum number of attempts"):
		e.Kind, e.Why = Unreachable, t.Endpoint()+" cannot be reached ("+reason(err)+")"
		e.Do = "check the endpoint, the network and the VPN"
		if t.endpoint == "" && t.options.Transport == nil {
			e.Do = "check the Region, the network and the VPN"
		}
	}
}

// late explains that no whole answer came in time.
func (t *Target) late(e *Error) {
	e.Kind, e.Why = Unreachable, t.Endpoint()+" did not answer in time"
	e.Do = "try again, or check the network"
}

// lasts stops retries that cannot help, so that the person sees the error at once. Retries cannot help after
// a wrong port, after HTTPS to an HTTP server, or after an untrusted certificate.
func lasts(err error) aws.Ternary {
	if unconnected(err) {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// unconnected reports whether err means that no connection was made. Then no request was sent.
func unconnected(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, http.ErrSchemeMismatch)
}

// variableName matches the name of an environment variable of the SDK.
var variableName = regexp.MustCompile(`\bAWS_[A-Z0-9_]+\b`)

// misconfigured explains an SDK error that one wrong setting causes, and names this setting. It returns
// nil for any other error.
func misconfigured(err error) error {
	name, why := "", reason(err)
	for _, said := range variableName.FindAllString(err.Error(), -1) {
		if os.Getenv(said) != "" {
			name = said
		}
	}
	bundle := os.Getenv("AWS_CA_BUNDLE")
	file, missing := errors.AsType[*fs.PathError](err)
	if missing {
		why = file.Path + ": " + file.Err.Error()
	}
	switch {
	case name != "":
	case bundle != "" && (missing && file.Path == bundle || strings.Contains(err.Error(), "custom CA bundle")):
		name = "AWS_CA_BUNDLE"
	case missing:
		name = "a file from the AWS config, such as its ca_bundle,"
	default:
		return nil
	}
	return &Error{
		Kind: Usage,
		Op:   "connecting",
		Why:  name + " cannot be used: " + why,
		Do:   "correct this setting, or unset it",
		Err:  err,
	}
}

// noEndpoint returns the error of an endpoint from the environment or the AWS config that is not a URL. It names
// the wrong setting. The checks of the config and the flags find their own mistakes.
func noEndpoint(endpoint string) error {
	setting := "endpoint_url in the AWS config"
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"} {
		if os.Getenv(name) == endpoint {
			setting = name
		}
	}
	return &Error{
		Kind: Usage,
		Op:   "connecting",
		Why:  fmt.Sprintf("%s cannot be used: %q is not an endpoint", setting, endpoint),
		Do:   giveURL,
	}
}
