package s3

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Export is the export of a table: its manifests and its files, as DynamoDB writes them.
type Export struct{ Table, TableID string }

// Prefix is what the keys of exports begin with, as their manifests name them.
const Prefix = "prefix/AWSDynamoDB"

// Write writes the export below a directory, a file of each part: items as JSON, one to a
// line. It answers where the manifests are.
func (e Export) Write(dir string, parts ...[][]byte) (root string, err error) {
	id := "0123-" + e.Table
	root = filepath.Join(dir, "AWSDynamoDB", id)
	if err := os.MkdirAll(filepath.Join(root, "data"), 0o700); err != nil {
		return "", err
	}
	files := map[string][]byte{"_started": nil}
	items := 0
	var manifest bytes.Buffer
	lines := json.NewEncoder(&manifest)
	for n, part := range parts {
		packed, err := packed(part)
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("data/part%d.json.gz", n)
		files[name] = packed
		sum := md5.Sum(packed) //nolint:gosec // it is what the manifest has
		if err := lines.Encode(map[string]any{
			"itemCount": len(part), "md5Checksum": base64.StdEncoding.EncodeToString(sum[:]),
			"etag": etag(packed), "dataFileS3Key": Prefix + "/" + id + "/" + name,
		}); err != nil {
			return "", err
		}
		items += len(part)
	}
	files["manifest-files.json"] = manifest.Bytes()
	files["manifest-summary.json"] = fmt.Appendf(
		nil,
		`{"version":"2020-06-30","tableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/%s","tableId":%q,"exportTime":"2026-11-20T03:00:00.123Z","itemCount":%d,"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`,
		e.Table,
		e.TableID,
		items,
	)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), data, 0o600); err != nil {
			return "", err
		}
	}
	return root, nil
}

// Loose writes a table's items below a directory as DynamoDB exports them to S3, without
// manifests: lines of DynamoDB JSON in data/items.json.gz.
func Loose(ctx context.Context, db *dynamodb.Client, dir, table string) error {
	var items [][]byte
	for pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: &table}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			data, err := attributevalue.MarshalMapJSON(item)
			if err != nil {
				return err
			}
			items = append(items, data)
		}
	}
	file, err := packed(items)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "data", "items.json.gz"), file, 0o600)
}

// packed is a file of items.
func packed(items [][]byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if _, err := fmt.Fprintf(z, `{"Item":%s}`+"\n", item); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
