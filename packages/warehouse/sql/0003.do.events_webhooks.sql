-- Resource tables, continued.

CREATE TABLE events (
  pid text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz,
  name text,
  summary text,
  location text,
  email text,
  description text,
  recurrence smallint,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, event_id, starts_at)
);
COMMENT ON TABLE events IS 'Calendar events; a recurring one has a row for each start the service lists';
COMMENT ON COLUMN events.pid IS 'project id';
COMMENT ON COLUMN events.event_id IS 'event id';
COMMENT ON COLUMN events.starts_at IS 'start time';
COMMENT ON COLUMN events.ends_at IS 'end time';
COMMENT ON COLUMN events.name IS 'event content';
COMMENT ON COLUMN events.summary IS 'event description';
COMMENT ON COLUMN events.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN events.email IS 'e-mail of the user; null when the service leaves it out';
COMMENT ON COLUMN events.description IS 'description of the user; null when the service leaves it out';
COMMENT ON COLUMN events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';
COMMENT ON COLUMN events.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN events.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN events.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE event_attendees (
  pid text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, event_id, uid)
);
COMMENT ON TABLE event_attendees IS 'Participants of events';
COMMENT ON COLUMN event_attendees.pid IS 'project id';
COMMENT ON COLUMN event_attendees.event_id IS 'event id';
COMMENT ON COLUMN event_attendees.uid IS 'user id';
COMMENT ON COLUMN event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN event_attendees.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN event_attendees.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE webhooks (
  wid text COLLATE "C" NOT NULL,
  pid text COLLATE "C",
  uid text COLLATE "C",
  name text,
  url text,
  actions text[],
  is_every boolean,
  type smallint,
  created_at timestamptz,
  updated_at timestamptz,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (wid)
);
CREATE INDEX webhooks_pid ON webhooks (pid);
COMMENT ON TABLE webhooks IS 'Webhooks of projects and personal ones';
COMMENT ON COLUMN webhooks.wid IS 'webhook id';
COMMENT ON COLUMN webhooks.pid IS 'project id; null for a personal webhook';
COMMENT ON COLUMN webhooks.uid IS 'id of the user who set the webhook';
COMMENT ON COLUMN webhooks.name IS 'webhook name';
COMMENT ON COLUMN webhooks.url IS 'target URL';
COMMENT ON COLUMN webhooks.actions IS 'event kinds of a project webhook';
COMMENT ON COLUMN webhooks.is_every IS 'whether it is sent every event';
COMMENT ON COLUMN webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';
COMMENT ON COLUMN webhooks.created_at IS 'creation time';
COMMENT ON COLUMN webhooks.updated_at IS 'update time';
COMMENT ON COLUMN webhooks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN webhooks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN webhooks.deleted_at IS 'start of the run that found it gone; null while it exists';
