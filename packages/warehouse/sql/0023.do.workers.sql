-- A run may be read by several processes.

ALTER TABLE runs ADD COLUMN generation integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN runs.generation IS 'how many processes have coordinated the run, one after another; what an earlier one began is not published any more';

ALTER TABLE run_scopes ADD COLUMN worker text;
COMMENT ON COLUMN run_scopes.worker IS 'worker process that published it last: its number, host and process id; null if the run had no workers';
