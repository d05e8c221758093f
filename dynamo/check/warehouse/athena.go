package warehouse

import (
	"compress/gzip"
	"context"
	"io"
	"strings"
	"time"

	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
)

// Athena runs statements on Amazon Athena. It keeps everything of a run in one folder below the output location.
type Athena struct {
	conn   *client.Client
	place  client.AthenaPlace
	folder *client.Folder // the folder of all runs
	bucket string
}

// NewAthena returns the Athena of a connection. output is the output location, s3://BUCKET/PREFIX.
func NewAthena(conn *client.Client, place client.AthenaPlace, output string) (*Athena, error) {
	bucket, prefix, err := client.SplitS3(output)
	if err != nil {
		return nil, err
	}
	folder, err := conn.Folder(bucket, prefix+client.AthenaRuns)
	return &Athena{conn: conn, place: place, folder: folder, bucket: bucket}, err
}

// Dialect implements Engine.
func (a *Athena) Dialect() *sql.Dialect { return sql.Athena }

// Place implements Engine.
func (a *Athena) Place() string { return "Athena" }

// Least implements Engine: Athena bills 10 MB for a smaller statement (Amazon Athena pricing).
func (a *Athena) Least() int64 { return 10 << 20 }

// Folder implements Engine.
func (a *Athena) Folder(run string) string { return a.folder.Address() + run + "/" }

// at returns a client whose results are in the folder of a run.
func (a *Athena) at(run string) *client.Athena {
	return a.conn.Athena(a.place, a.Folder(run))
}

// Exec implements Engine.
func (a *Athena) Exec(ctx context.Context, run, text string, scanned func(int64)) error {
	done, err := a.at(run).Run(ctx, text, scanned)
	return with(done.Outcome, err)
}

// Result implements Engine. It writes the CSV of Athena, or the lines of the files that the statement unloads.
func (a *Athena) Result(
	ctx context.Context, run string, s sql.Statement, to io.Writer, scanned func(int64),
) error {
	done, err := a.at(run).Run(ctx, s.Text, scanned)
	if err != nil {
		return with(done.Outcome, err)
	}
	if s.Place != "" {
		return a.unloaded(ctx, run, s.Place, to)
	}
	key, err := a.key(done)
	if err != nil {
		return err
	}
	from, err := a.folder.Open(ctx, key)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}

// unloaded writes the lines of the compressed files in a folder of a run.
func (a *Athena) unloaded(ctx context.Context, run, place string, to io.Writer) error {
	keys, err := a.folder.Keys(ctx, run)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !strings.HasPrefix("s3://"+a.bucket+"/"+key, place) {
			continue
		}
		if err := a.unpack(ctx, key, to); err != nil {
			return err
		}
	}
	return nil
}

func (a *Athena) unpack(ctx context.Context, key string, to io.Writer) error {
	from, err := a.folder.Open(ctx, key)
	if err != nil {
		return err
	}
	defer from.Close()
	lines, err := gzip.NewReader(from)
	if err == nil {
		_, err = io.Copy(to, lines)
	}
	if err != nil {
		return &client.Error{
			Kind: client.Failed, Op: "reading s3://" + a.bucket + "/" + key, Why: err.Error(),
			Do: "run the check again", Err: err,
		}
	}
	return nil
}

// Tables implements Engine. It runs the first statement of a check, when nothing is scanned yet. So it also makes sure
// that the workgroup puts results into the folder of the run, where this program reads and deletes them.
func (a *Athena) Tables(ctx context.Context, run string) (names []string, err error) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if removed := a.folder.Remove(ctx, run); err == nil {
			err = removed
		}
	}()
	own := a.at(run)
	done, err := own.Run(ctx, "SHOW TABLES 'tallylock_*'", func(int64) {})
	if err == nil {
		_, err = a.key(done)
	}
	if err != nil {
		return nil, err
	}
	rows, err := own.Rows(ctx, done.ID)
	for _, row := range rows {
		if len(row) > 0 {
			names = append(names, row[0])
		}
	}
	return names, err
}

// key returns the key of the result of a statement. It returns an error if the workgroup puts results into another
// folder.
func (a *Athena) key(done client.Execution) (string, error) {
	if key, ok := strings.CutPrefix(done.Output, a.folder.Address()); ok {
		return strings.TrimPrefix(a.folder.Address(), "s3://"+a.bucket+"/") + key, nil
	}
	return "", &client.Error{
		Kind: client.Usage, Why: "the workgroup puts results into " + done.Output + ", and not below " + a.folder.Address(),
		Do: "choose a workgroup that lets its users choose the output location",
	}
}

// Runs implements Engine.
func (a *Athena) Runs(ctx context.Context) ([]string, error) { return a.folder.Names(ctx) }

// Remove implements Engine.
func (a *Athena) Remove(ctx context.Context, run string) error { return a.folder.Remove(ctx, run) }
