import { given, givenAs } from './columns.ts'
import { projects } from './projects.ts'
import type { Column, ColumnType, Index } from './table.ts'

export interface LogColumn extends Column {
  readonly notNull: boolean
  /** Its default, in SQL. */
  readonly standard?: string
  /** The values that it may have. */
  readonly oneOf?: readonly string[]
}

/** A table of the run log: about runs, and about ids and lists that they know. It has no history. */
export interface LogTable {
  readonly name: string
  readonly comment: string
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[]
  readonly columns: readonly LogColumn[]
  readonly indexes?: readonly Index[]
}

const id = (name: string, comment: string): LogColumn => ({ ...given(name, comment), notNull: true })

const as =
  (type: ColumnType) =>
  (name: string, comment: string, standard?: string): LogColumn => ({
    ...givenAs(name, type, comment),
    notNull: true,
    ...(standard === undefined ? {} : { standard }),
  })

const text = as('text')
const time = as('timestamptz')
const count = as('bigint')
const integer = as('integer')
const flag = as('boolean')
const json = as('jsonb')

const nullable = (column: LogColumn): LogColumn => ({ ...column, notNull: false })

/** The table of ids of posts or of files that are known. */
function knownIds(kind: 'post' | 'file', key: string, source: string): LogTable {
  return {
    name: `known_${kind}s`,
    comment: `Ids of ${kind}s that are known, to be read by snapshots; the service does not list ${kind}s`,
    key: ['pid', key],
    columns: [
      id('pid', 'project id'),
      id(key, `${kind} id`),
      text('source', source),
      time('first_seen_at', 'when it was first found'),
      integer(
        'missed',
        'consecutive requests answered with not found, or failed if only texts name the id; 0 after a successful request, or if it was never requested',
        '0',
      ),
      nullable(
        time(
          'ask_again_at',
          'runs before this time do not request it, unless a record names it; null while missed is 0',
        ),
      ),
      flag('unread', 'whether the last request failed without showing whether it exists', 'false'),
      nullable(
        time(
          'read_at',
          `start of the last run that read and stored the ${kind} with all its comments; null if the last reading failed, or there was none`,
        ),
      ),
    ],
  }
}

/** Columns of a project that its list shows each user otherwise. */
export const COLUMNS_OF_USER = ['curr_role', 'permission', 'is_starred', 'position'] as const

