package warehouse

import (
	"cmp"
	"context"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/trinodb/trino-go-client/trino"

	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
)

// Trino runs statements on a Trino server, in a schema of a catalog with the Hive connector. Trino removes a table's
// files together with the table.
type Trino struct {
	db    *dbsql.DB
	host  string
	stops stopping
}

// NewTrino returns the Trino at server, an address such as https://USER@HOST:8443. If the address has no user, NewTrino
// takes the name of the system's user. The password comes from the environment variable TRINO_PASSWORD. NewTrino sends
// nothing.
func NewTrino(server, catalog, schema string) (*Trino, error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, &client.Error{
			Kind: client.Usage, Op: "reading the address of Trino", Why: server + " is not an address",
			Do: "write the address as https://USER@HOST:PORT",
		}
	}
	if _, said := at.User.Password(); said {
		return nil, &client.Error{
			Kind: client.Usage, Op: "reading the address of Trino", Why: "a password in the command line is visible to others",
			Do: "set TRINO_PASSWORD in the environment",
		}
	}
	name := at.User.Username()
	if system, err := user.Current(); err == nil {
		name = cmp.Or(name, system.Username)
	}
	at.User = url.User(cmp.Or(name, "tallylock"))
	if password := os.Getenv("TRINO_PASSWORD"); password != "" {
		if at.Scheme == "http" {
			return nil, &client.Error{
				Kind: client.Usage, Op: "reading the address of Trino", Why: "TRINO_PASSWORD is set, but http sends it unencrypted",
				Do: "use an address with https, or unset TRINO_PASSWORD",
			}
		}
		at.User = url.UserPassword(at.User.Username(), password)
	}
	tries := 9 // nine tries take 8 s if nothing listens at the address
	stops := stopping{http.DefaultTransport, at}
	connector, err := trino.NewConnector(&trino.Config{
		HTTPClient: &http.Client{Transport: stops}, RequestRetryMaxAttempts: &tries,
		ServerURI: at.String(), Source: "tallylock", Catalog: catalog, Schema: schema,
		SessionProperties: map[string]string{catalog + ".compression_codec": "ZSTD"},
	})
	if err != nil {
		return nil, &client.Error{Kind: client.Usage, Op: "reading the address of Trino", Why: err.Error(), Do: "correct the address"}
	}
	return &Trino{db: dbsql.OpenDB(connector), host: at.Host, stops: stops}, nil
}

// Close ends the connections.
func (t *Trino) Close() error { return t.db.Close() }

// Dialect implements Engine.
func (t *Trino) Dialect() *sql.Dialect { return sql.Trino }

// Place implements Engine.
func (t *Trino) Place() string { return "Trino at " + t.host }

// Least implements Engine: Trino has no price.
func (t *Trino) Least() int64 { return 0 }

// Folder implements Engine: Trino chooses the folder of a table.
func (t *Trino) Folder(string) string { return "" }

// Runs implements Engine. It returns none: Trino deletes a table's files together with the table.
func (t *Trino) Runs(context.Context) ([]string, error) { return nil, nil }

// Remove implements Engine.
func (t *Trino) Remove(context.Context, string) error { return nil }

// Exec implements Engine.
func (t *Trino) Exec(ctx context.Context, _, text string, scanned func(int64)) error {
	return t.rows(ctx, text, func(string) error { return nil }, scanned)
}

// Result implements Engine. It writes one JSON object a line.
func (t *Trino) Result(
	ctx context.Context, _ string, s sql.Statement, to io.Writer, scanned func(int64),
) error {
	return t.rows(ctx, s.Text, func(cell string) error {
		if !json.Valid([]byte(cell)) {
			return &client.Error{
				Kind: client.Failed, Why: "the answer has a row that is not JSON", Do: "run the check again",
			}
		}
		_, err := io.WriteString(to, cell+"\n")
		return err
	}, scanned)
}

// Tables implements Engine.
func (t *Trino) Tables(ctx context.Context, _ string) (names []string, err error) {
	err = t.rows(ctx, `SHOW TABLES LIKE 'tallylock\_%' ESCAPE '\'`, func(cell string) error {
		names = append(names, cell)
		return nil
	}, func(int64) {})
	return names, err
}

