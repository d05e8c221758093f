package app

import (
	"context"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/scan"
	"tallylock/ui/cli/exit"
)

// OpenExport is OpenExports for a full export. It returns an error if one of the exports is incremental.
func (s *Run) OpenExport(
	ctx context.Context, at string, connect func() (*dynamo.Connection, error),
) (*scan.Export, error) {
	full, increments, err := s.OpenExports(ctx, at, connect)
	if len(increments) > 0 { // even if err says that their manifests are damaged
		err = increments[0].NotFullError()
	}
	return full, err
}

// OpenExports opens the full and the incremental exports at a place: in a directory, or at an address in S3. It calls
// connect only for S3, and reads only the manifests.
func (s *Run) OpenExports(
	ctx context.Context, at string, connect func() (*dynamo.Connection, error),
) (full *scan.Export, increments []*scan.Increment, err error) {
	bucket, folder, remote, err := ExportAddress(at)
	if err != nil {
		return nil, nil, err
	}
	if !remote {
		return scan.OpenExports(at)
	}
	conn, err := connect()
	if err != nil {
		return nil, nil, err
	}
	defer s.ShowWait(Files(at), "reading its manifests")()
	return scan.OpenExportsIn(ctx, conn.Bucket(bucket), bucket, folder)
}

// ExportAddress splits an S3 address into bucket and folder. remote is false for any other place.
func ExportAddress(at string) (bucket, folder string, remote bool, err error) {
	address, remote := strings.CutPrefix(at, "s3://")
	if !remote {
		return "", "", false, nil
	}
	bucket, folder, _ = strings.Cut(address, "/")
	folder = strings.TrimRight(strings.TrimSuffix(folder, "/manifest-summary.json"), "/")
	if bucket == "" || folder == "" {
		return "", "", true, exit.Usage("reading the export in "+at, "the address does not name a folder of a bucket",
			"name the folder of one export, as s3://BUCKET/PREFIX/AWSDynamoDB/ID")
	}
	return bucket, folder, true, nil
}
