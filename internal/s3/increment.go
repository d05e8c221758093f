package s3

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
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
	data := filepath.Join(dir, "AWSDynamoDB", "data")
	for _, folder := range []string{root, data} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", err
		}
	}
	changes := 0
	var manifest bytes.Buffer
	lines := json.NewEncoder(&manifest)
	for n, part := range parts {
		file, err := packedLines(part)
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("%s-%d.json.gz", id, n)
		sum := md5.Sum(file) //nolint:gosec // the manifest has it
		if err := lines.Encode(map[string]any{
			"itemCount": len(part), "md5Checksum": base64.StdEncoding.EncodeToString(sum[:]),
			"etag": etag(file), "dataFileS3Key": Prefix + "/data/" + name,
		}); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(data, name), file, 0o600); err != nil {
			return "", err
		}
		changes += len(part)
	}
	summary, err := json.Marshal(map[string]any{
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
	if err != nil {
		return "", err
	}
	files := map[string][]byte{
		"_started": nil, "manifest-files.json": manifest.Bytes(), "manifest-summary.json": summary,
	}
	withMD5(files)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o600); err != nil {
			return "", err
		}
	}
	return root, nil
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
