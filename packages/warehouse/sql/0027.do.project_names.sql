-- The views that came before the models name their project too. The name comes from a join around each view, not inside of it: a query
-- that does not ask for the name does not pay for it, as the planner drops a left join on a primary key whose columns are not used.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['project_first_seen', 'task_completions', 'task_status_daily', 'task_cycle_times', 'project_activity',
    'event_calendar', 'changes']
  LOOP
    EXECUTE format('CREATE OR REPLACE VIEW %1$I AS SELECT known.*, project.name AS project_name FROM (%2$s) AS known LEFT JOIN projects AS project ON project.pid = known.pid',
      name, rtrim(pg_get_viewdef(name::regclass), ';'));
    EXECUTE format('COMMENT ON COLUMN %I.project_name IS %L', name,
      CASE name WHEN 'changes' THEN 'present name of the project; null if the record belongs to none' ELSE 'project name' END);
  END LOOP;

  -- It also holds a table that outlives a run.
  IF to_regnamespace(current_schema() || '_stage') IS NOT NULL THEN
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', current_schema() || '_stage',
      'what a run has read but not published, empty between runs; and the table received: which bytes of the service became which row');
  END IF;
END
$$;
