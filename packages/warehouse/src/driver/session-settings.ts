/**
 * Settings of a session that could change what is stored or read, or end a run, and what this tool depends on. A server, a
 * database or a role may have other defaults (`ALTER ROLE … SET`). `pg_dump` does the same.
 *
 * Left as they are: where data is kept and who works (`default_tablespace`, `temp_tablespaces`, `role`), what only costs
 * time or memory, and what is written to the server's log.
 */
export const FIXED_SETTINGS: Readonly<Record<string, string>> = {
  // how values are written and read as text
  TimeZone: 'UTC',
  timezone_abbreviations: 'Default',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  xmlbinary: 'base64',
  xmloption: 'content',
  // the meaning of statements
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  escape_string_warning: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  check_function_bodies: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // which rows there are: refuse rather than hide them
  row_security: 'off',
  gin_fuzzy_search_limit: '0',
  synchronize_seqscans: 'off',
  restrict_nonsystem_relation_kind: '',
  session_replication_role: 'origin',
  ignore_checksum_failure: 'off',
  zero_damaged_pages: 'off',
  // how tables are made
  default_table_access_method: 'heap',
  // plans: without a method, some joins take hours
  constraint_exclusion: 'partition',
  plan_cache_mode: 'auto',
  // statements that forbid nested loops look expensive: compiling them takes seconds each, even on empty tables
  jit: 'off',
  force_parallel_mode: 'off',
  debug_parallel_query: 'off',
  // Citus: a transaction's settings hold on the servers that its statements are sent to
  'citus.propagate_set_commands': 'local',
  // notices besides results
  client_min_messages: 'warning',
  exit_on_error: 'off',
}

/** Limits that the connection's own address may set (`?options=-c statement_timeout=…`); those of others do not hold. */
export const FIXED_UNLESS_ASKED: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
  // if a host vanishes, its sessions end within a minute, and with them the lock of its run; the system's default is two hours
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '5',
  tcp_user_timeout: '50s',
}

/** A session of the lock is idle until the run ends. */
const NEVER_ENDED: Readonly<Record<string, string>> = { idle_session_timeout: '0' }

/**
 * Statements that set a session up. Settings that the server does not know, or that the user may not change, are passed over.
 * Names of the system come first in the search path: others may have the same names in `public`.
 */
export const SESSION_SETUP = [
  "SELECT pg_catalog.set_config('search_path', pg_catalog.concat('pg_catalog, ', pg_catalog.current_setting('search_path')), false)",
  settingAll({ ...FIXED_SETTINGS, ...NEVER_ENDED }, 'true'),
  settingAll(FIXED_UNLESS_ASKED, "s.source <> 'client'"),
  // each method of the planner as it is by default
  `SELECT set_config(s.name, s.boot_val, false) FROM pg_settings s
   WHERE starts_with(s.name, 'enable_') AND s.context = 'user' AND s.setting <> s.boot_val`,
  // rows that were reported as stored survive a crash of the server; stricter settings stay
  "SELECT set_config('synchronous_commit', 'local', false) WHERE current_setting('synchronous_commit') = 'off'",
].join(';\n')

function settingAll(settings: Readonly<Record<string, string>>, condition: string): string {
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
  return `SELECT set_config(s.name, v.value, false) FROM (VALUES ${values.join(', ')}) AS v (name, value)
   JOIN pg_settings s ON s.name = v.name
   WHERE (s.context = 'user' OR s.context = 'superuser' AND current_setting('is_superuser') = 'on') AND ${condition}`
}
