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
      runs: ['capabilities', 'account_uid', 'account_name'],
      run_scopes: ['accepted'],
      unread_items: ['from_text'],
    },
  },
  // 3: a warehouse that is not whole, or was moved
  { adds: { schema_version: ['unfinished', 'moved_to'] } },
]
