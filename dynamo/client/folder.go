package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// A Folder reads, lists and deletes the objects below one prefix of a bucket. Its requests cannot concern other
// objects: the SDK's middleware stack refuses them before they are sent.
type Folder struct {
	bucket *Bucket
	prefix string // ends with a slash
}

// Folder returns the folder at prefix in a bucket. prefix ends with a slash and is not empty.
func (c *Client) Folder(bucket, prefix string) (*Folder, error) {
	if strings.Trim(prefix, "/") == "" || !strings.HasSuffix(prefix, "/") {
		return nil, fmt.Errorf("%q is no folder of a bucket", prefix)
	}
	return &Folder{bucket: c.Bucket(bucket), prefix: prefix}, nil
}

// Address returns the folder as s3://BUCKET/PREFIX/.
func (f *Folder) Address() string { return "s3://" + f.bucket.name + "/" + f.prefix }

// Open returns a reader of an object in the folder. key is the object's whole key.
func (f *Folder) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	if !strings.HasPrefix(key, f.prefix) {
		return nil, f.outside("GetObject", key)
	}
	return f.bucket.Open(ctx, key)
}

// Names returns the names of the folders directly below this folder.
func (f *Folder) Names(ctx context.Context) (names []string, err error) {
	err = f.list(ctx, f.prefix, "/", func(page *s3.ListObjectsV2Output) error {
		for _, one := range page.CommonPrefixes {
			names = append(names, strings.Trim(strings.TrimPrefix(aws.ToString(one.Prefix), f.prefix), "/"))
		}
		return nil
	})
	return names, err
}

// Keys returns the keys of all objects in the folder called name below this folder, in the order of S3.
func (f *Folder) Keys(ctx context.Context, name string) (keys []string, err error) {
	err = f.list(ctx, f.prefix+name+"/", "", func(page *s3.ListObjectsV2Output) error {
		for _, one := range page.Contents {
			keys = append(keys, aws.ToString(one.Key))
		}
		return nil
	})
	return keys, err
}

// Remove deletes all objects in the folder called name below this folder.
func (f *Folder) Remove(ctx context.Context, name string) error {
	if name == "" || strings.Contains(name, "/") {
		return f.outside("DeleteObjects", name)
	}
	return f.list(ctx, f.prefix+name+"/", "", func(page *s3.ListObjectsV2Output) error {
		var all []types.ObjectIdentifier
		for _, one := range page.Contents {
			all = append(all, types.ObjectIdentifier{Key: one.Key})
		}
		if len(all) == 0 {
			return nil
		}
		in := &s3.DeleteObjectsInput{Bucket: &f.bucket.name, Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)}}
		out, err := f.bucket.sdk.DeleteObjects(ctx, in, f.options)
		if err != nil {
			return f.explain("deleting objects in ", f.prefix+name+"/", "s3:DeleteObject", err)
		}
		for _, failed := range out.Errors {
			return &Error{
				Kind: Failed, Op: "deleting s3://" + f.bucket.name + "/" + aws.ToString(failed.Key),
				Why: aws.ToString(failed.Code) + ": " + aws.ToString(failed.Message), Do: "delete the object by hand",
			}
		}
		return nil
	})
}

// list lists the objects below a prefix, page by page. visit may delete the listed objects: each page continues after
// the last key of the previous page, so the list misses no object.
func (f *Folder) list(ctx context.Context, prefix, delimiter string, visit func(*s3.ListObjectsV2Output) error) error {
	in := &s3.ListObjectsV2Input{Bucket: &f.bucket.name, Prefix: &prefix}
	if delimiter != "" {
		in.Delimiter = &delimiter
	}
	for {
		page, err := f.bucket.sdk.ListObjectsV2(ctx, in, f.options)
		if region := bucketRegion(err); region != "" {
			f.bucket.region.Store(&region)
			page, err = f.bucket.sdk.ListObjectsV2(ctx, in, f.options)
		}
		if err != nil {
			return f.explain("listing ", prefix, "s3:ListBucket", err)
		}
		if err := visit(page); err != nil {
			return err
		}
		if !aws.ToBool(page.IsTruncated) {
			return nil
		}
		in.ContinuationToken = page.NextContinuationToken
	}
}

// options guards a request, and sends it to the bucket's Region.
func (f *Folder) options(o *s3.Options) {
	if region := f.bucket.region.Load(); region != nil {
		o.Region = *region
	}
	o.APIOptions = append(o.APIOptions, refusing(f.guard))
}

// guard refuses every operation except lists and deletions below the folder.
func (f *Folder) guard(operation string, request any) error {
	if key, ok := f.within(request); !ok {
		return f.outside(operation, key)
	}
	return nil
}

// within reports whether all objects of a request are below the folder. If not, key is a key outside the folder, if the
// request has one.
func (f *Folder) within(request any) (key string, ok bool) {
	switch in := request.(type) {
	case *s3.ListObjectsV2Input:
		key = aws.ToString(in.Prefix)
		return key, aws.ToString(in.Bucket) == f.bucket.name && strings.HasPrefix(key, f.prefix)
	case *s3.DeleteObjectsInput:
		for _, one := range in.Delete.Objects {
			if key = aws.ToString(one.Key); !strings.HasPrefix(key, f.prefix) {
				return key, false
			}
		}
		return "", aws.ToString(in.Bucket) == f.bucket.name
	}
	return "", false
}

func (f *Folder) outside(operation, key string) error {
	return &Error{
		Kind: ReadOnly, Op: "sending " + operation + " for " + key,
		Why: "tallylock sends it only for objects below " + f.Address(),
	}
}

func (f *Folder) explain(op, prefix, permission string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	err = f.bucket.explain(prefix, err)
	if e, ok := errors.AsType[*Error](err); ok {
		e.Op = op + "s3://" + f.bucket.name + "/" + prefix
		if e.Kind == Denied && e.Permission == "s3:GetObject" {
			e.Permission, e.Why, e.Do = permission, "this role may not do it", "ask for the permission "+permission
		}
	}
	return err
}
