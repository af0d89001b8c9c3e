-- What each run was asked to read.

ALTER TABLE runs ADD COLUMN options jsonb, ADD COLUMN covers_all boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN runs.options IS 'options that decide what is read and stored: projects (null: all), streams and others, by which a later run knows what it may keep when it resumes this one; null when they are not known, as for runs before version 8';
COMMENT ON COLUMN runs.covers_all IS 'whether all projects and all streams were asked for; status says whether they could be read';

-- Personal webhooks were read only by runs that asked for all projects.
UPDATE runs SET covers_all = true
WHERE EXISTS (SELECT FROM run_scopes s WHERE s.run_id = runs.run_id AND s.pid = '' AND s.stream = 'webhooks')
  AND (SELECT count(DISTINCT s.stream) FROM run_scopes s WHERE s.run_id = runs.run_id AND s.pid <> '') = 8;