// rows runs a statement, and visits the first cell of each row.
func (t *Trino) rows(ctx context.Context, text string, visit func(cell string) error, scanned func(int64)) error {
	if err := ctx.Err(); err != nil {
		return with(client.ExecutionFailed, t.explain(ctx, err))
	}
	statement, end := t.stoppable(ctx)
	defer end()
	fail := func(err error) error { return with(trinoOutcome(statement, err), t.explain(ctx, err)) }
	rows, err := t.db.QueryContext(statement, text,
		dbsql.Named("X-Trino-Progress-Callback", progress(scanned)),
		dbsql.Named("X-Trino-Progress-Callback-Period", time.Second))
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		var cell any
		if err := rows.Scan(&cell); err != nil {
			return fail(err)
		}
		if text, ok := cell.(string); ok {
			if err := visit(text); err != nil {
				return err
			}
		}
	}
	return fail(rows.Err())
}

// progress reports the bytes that a statement has read from disk.
type progress func(bytes int64)

// Update implements trino.ProgressUpdater.
func (p progress) Update(now trino.QueryProgressInfo) { p(now.QueryStats.PhysicalInputBytes) }

// explain puts an error of Trino into words.
func (t *Trino) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*client.Error](err); ok {
		return known
	}
	e := &client.Error{Kind: client.Failed, Service: "Trino", Why: err.Error(), Err: err}
	failed, _ := errors.AsType[*trino.ErrQueryFailed](err)
	said, answered := errors.AsType[*trino.ErrTrino](err)
	switch {
	case answered:
		e.Why = "Trino says: " + said.Message
		switch said.ErrorName {
		case "USER_CANCELED", "ADMINISTRATIVELY_KILLED", "ABANDONED_QUERY":
			e.Why, e.Do = "somebody stopped the statement in Trino", "run the check again"
		case "SERVER_SHUTTING_DOWN", "REMOTE_TASK_ERROR", "PAGE_TRANSPORT_TIMEOUT", "NO_NODES_AVAILABLE":
			e.Kind, e.Do = client.Unreachable, "wait until Trino runs again, and run the check again"
		case "NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "MISSING_CATALOG_NAME", "MISSING_SCHEMA_NAME":
			e.Kind, e.Do = client.Usage, "check the names of the catalog and the schema"
		case "PERMISSION_DENIED":
			e.Kind, e.Do = client.Denied, "ask for the permission to create, read and drop tables in the schema"
		case "INVALID_TABLE_PROPERTY":
			e.Kind, e.Do = client.Usage, "check the place of the export, and name a catalog with the Hive connector that may read external locations"
		case "INVALID_SESSION_PROPERTY", "NOT_SUPPORTED":
			e.Kind, e.Do = client.Usage, "name a catalog with the Hive connector that may read external locations"
		case "QUERY_HAS_TOO_MANY_STAGES", "COMPILER_ERROR", "QUERY_TEXT_TOO_LARGE", "EXCEEDED_LOCAL_MEMORY_LIMIT":
			e.Do = "check fewer constraints at a time, or use a larger Trino"
		}
	case failed != nil && (failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden):
		e.Kind, e.Why = client.NoCredentials, "Trino does not accept the user or the password"
		e.Do = "check the user in the address, and TRINO_PASSWORD in the environment"
	case failed != nil && failed.StatusCode != 0 && failed.StatusCode != http.StatusOK:
		e.Kind, e.Do = client.Unreachable, "check the address, and whether a proxy is in between"
		e.Why = fmt.Sprintf("Trino answers %d %s", failed.StatusCode, http.StatusText(failed.StatusCode))
		if forgotten(failed) {
			e.Why, e.Do = "Trino was started again, and no longer knows the statement", "run the check again"
		}
	default:
		e.Kind, e.Why = client.Unreachable, "Trino does not answer ("+reason(err)+")"
		e.Do = "check the address, and whether Trino runs; then run the check again"
	}
	return e
}

// forgotten reports whether Trino no longer knows the statement.
func forgotten(failed *trino.ErrQueryFailed) bool {
	return failed.StatusCode == http.StatusGone || strings.Contains(reason(failed.Reason), "Query not found")
}

// reason returns the cause of an error of the network, without the address and the attempts.
func reason(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}
