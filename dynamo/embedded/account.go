package embedded

import "net/http"

// Some clients ask for these facts before they use a table. The engine has no account limits, no other endpoints and no
// backups. It answers like a new account on AWS.

// describeLimits answers with the default quotas of an account (Developer Guide, "Quotas").
func describeLimits(_ *Engine, _ *struct{}, w *writer) error {
	w.int("AccountMaxReadCapacityUnits", 80_000)
	w.int("AccountMaxWriteCapacityUnits", 80_000)
	w.int("TableMaxReadCapacityUnits", 40_000)
	w.int("TableMaxWriteCapacityUnits", 40_000)
	return nil
}

// describeEndpoints answers with the host that the client used. A client that discovers its endpoint connects to this
// host for its next requests.
func describeEndpoints(_ *Engine, r *http.Request, _ []byte) ([]byte, error) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	w := &writer{}
	w.begin()
	w.key("Endpoints")
	w.list(1, func(int) {
		w.begin()
		w.string("Address", host)
		w.int("CachePeriodInMinutes", 1440)
		w.end()
	})
	w.end()
	return w.buf, nil
}

// describeContinuousBackups answers with the state of a new table: ContinuousBackups is always enabled, and
// point-in-time recovery is off.
func describeContinuousBackups(e *Engine, r *tableRequest, w *writer) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if _, err := e.table(r.TableName); err != nil {
		if asAPIError(err).kind == notFound {
			return refuse("TableNotFoundException", "Table not found: %s", bareName(r.TableName))
		}
		return err
	}
	w.object("ContinuousBackupsDescription")
	w.string("ContinuousBackupsStatus", "ENABLED")
	w.object("PointInTimeRecoveryDescription")
	w.string("PointInTimeRecoveryStatus", "DISABLED")
	w.end()
	w.end()
	return nil
}
