import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import type { Bench } from '../bench.ts'
import { initialise, snapshot } from '../measured/snapshot.ts'
import { SCHEMAS } from '../postgres/database.ts'
import { TOKEN } from '../source/world.ts'

const PROJECTS = 10

/** Requests, not time: the same in every run and on every machine, so that one run is enough. */
export const offeredRequests: Bench = {
  figures: [
    {
      name: 'offered-requests',
      what: 'requests of a snapshot, nothing changed, where all operations are offered, against the documented ones and one for each list',
      unit: '×',
      limit: { atMost: 1 },
    },
  ],
  onPostgres: false,
  async *measure({ scratch, say }) {
    await using cleanUp = new AsyncDisposableStack()
    const sandbox = await startSandbox({ projects: PROJECTS, token: TOKEN, extended: true })
    cleanUp.defer(() => sandbox.close())
    const { baseUrl } = sandbox
    const warehouse = { dataDir: `${scratch}/offered-requests`, schema: SCHEMAS.tool }
    await initialise(warehouse)
    /** The requests of a snapshot, as the service counts them. */
    const requestsOf = async (extended: boolean) => {
      say(`snapshot of ${PROJECTS} projects, ${extended ? 'all operations' : 'the documented operations'} offered`)
      sandbox.setExtended(extended)
      sandbox.clearRequests()
      // one after the other: what is found out about paging in the first project saves requests in the next one
      await snapshot({ baseUrl, warehouse, concurrency: 1 })
      return sandbox.requests.length
    }
    // the first one finds all posts and files, which each later one reads
    await requestsOf(true)
    const documented = await requestsOf(false)
    const all = await requestsOf(true)
    const lists = listsOf(sandbox)
    yield { figure: 'offered-requests', value: all / (documented + lists), parts: { all, documented, lists } }
  },
}

/**
 * What only operations beyond the documented ones list: of each project its members, task groups, posts, and the files at the top and in
 * each folder; of each team the team, its members and its projects. Trying out whether they are offered costs the same where they are not.
 */
function listsOf({ store, pids }: Sandbox): number {
  const folders = pids.flatMap((pid) => store.truth(pid).files).filter(({ file }) => file.type === 1).length
  return 4 * pids.length + folders + 3 * store.teams.length
}
