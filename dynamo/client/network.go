package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// classifyNetwork goes by what kept a request from the endpoint, or its answer from us.
func (c *Client) classifyNetwork(e *Error, err error) {
	var network net.Error
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch text := err.Error(); {
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Kind, e.Why = Unreachable, c.Endpoint()+" does not use HTTPS"
		e.Do = "use http://"
	case untrusted:
		e.Kind, e.Why = Unreachable, "the certificate of "+c.Endpoint()+" is not trusted ("+reason(err)+")"
		e.Do = "if a proxy of yours is in between, name the file with its certificates in AWS_CA_BUNDLE"
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Why = Unreachable, c.Endpoint()+" did not answer in time"
		e.Do = "try again, or check the network"
	case errors.As(err, &network),
		strings.Contains(text, "connection refused"),
		strings.Contains(text, "exceeded maximum number of attempts"):
		e.Kind, e.Why = Unreachable, c.Endpoint()+" cannot be reached ("+reason(err)+")"
		e.Do = "check the endpoint, the network and the VPN"
		if c.endpoint == "" && c.options.Transport == nil {
			e.Do = "check the Region, the network and the VPN"
		}
	}
}

// lasts keeps what will be so in a second, too, from being tried again: the person should
// hear at once of a wrong port, of HTTPS where HTTP is spoken, and of a foreign certificate.
func lasts(err error) aws.Ternary {
	if unconnected(err) {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// unconnected reports whether no connection came about, so that no request was sent over it.
func unconnected(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, http.ErrSchemeMismatch)
}
