import type { ProjectToRead } from '@collab-etl/core'

/** The listed projects that were asked for (`null`: all), and those asked for that are not listed. */
export function chosenProjects(listed: readonly ProjectToRead[], asked: ReadonlySet<string> | null): ProjectToRead[] {
  if (asked === null) return [...listed]
  const pids = new Set(listed.map(({ pid }) => pid))
  const unlisted = [...asked].filter((pid) => !pids.has(pid)).map((pid) => ({ pid, listed: null }))
  return [...listed.filter(({ pid }) => asked.has(pid)), ...unlisted]
}
