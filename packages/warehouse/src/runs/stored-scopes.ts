import type { SchemaNames } from '../names.ts'

/** Scopes whose records were stored. */
export const IS_STORED = `s.status IN ('complete', 'partial', 'drifted', 'refused')`

/** Conditions: a run over every project of the service's list; a run that was not interrupted. */
export const ALL_PROJECTS = `(r.covers_all OR r.options -> 'projects' = 'null'::jsonb)`
export const FINISHED = `r.status IN ('succeeded', 'partial')`

/** Scopes of all runs that began by $1; `began` is the start of their run. */
export const scopesUntil = (schema: SchemaNames) => `
  SELECT s.run_id, s.pid, s.stream, s.status, s.error_code, s.error, s.accepted, s.finished_at, s.carried_since, r.started_at AS began,
    ${ALL_PROJECTS} AS of_all, ${ALL_PROJECTS} AND ${FINISHED} AS of_whole
  FROM ${schema.main}.run_scopes s JOIN ${schema.main}.runs r USING (run_id)
  WHERE r.started_at <= $1::timestamptz`

/** The newest row of each scope among those that a condition holds for. */
export const newest = (columns: string, condition: string) => `
  SELECT DISTINCT ON (s.pid, s.stream) s.pid, s.stream, ${columns}
  FROM scopes s WHERE ${condition} ORDER BY s.pid, s.stream, s.began DESC, s.run_id`

/** Of each scope, the reading that its rows at a time ($1) are from, as `stored`. */
export const storedScopes = (schema: SchemaNames) =>
  `scopes AS (${scopesUntil(schema)}), stored AS (${newest('s.run_id', IS_STORED)})`
