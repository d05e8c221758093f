package sdk

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Export writes a table's items below a directory as DynamoDB exports them to S3, without
// manifests: lines of DynamoDB JSON in data/items.json.gz.
func Export(ctx context.Context, db *dynamodb.Client, dir, table string) error {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "data", "items.json.gz"))
	if err != nil {
		return err
	}
	defer f.Close()
	packed, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	lines := bufio.NewWriter(packed)
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
			if _, err := fmt.Fprintf(lines, `{"Item":%s}`+"\n", data); err != nil {
				return err
			}
		}
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return f.Close()
}