export const LOG_TABLES: readonly LogTable[] = [
  {
    name: 'runs',
    comment: 'Runs of the snapshot',
    key: ['run_id'],
    columns: [
      id('run_id', 'run id; sorts by time'),
      time('started_at', 'when it began; everything it changed carries this time'),
      nullable(time('finished_at', 'when it ended; null while running, and when its process died')),
      {
        ...text(
          'status',
          'running, succeeded, partial (some scopes are not complete, and not accepted), failed or interrupted',
        ),
        oneOf: ['running', 'succeeded', 'partial', 'failed', 'interrupted'],
      },
      text('base_url', 'address of the service'),
      text('tool_version', 'version of the tool'),
      count('requests', 'requests made, retries included', '0'),
      count('retries', 'requests that were made again', '0'),
      count('bytes', 'bytes of bodies received', '0'),
      nullable(text('error', 'why it did not succeed')),
      nullable(
        json(
          'options',
          'options that decide what is read and stored: projects (null: all), streams and others, by which a later run knows what it may keep when it resumes this one; null when they are not known',
        ),
      ),
      flag(
        'covers_all',
        'whether all projects and all streams were asked for; status says whether they could be read',
        'false',
      ),
      integer(
        'generation',
        'how many processes have coordinated the run, one after another; what an earlier one began is not published any more',
        '1',
      ),
      nullable(
        json(
          'capabilities',
          'which observed operations the service offers, by operation, as far as this run tried them; null if it tried none',
        ),
      ),
      nullable(
        json(
          'accounts',
          'the accounts that took part, in order: account, uid and name of its user, projects (how many it listed), read (how many of these it read), error (why it failed), offered (its capabilities); null if the run did not note them',
        ),
      ),
    ],
  },
  {
    name: 'run_scopes',
    comment: 'What each run read: one stream of one project a row',
    key: ['run_id', 'pid', 'stream'],
    columns: [
      id('run_id', 'run id'),
      id('pid', "project id; '' for what belongs to no project (the project list, personal webhooks)"),
      text(
        'stream',
        'projects, members, entries, tasks, archived_tasks, task_comments, pages, posts, events, files, webhooks or teams',
      ),
      {
        ...text(
          'status',
          'complete, partial (items listed in unread_items were not read), drifted (records kept moving, or the list may be capped), refused (too many rows would have been marked deleted), carried (not read in this run by the refresh policy or the request budget: the last complete reading counts), skipped or failed; complete ones alone mark rows deleted',
        ),
        oneOf: ['complete', 'partial', 'drifted', 'refused', 'carried', 'skipped', 'failed'],
      },
      integer('pages', 'pages or windows read'),
      count('requests', 'requests made, retries included'),
      count('bytes', 'bytes of bodies received'),
      count('rows_read', 'rows that its records became, over all tables but users'),
      count('rows_inserted', 'rows that were new'),
      count('rows_updated', 'rows that had changed or came back'),
      count('rows_deleted', 'rows marked deleted'),
      time('started_at', 'when reading it began: its first request'),
      time('finished_at', 'when reading it ended: its last answer'),
      nullable(text('error_code', 'error code of the service, or a word in capitals; null when complete')),
      nullable(text('error', 'why it is not complete')),
      nullable(count('records_read', 'records that the service sent')),
      nullable(
        text(
          'content_hash',
          'sum, modulo 2^256, of the SHA-256 of each record as rows, in hexadecimal: the same records in any order give the same; null when nothing was read',
        ),
      ),
      count(
        'carried',
        'posts or files that were not read in this run by the refresh policy or the request budget; 1 for a carried list',
        '0',
      ),
      nullable(time('carried_since', 'time of the oldest of their last readings; null if none was carried')),
      nullable(
        text('warning_code', 'a word in capitals: what nothing proves of a complete scope; null if there is nothing'),
      ),
      nullable(text('warning', 'the same in words')),
      count('waiting', 'rows that wait in unconfirmed_rows: they stay live although the list lacks them', '0'),
      nullable(
        text(
          'worker',
          'worker process that published it last: its number, host and process id; null if the run had no workers',
        ),
      ),
      nullable(
        json(
          'accepted',
          'the accepted failures (scope, until, reason) that are all that is missing from the scope; null if there are none, or more is missing',
        ),
      ),
      nullable(
        text(
          'account',
          'account that read the project; null for the account without a name, and if the run did not note it',
        ),
      ),
    ],
  },
  {
    name: 'accounts',
    comment: 'Accounts whose tokens read the service; the only one, if it has no name, is default',
    key: ['account'],
    columns: [
      id('account', 'its name in the settings'),
      nullable(id('uid', "user id of the token's owner; null if the service does not say whose token it is")),
      nullable(text('name', 'name of that user')),
      time('first_seen_at', 'start of the first run in which it was seen'),
      time('last_seen_at', 'start of the last run in which it was seen'),
    ],
  },
  {
    name: 'project_accounts',
    comment:
      'Projects as each account lists them; projects has what the account that read it is shown. A row stays when the account no longer lists the project',
    key: ['pid', 'account'],
    columns: [
      id('pid', 'project id'),
      id('account', 'account that listed it, or read it'),
      ...projects.columns
        .filter(({ name }) => COLUMNS_OF_USER.some((column) => column === name))
        .map(({ name, type, comment }) => nullable(as(type)(name, comment))),
      time('last_seen_at', 'start of the last run in which it did'),
    ],
  },
  {
    name: 'losses',
    comment: 'Values that could not be taken exactly as they were sent',
    key: ['run_id', 'seq'],
    columns: [
      id('run_id', 'run id'),
      count('seq', 'number within the run'),
      nullable(id('pid', 'project id; null for what belongs to no project')),
      text('stream', 'stream that was read'),
      text(
        'record_key',
        "the record's key, its parts joined by a space; * means all records of the scope, and original is then their number",
      ),
      text('field', 'path inside the record; empty for the record itself'),
      text(
        'kind',
        'coerced (read as the type it should have had; a time in another form), rounded (a number with more digits than the column holds), left_out (not in the record: the stored value is kept, else null or an empty list), missing (sent as null: null, or an empty list), null_list (null in place of a list of records or comments: an empty list that deletes nothing), unreadable (null), unkeyed (an element without a readable key: not stored), duplicate (one is kept), repeated_field (a field that one object has twice: the last value is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), cut (a list with fewer elements than the record states: stored ones are kept), unlisted (a page whose parent is not in the list of pages), invalid_timestamp or out_of_range (null)',
      ),
      nullable(text('original', 'what was sent, as JSON text; null where nothing was')),
    ],
  },
  {
    name: 'unread_items',
    comment: 'Items of a scope that a run could not read while it stored the others; rows stored before are kept',
    key: ['run_id', 'pid', 'stream', 'item_id'],
    columns: [
      id('run_id', 'run id'),
      id('pid', "project id; '' for what belongs to no project"),
      text('stream', 'stream that was read'),
      id('item_id', 'post or file id; followed by /comments if the item was read but its comments were not'),
      text(
        'source',
        'where the id comes from: flag, file, page, task, event, comment, post, folder, known (an earlier run) or stored',
      ),
      text('error_code', 'error code of the service, or a word in capitals'),
      text('error', 'why it could not be read'),
      time('first_failed_at', 'start of the first of the consecutive runs that could not read it'),
      flag(
        'from_text',
        'whether only texts name the id, which was never read: it may not be an item, and leaves its scope complete',
        'false',
      ),
    ],
  },
  {
    name: 'accepted_failures',
    comment: 'Known failures that collab-extract accept accepted: until then they leave a run whole',
    key: ['pid', 'stream', 'item_id'],
    columns: [
      id('pid', "project id; '' for what belongs to no project"),
      text('stream', 'stream'),
      id('item_id', "the only item that may fail, as in unread_items; '' for all of the scope"),
      time('until', 'when the acceptance ends'),
      text('reason', 'why it was accepted'),
      text('accepted_by', 'user and host of the process that accepted it'),
      time('accepted_at', 'when it was accepted'),
    ],
  },
  knownIds(
    'post',
    'post_id',
    'where it was first found: flag, file, page, task, event, comment, post, folder or backup',
  ),
  knownIds(
    'file',
    'fid',
    'where it was first found: in a text of a page, task, event or post, or of a comment (comment_text), or in a field of a comment (comment), of a task (attachment) or of another file (folder); backup: in a backup that was loaded',
  ),
  {
    name: 'list_readings',
    comment: 'When each list was last read completely',
    key: ['pid', 'stream'],
    columns: [
      id('pid', "project id; '' for what belongs to no project"),
      text(
        'stream',
        'projects, members, entries, tasks, archived_tasks, task_comments, pages, events, webhooks or teams',
      ),
      time('read_at', 'start of the last run that read and stored the complete list'),
    ],
  },
  {
    name: 'task_comment_readings',
    comment:
      'When the comments of each task were last read, and what the task showed then: they are read again when it shows something else',
    key: ['pid', 'tid'],
    columns: [
      id('pid', 'project id'),
      id('tid', 'task id'),
      nullable(integer('comment_count', 'number of comments that the task showed; null if it showed none')),
      nullable(time('updated_at', 'update time that the task showed')),
      time('read_at', 'start of the run that read its comments'),
    ],
  },
  {
    name: 'event_readings',
    comment: 'When the service was last asked for each event outside the range that is read, one by one',
    key: ['pid', 'event_id'],
    columns: [id('pid', 'project id'), id('event_id', 'event id'), time('read_at', 'start of the run that read it')],
  },
  {
    name: 'scopes_to_reread',
    comment:
      'Scopes of which a comparison with the service found differences; the next snapshot that reads one completely compares every value of it, repairs what differs, and removes its row here',
    key: ['pid', 'stream'],
    columns: [
      id('pid', "project id; '' for personal webhooks"),
      text('stream', 'stream'),
      time('found_at', 'when the difference was found last'),
    ],
  },
  {
    name: 'unconfirmed_rows',
    comment:
      'Rows that a list lacks which may be cut: they stay live until a list of another length lacks them too, or snapshot --allow-shrink accepts that they are gone',
    key: ['pid', 'stream', 'record_key'],
    columns: [
      id('pid', "project id; '' for personal webhooks"),
      id('stream', 'stream whose list lacks the row; posts and files for their comments'),
      id('record_key', "the row's key, its parts joined by a space; also a page that another page names as its parent"),
      text('since_run', 'id of the first of the consecutive runs whose list lacked it'),
      time('since', 'start of that run'),
    ],
  },
  {
    name: 'webhook_lists',
    comment:
      'Which lists of webhooks hold each webhook, as they were last read; webhooks has it once, as the first project that lists it does',
    key: ['wid', 'pid'],
    columns: [
      id('wid', 'webhook id'),
      id('pid', "project whose list it is; '' for the personal list"),
      json('record', 'the columns of webhooks, as that list has them'),
    ],
    indexes: [{ name: 'webhook_lists_pid', columns: ['pid'] }],
  },
  {
    name: 'user_places',
    comment: 'A place that showed the stored version of each user when it was last read; without a row, none is known',
    key: ['uid'],
    columns: [
      id('uid', 'user id'),
      id('pid', 'project id'),
      text(
        'place',
        'table whose records showed the user: projects, project_members, tasks, task_comments, pages, posts, files, events or teams',
      ),
    ],
  },
  {
    name: 'schema_version',
    comment: 'Versions of the schema that the warehouse has had; the highest one is its version',
    key: ['version'],
    columns: [
      integer('version', 'number of the version'),
      time('applied_at', 'when the schema was made or upgraded'),
      nullable(text('unfinished', 'load or move that has not filled the warehouse to the end; null if it is whole')),
      nullable(text('moved_to', 'database that the warehouse was moved to, and when; null if it was not moved')),
    ],
  },
]
