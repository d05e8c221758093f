package embedded

// Time to live is kept as a setting: DynamoDB may take days to delete what
// has expired, so an engine that never does keeps the same promise.

type timeToLiveRequest struct {
	TableName               string
	TimeToLiveSpecification *struct {
		AttributeName string
		Enabled       bool
	}
}

func describeTimeToLive(e *Engine, r *tableRequest, w *writer) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	w.object("TimeToLiveDescription")
	if t.ttl == "" {
		w.string("TimeToLiveStatus", "DISABLED")
	} else {
		w.string("TimeToLiveStatus", "ENABLED")
		w.string("AttributeName", t.ttl)
	}
	w.end()
	return nil
}

func updateTimeToLive(e *Engine, r *timeToLiveRequest, w *writer) error {
	s := r.TimeToLiveSpecification
	if s == nil || s.AttributeName == "" {
		return invalid(
			"1 validation error detected: Value null at 'timeToLiveSpecification' failed to satisfy constraint: Member must not be null",
		)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.table(r.TableName)
	switch {
	case err != nil:
		return err
	case s.Enabled && t.ttl != "":
		return invalid("TimeToLive is already enabled")
	case !s.Enabled && t.ttl == "":
		return invalid("TimeToLive is already disabled")
	case !s.Enabled && t.ttl != s.AttributeName:
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.ttl)
	case s.Enabled:
		t.ttl = s.AttributeName
	default:
		t.ttl = ""
	}
	w.object("TimeToLiveSpecification")
	w.string("AttributeName", s.AttributeName)
	w.bool("Enabled", s.Enabled)
	w.end()
	return nil
}
