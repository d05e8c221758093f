package client

import (
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// The limits of retries. A throttled scan slows down. It fails if all attempts fail: after about a minute of errors, or
// after about seven minutes if the endpoint sends no answer at all.
const (
	pageAttempts  = 20
	firstBackoff  = 25 * time.Millisecond
	longestPause  = 5 * time.Second
	damagedPauses = 200 * time.Millisecond // short, since a damaged answer does not mean overload
	// outage is the longest time without new bytes from a bucket. It is long because reading an export
	// may take hours, and would start from the beginning after an error.
	outage        = 15 * time.Minute
	outagePause   = 30 * time.Second
	briskAttempts = 5
	briskBackoff  = 2 * time.Second
	// silentAttempts is the number of unanswered attempts that a person waits for. Each takes answerWithin.
	silentAttempts = 2
)

// brisk returns the retryer for requests that a person waits for.
func brisk() aws.Retryer { return personal(briskAttempts, nil) }

// patient returns the retryer for the requests that open a table for a long job. It works like brisk, but
// retries a throttled request as often as a scan does.
func patient(again func(throttled bool, reasons []string)) aws.Retryer {
	return personal(pageAttempts, again)
}

// personal returns a retryer that gives up soon. If a request is throttled, it makes as many attempts as
// the parameter throttled says.
func personal(throttled int, again func(throttled bool, reasons []string)) aws.Retryer {
	slower := retry.NewExponentialJitterBackoff(briskBackoff)
	waits := 0 // for the only request of a patient retryer: its attempts that were throttled
	return retry.NewStandard(func(o *retry.StandardOptions) {
		if o.MaxAttempts = throttled; throttled > briskAttempts {
			o.RateLimiter = ratelimit.None // the usual budget for retries does not suffice
		}
		o.Retryables = append(
			[]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(lasts), retry.IsErrorRetryableFunc(slowTransaction)},
			o.Retryables...)
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			slow, reasons := throttling(err)
			if again != nil {
				again(slow, reasons)
			}
			if slow && throttled > briskAttempts {
				waits++
				return apart(attempt, longestPause), nil
			}
			attempt -= waits
			late := retry.TimeouterError{}.IsErrorTimeout(err) == aws.TrueTernary
			switch {
			case late && attempt >= silentAttempts, attempt >= briskAttempts:
				return 0, err // no further attempt: the request fails with this error
			case noAnswer(err) && !late:
				return apart(attempt, damagedPauses), nil
			}
			return slower.BackoffDelay(attempt, err)
		})
	})
}

// scanRetryer returns the retryer for a scan. The SDK's own retryer does not suit a scan: it gives up
// after three attempts. Also, all requests of a client share one budget for retries, which a throttled
// parallel scan uses up at once.
func scanRetryer(again func(throttled bool, reasons []string)) aws.Retryer {
	return retryer(pageAttempts, longestPause, throttling, again)
}

func retryer(
	attempts int, longest time.Duration, throttling func(error) (bool, []string),
	again func(throttled bool, reasons []string), besides ...retry.IsErrorRetryable,
) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.RateLimiter = attempts, ratelimit.None
		o.Retryables = slices.Concat([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(slowTransaction)}, besides,
			o.Retryables)
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			slow, reasons := throttling(err)
			if again != nil {
				again(slow, reasons)
			}
			if noAnswer(err) {
				return apart(attempt, damagedPauses), nil
			}
			return apart(attempt, longest), nil
		})
	})
}

// objectRetryer returns the retryer for a bucket that has answered before. The retryer stops if no bytes
// have arrived for the time outage. since is the time of the last bytes. The number of attempts has no
// limit: some attempts fail at once and some take long. The retryer also retries if the bucket's host
// name cannot be resolved.
func objectRetryer(since time.Time, again func(throttled bool, reasons []string)) aws.Retryer {
	slow := func(err error) (bool, []string) { return slowedDown(err), nil }
	standard := retryer(1, outagePause, slow, again, retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		if time.Since(since) >= outage {
			return aws.FalseTernary
		}
		if _, ok := errors.AsType[*net.DNSError](err); ok {
			return aws.TrueTernary
		}
		return aws.UnknownTernary
	}))
	return retry.AddWithMaxAttempts(standard, 0) // no limit
}

// apart returns a random pause before an attempt, so that the workers do not all retry at the same time.
func apart(attempt int, longest time.Duration) time.Duration {
	pause := min(firstBackoff<<min(max(attempt-1, 0), 20), longest)
	return pause/2 + rand.N(pause/2)
}

// slowTransaction retries a transaction that throttling cancelled. The SDK treats every cancellation as
// final.
func slowTransaction(err error) aws.Ternary {
	if reasons, ok := conditional(err); ok && cancelledBy(reasons) == Throttled {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// throttling reports whether err means that a request was throttled. It also returns DynamoDB's reasons.
func throttling(err error) (slow bool, reasons []string) {
	if slots, ok := conditional(err); ok {
		if cancelledBy(slots) != Throttled {
			return false, nil
		}
		for _, slot := range slots {
			if code := aws.ToString(slot.Code); throttledSlot(code) {
				reasons = append(reasons, code)
			}
		}
		return true, reasons
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok || !throttled(api.ErrorCode()) {
		return false, nil
	}
	var given []types.ThrottlingReason
	switch e := api.(type) {
	case *types.ProvisionedThroughputExceededException:
		given = e.ThrottlingReasons
	case *types.ThrottlingException:
		given = e.ThrottlingReasons
	case *types.RequestLimitExceeded:
		given = e.ThrottlingReasons
	}
	for _, r := range given {
		reasons = append(reasons, aws.ToString(r.Reason))
	}
	return true, reasons
}
