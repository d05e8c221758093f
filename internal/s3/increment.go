package s3

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// Increment is an incremental export of a table: its manifests and its files, as DynamoDB writes them.
type Increment struct {
	Table, TableID string
	From, To       time.Time
	// View is NEW_AND_OLD_IMAGES or NEW_IMAGE. The lines have to fit the view.
	View string
}

// Write writes the export below a directory. Each part becomes a file in the data folder that all incremental
// exports below the directory share. Each line of a part is one change; see Change. It returns the directory of
// the manifests.
func (e Increment) Write(dir string, parts ...[][]byte) (root string, err error) {
	id := fmt.Sprintf("0%d-%s", e.From.UnixMilli(), e.Table)
	root = filepath.Join(dir, "AWSDynamoDB", id)
	key := func(n int) string { return fmt.Sprintf("%s/data/%s-%d.json.gz", Prefix, id, n) }
	summary := func(changes int) ([]byte, error) {
		return json.Marshal(map[string]any{
			"version":   "2023-08-01",
			"exportArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/" + e.Table + "/export/" + id,
			"startTime": e.To, "endTime": e.To.Add(20 * time.Minute),
			"tableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/" + e.Table, "tableId": e.TableID,
			"exportFromTime": e.From, "exportToTime": e.To,
			"s3Bucket": Name, "s3Prefix": "prefix", "s3SseAlgorithm": "AES256", "s3SseKmsKeyId": nil,
			"manifestFilesS3Key": Prefix + "/" + id + "/manifest-files.json",
			"billedSizeBytes":    0, "itemCount": changes, "outputFormat": "DYNAMODB_JSON",
			"outputView": e.View, "exportType": "INCREMENTAL_EXPORT",
		})
	}
	return root, write(root, filepath.Join(dir, "AWSDynamoDB", "data"), key, parts, summary)
}

// Change returns a line of an incremental export. keys, before and after are items as DynamoDB JSON. before and
// after may be empty: then the item did not exist before the window, or not after it.
func Change(at time.Time, keys, before, after []byte) []byte {
	line := fmt.Appendf(nil, `{"Metadata":{"WriteTimestampMicros":{"N":"%d"}},"Keys":%s`, at.UnixMicro(), keys)
	if len(after) > 0 {
		line = fmt.Appendf(line, `,"NewImage":%s`, after)
	}
	if len(before) > 0 {
		line = fmt.Appendf(line, `,"OldImage":%s`, before)
	}
	return append(line, '}')
}
