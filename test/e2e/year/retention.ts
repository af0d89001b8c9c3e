/** A backup, as far as it decides what is kept. */
export interface Kept {
  /** `20270101T003000Z` */
  readonly name: string
  /** The scopes that it lacks: it does not displace a backup that has them. */
  readonly lacks: ReadonlySet<string>
}

/** What `keep:` says in the collab.yaml of the year, and the period of a backup for each rule. */
export const KEEP = { daily: 7, weekly: 5, monthly: 6 } as const
const PERIODS: Readonly<Record<keyof typeof KEEP, (name: string) => unknown>> = {
  daily: (name) => name.slice(0, 8),
  // 4 January 1970 was a Sunday
  weekly: (name) => Math.floor((Date.parse(name.replace(/^(....)(..)(..).*$/, '$1-$2-$3')) / 86_400_000 + 3) / 7),
  monthly: (name) => name.slice(0, 6),
}

/** The names that `prune` must keep, by the documentation alone: of each period the newest backup, and the oldest while there are fewer periods. */
export function keptOf(backups: readonly Kept[]): string[] {
  const newestFirst = backups.toSorted((a, b) => (a.name < b.name ? 1 : -1))
  return newestFirst
    .filter((backup) => {
      const among = newestFirst.filter(({ lacks }) => [...lacks].every((scope) => backup.lacks.has(scope)))
      return among[0] === backup || Object.entries(KEEP).some(([rule, count]) => keeps(rule, count, backup, among))
    })
    .map(({ name }) => name)
    .toReversed()
}

function keeps(rule: string, count: number, backup: Kept, among: readonly Kept[]): boolean {
  const newest = new Map<unknown, Kept>()
  for (const other of among.toReversed()) newest.set(PERIODS[rule as keyof typeof KEEP](other.name), other)
  const kept = [...newest.values()].slice(-count)
  return kept.includes(backup) || (newest.size < count && backup === among.at(-1))
}
