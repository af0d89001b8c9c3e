import type { CommandSummary } from '@collab-etl/cli'

const COMPARE = {
  command: 'compare',
  describe:
    'reads the service again and compares it with the warehouse, row by row; the next snapshot repairs what differs',
}

/** What the help of the program says about its commands: here, so that the help loads none of them. */
export const SUMMARIES = {
  snapshot: {
    command: 'snapshot',
    describe: 'reads every project into the warehouse',
  },
  worker: {
    command: 'worker',
    describe: 'reads projects for snapshot --workers, together with other workers of the warehouse',
  },
  workers: {
    command: 'workers',
    describe: 'lists the workers of a warehouse, and the projects that they are reading',
  },
  compare: COMPARE,
  // the old name, which existing scripts use
  verify: { ...COMPARE, command: 'verify', isHidden: true },
  login: {
    command: 'login',
    describe: 'signs in through the browser and stores a token that is refreshed before it expires',
  },
  projects: {
    command: 'projects',
    describe: 'lists projects with their ids, and with --groups their task groups',
  },
  check: {
    command: 'check',
    describe: 'tests token, service, database and schema version, and says how to fix what fails',
  },
  runs: {
    command: 'runs [run]',
    describe: 'lists the runs; with RUN, its scopes, unread items and conversion issues',
  },
  accept: {
    command: 'accept [run]',
    describe:
      'accepts a known failure until a date: the run counts as succeeded, and names it; without --scope, lists what is accepted',
  },
  load: {
    command: 'load <from>',
    describe: 'makes a warehouse from a backup or archive, or with its history from a directory of backups',
  },
  init: {
    command: 'init',
    describe: 'creates or migrates the schema, without reading the service',
  },
  move: {
    command: 'move',
    describe:
      'moves the whole warehouse, history and run log included, to a Postgres database, and compares every table',
  },
  query: {
    command: 'query [sql]',
    describe: 'runs a read-only query on the warehouse',
  },
  changes: {
    command: 'changes',
    describe: 'shows what runs added, changed and deleted: one line per record and run',
  },
  docs: {
    command: 'docs',
    describe: 'writes the data dictionary and entity-relationship diagrams, from the comments in the database',
  },
  dbt: {
    command: 'dbt',
    describe: 'writes a dbt package for the warehouse: a source with freshness, staging models, tests, documentation',
  },
  export: {
    command: 'export',
    describe: 'writes the tables of the warehouse as Parquet, CSV or JSON lines, all from one state',
  },
} as const satisfies Readonly<Record<string, CommandSummary>>
