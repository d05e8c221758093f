package embedded

import (
	"maps"
	"strings"
)

// The error texts are DynamoDB's, as the project ack-api-quirks measured them on AWS.

// tags are the tags of a table, by their keys.
type tags map[string]string

type tag struct {
	Key   string
	Value *string
}

const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
)

// add puts tags into the set, or changes their values. If one of them is invalid, the set stays as it is.
func (t *tags) add(more []tag) error {
	all := maps.Clone(*t)
	seen := map[string]bool{}
	for _, one := range more {
		value := "null"
		if one.Value != nil {
			value = *one.Value
		}
		switch {
		case one.Key == "" || len(one.Key) > maxTagKey:
			return invalid("The Tag Key provided is invalid, Key: %s", one.Key)
		case strings.HasPrefix(one.Key, "aws:"):
			return invalid("Tag Key cannot be prefixed with aws:, Key: %s", one.Key)
		case one.Value == nil || len(value) > maxTagValue:
			return invalid("The Tag Value provided is invalid, Value: %s", value)
		case seen[one.Key]:
			return invalid("Duplicate Tag Keys provided as input: Duplicate Tag Key found %s", one.Key)
		}
		if all == nil {
			all = tags{}
		}
		seen[one.Key], all[one.Key] = true, value
	}
	if len(all) > maxTags {
		return invalid("Number of Tags exceed the current limit for the provided ResourceArn")
	}
	*t = all
	return nil
}

// taggingRequest has the parameters of TagResource, UntagResource and ListTagsOfResource.
type taggingRequest struct {
	ResourceArn string
	Tags        []tag
	TagKeys     []string
}

// resource returns the table with the request's ARN. The caller holds the lock.
func (e *Engine) resource(r *taggingRequest) (*table, error) {
	if !strings.HasPrefix(r.ResourceArn, "arn:") {
		return nil, invalid("Invalid TableArn: %s", r.ResourceArn)
	}
	return e.table(r.ResourceArn)
}

func tagResource(e *Engine, r *taggingRequest, _ *writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.resource(r)
	if err == nil && len(r.Tags) == 0 {
		err = invalid("Atleast one Tag needs to be provided as Input.")
	}
	if err != nil {
		return err
	}
	return t.tags.add(r.Tags)
}

// untagResource removes tags. A key without a tag is no error.
func untagResource(e *Engine, r *taggingRequest, _ *writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.resource(r)
	if err == nil && len(r.TagKeys) == 0 {
		err = invalid("Atleast one Tag Key needs to be provided as Input.")
	}
	if err != nil {
		return err
	}
	for _, key := range r.TagKeys {
		delete(t.tags, key)
	}
	return nil
}

func listTagsOfResource(e *Engine, r *taggingRequest, w *writer) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.resource(r)
	if err != nil {
		return err
	}
	keys := sortedKeys(t.tags)
	w.key("Tags")
	w.list(len(keys), func(i int) {
		w.begin()
		w.string("Key", keys[i])
		w.string("Value", t.tags[keys[i]])
		w.end()
	})
	return nil
}
