/** What makes one version of the schema of the version before it. */
export interface Upgrade {
  /** Tables that are new: resource tables with all that belongs to them, or tables of the run log. */
  readonly creates?: readonly string[]
  /**
   * Columns that tables get, by table. The table, its history, its as-of function and its views get them, as the tables as data say; no
   * SQL names them again. One that a later version removes leaves this list, and that version drops it if it exists.
   */
  readonly adds?: Readonly<Record<string, readonly string[]>>
  /**
   * Other `ALTER TABLE` actions, by table; those of a resource table are applied to its history, too: `{ tasks: ['DROP COLUMN IF EXISTS note'] }`.
   * Views are dropped before, and made again with their grants.
   */
  readonly alters?: Readonly<Record<string, readonly string[]>>
  /** Other statements, for the schema `collab`. */
  readonly statements?: readonly string[]
}

/**
 * Versions 2, 3, … of the schema, in their order. Version 1 is the first release. What was released is not changed. A version that only
 * changes views or functions is `{}`.
 */
export const UPGRADES: readonly Upgrade[] = [
  // 2: what the service offers beyond its page, and accepted failures
  {
    creates: [
      'project_members',
      'teams',
      'task_comments',
      'task_comment_readings',
      'event_readings',
      'accepted_failures',
    ],
    adds: {
      projects: ['only_in_team'],
      users: ['email'],
      entries: ['position', 'created_at', 'updated_at'],
      runs: ['capabilities'],
      run_scopes: ['accepted'],
      unread_items: ['from_text'],
    },
  },
  // 3: a warehouse that is not whole, or was moved
  { adds: { schema_version: ['unfinished', 'moved_to'] } },
  // 4: several accounts; what there was is of the one without a name
  {
    creates: ['accounts', 'project_accounts'],
    adds: { runs: ['accounts'], run_scopes: ['account'] },
    statements: [
      // as JSON: a schema of version 1 has no such columns
      `UPDATE collab.runs r SET accounts = jsonb_build_array(jsonb_build_object('account', 'default', 'uid', to_jsonb(r) -> 'account_uid',
         'name', to_jsonb(r) -> 'account_name', 'projects', NULL, 'read', NULL, 'error', NULL, 'offered', capabilities))
       WHERE to_jsonb(r) ->> 'account_uid' IS NOT NULL`,
      `INSERT INTO collab.accounts (account, uid, name, first_seen_at, last_seen_at)
       SELECT 'default', accounts #>> '{0,uid}', accounts #>> '{0,name}', min(started_at) OVER (), max(started_at) OVER ()
       FROM collab.runs ORDER BY accounts IS NULL, started_at DESC LIMIT 1`,
      `INSERT INTO collab.project_accounts (pid, account, curr_role, permission, is_starred, position, last_seen_at)
       SELECT pid, account, curr_role, permission, is_starred, position, last_seen_at FROM collab.projects, collab.accounts
       WHERE deleted_at IS NULL AND unlisted_since IS NULL AND only_in_team IS NULL`,
      'ALTER TABLE collab.runs DROP COLUMN IF EXISTS account_uid, DROP COLUMN IF EXISTS account_name',
    ],
  },
]
