import type { BackupManifest, BackupProject } from '@collab-etl/backups'
import { DEFAULT_ACCOUNT } from '@collab-etl/contract'
import { COLUMNS_OF_USER, type ProjectAccount, type Run, type Warehouse } from '@collab-etl/warehouse'

/**
 * Notes in the run of a backup who read it. Of the accounts that saw a project, a backup names the one that read it.
 * @param projects those that were in the list
 */
export async function noteAccounts(
  run: Run,
  warehouse: Warehouse,
  { account: owner, accounts, projects }: Pick<BackupManifest, 'account' | 'accounts' | 'projects'>,
): Promise<void> {
  const { uid = null, name = null } = owner ?? {}
  const took = accounts ?? [{ account: DEFAULT_ACCOUNT, uid, name, projects: projects.length }]
  await run.noteAccounts(took.map((account) => ({ ...account, read: null, error: null, offered: null })))
  const readerOf = ({ account }: BackupProject) => (accounts === undefined ? DEFAULT_ACCOUNT : account)
  const readers = new Map(projects.map((project) => [project.pid, readerOf(project)]))
  const rows: ProjectAccount[] = []
  for await (const { pid, ...row } of warehouse.rows.of('projects', { columns: ['pid', ...COLUMNS_OF_USER] })) {
    const account = readers.get(String(pid))
    if (account === undefined) continue
    rows.push({ ...(row as Omit<ProjectAccount, 'pid' | 'account'>), pid: String(pid), account })
  }
  await run.noteProjectAccounts(rows)
  if (accounts !== undefined) await run.noteReaders(new Map(rows.map(({ pid, account }) => [pid, account])))
}
