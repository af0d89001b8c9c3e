import { expectedRows, type PlainRow } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth, Sandbox } from '@collab-etl/sandbox'
import { STORED } from './access.ts'
import { byKey, type Rows } from './judge.ts'
import { plain, type Row } from './rows.ts'
import type { Allowed, Seen } from './truth.ts'

/** Webhooks, which several lists may hold. */
export class Webhooks {
  readonly #lists = new Map<string, Rows>()

  get rows(): PlainRow[] {
    const order = ({ row: { extra, pid } }: Row) => `${extra === null ? 0 : 1} ${pid ?? '~'}`
    const listed = [...this.#lists.values()].flatMap((list) => [...list.values()])
    const webhooks = byKey(listed.toSorted((a, b) => (order(a) < order(b) ? 1 : -1)))
    return [...webhooks.values()].map(({ row }) => row)
  }

  /** A webhook is stored as the project that it names lists it, else as the first project that lists it, else as a personal one. */
  note(
    truths: ReadonlyMap<string, ProjectTruth>,
    personal: Sandbox['store']['personalWebhooks'],
    { scopes }: Seen,
    allowed: Allowed,
    isGone: (pid: string) => boolean,
  ): string[] {
    const problems: string[] = []
    for (const pid of ['', ...truths.keys()]) {
      const truth = truths.get(pid)
      if (truth?.listed === null && isGone(pid)) this.#lists.delete(pid)
      const status = scopes.get(`${pid} webhooks`)?.status ?? ''
      // webhooks are few: the guard refuses often, and is not judged here
      if (allowed.fails(pid, 'webhooks') && status !== 'failed')
        problems.push(`${pid} webhooks cannot be read, and is ${status}`)
      if (['failed', 'partial', 'drifted'].includes(status) && !allowed.excuses(pid, 'webhooks'))
        problems.push(`${pid} webhooks: ${status} for no reason`)
      if (!STORED.includes(status)) continue
      const webhooks = expectedRows([], truth?.webhooks ?? personal)['webhooks'] ?? []
      const rows = byKey(
        webhooks.map((row) => {
          const extra = (row['pid'] ?? '') === pid ? null : { pid: row['pid'] }
          return { table: 'webhooks', row: plain({ ...row, pid: pid || null, extra }) }
        }),
      )
      const before = status === 'complete' ? [] : (this.#lists.get(pid) ?? [])
      this.#lists.set(pid, new Map([...before, ...rows]))
    }
    return problems
  }
}
