-- Ids that no index row could hold, scopes that are to be read again in full, and the lists that hold each webhook.

COMMENT ON COLUMN losses.kind IS 'coerced (read as the type it should have had), missing (null, or an empty list), unreadable (null), unkeyed (left out), duplicate (one is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), invalid_timestamp or out_of_range (null)';

CREATE TABLE scopes_to_reread (
  pid text COLLATE "C" NOT NULL,
  stream text NOT NULL,
  found_at timestamptz NOT NULL,
  PRIMARY KEY (pid, stream)
);
COMMENT ON TABLE scopes_to_reread IS 'Scopes of which a comparison with the service found differences; the next snapshot that reads one completely compares every value of it, repairs what differs, and removes its row here';
COMMENT ON COLUMN scopes_to_reread.pid IS 'project id; '''' for personal webhooks';
COMMENT ON COLUMN scopes_to_reread.stream IS 'stream';
COMMENT ON COLUMN scopes_to_reread.found_at IS 'when the difference was found last';

CREATE TABLE webhook_lists (
  wid text COLLATE "C" NOT NULL,
  pid text COLLATE "C" NOT NULL,
  record jsonb NOT NULL,
  PRIMARY KEY (wid, pid)
);
CREATE INDEX webhook_lists_pid ON webhook_lists (pid);
COMMENT ON TABLE webhook_lists IS 'Which lists of webhooks hold each webhook, as they were last read; webhooks has it once, as the first project that lists it does';
COMMENT ON COLUMN webhook_lists.wid IS 'webhook id';
COMMENT ON COLUMN webhook_lists.pid IS 'project whose list it is; '''' for the personal list';
COMMENT ON COLUMN webhook_lists.record IS 'the columns of webhooks, as that list has them';

INSERT INTO webhook_lists
SELECT wid, coalesce(pid, ''), to_jsonb(w) - '{wid,pid,valid_from,deleted_at}'::text[] FROM webhooks w WHERE deleted_at IS NULL;
