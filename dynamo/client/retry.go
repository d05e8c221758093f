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

// How long a request is tried. A throttled scan slows down; it gives up after about
// a minute in which not one attempt got through.
const (
	pageAttempts  = 20
	firstBackoff  = 25 * time.Millisecond
	longestPause  = 5 * time.Second
	damagedPauses = 200 * time.Millisecond // an answer that is none is not the table's fault
	// An export is read for hours, and from the beginning where it ends in between: that
	// nothing of an object comes is waited for that long, however it fails.
	outage        = 15 * time.Minute
	outagePause   = 30 * time.Second
	briskAttempts = 5
	briskBackoff  = 2 * time.Second
	// silentAttempts is from which attempt on a person waits no longer where no answer comes:
	// each silent attempt takes as long as a request may.
	silentAttempts = 2
)

// brisk is the retryer of what a person waits for.
func brisk() aws.Retryer {
	slower := retry.NewExponentialJitterBackoff(briskBackoff)
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = briskAttempts
		o.Retryables = append(
			[]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(lasts), retry.IsErrorRetryableFunc(slowTransaction)},
			o.Retryables...)
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			switch {
			case noAnswer(err):
				return apart(attempt, damagedPauses), nil
			case attempt >= silentAttempts && retry.TimeouterError{}.IsErrorTimeout(err) == aws.TrueTernary:
				return 0, err // which is what the request ends with
			}
			return slower.BackoffDelay(attempt, err)
		})
	})
}

// scanRetryer is the retryer of a scan. The SDK's own gives up after three attempts,
// and all requests of a client share one budget for retries, which a throttled
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

// objectRetryer is the retryer of objects of a bucket that has answered before: a name that
// is not found any more is an outage, too. It goes by the time since when nothing has come:
// an attempt fails at once, or takes long.
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
	return retry.AddWithMaxAttempts(standard, 0) // as many as the time takes
}

// apart is how long to wait before an attempt: not all workers come back at once.
func apart(attempt int, longest time.Duration) time.Duration {
	pause := min(firstBackoff<<min(max(attempt-1, 0), 20), longest)
	return pause/2 + rand.N(pause/2)
}

// slowTransaction has a transaction sent again that was cancelled for want of
// capacity: the SDK takes every cancellation for final.
func slowTransaction(err error) aws.Ternary {
	if reasons, ok := conditional(err); ok && cancelledBy(reasons) == Throttled {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// throttling reports whether a request was turned away for want of capacity, and
// DynamoDB's reasons.
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
