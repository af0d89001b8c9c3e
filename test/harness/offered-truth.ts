import type { Sandbox } from '@collab-etl/sandbox'
import { expectedRows, type PlainTables } from './expected-rows.ts'

/** The rows of a whole snapshot of a sandbox that offers all operations beyond the documented ones. */
export function offeredRows({ store, pids }: Sandbox): PlainTables {
  const ofTeams = store.projects.filter(({ team_id }) => team_id !== '-1')
  const members = ofTeams.flatMap(({ reference }) => store.truth(reference.pid).members)
  return expectedRows(
    pids.map((pid) => store.truth(pid)),
    store.personalWebhooks,
    { teams: store.teams, members },
  )
}
