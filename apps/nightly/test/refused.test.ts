import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { startReceiver } from '@collab-etl/harness/receiver'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'

/** A directory whose collab.yaml names a token file that does not exist: no night begins there. */
async function refusing(nightly: object) {
  const scratch = await scratchDirectory()
  const file = { base_url: 'http://127.0.0.1:1', token_file: 'gone', nightly: { out: 'b', ...nightly } }
  await writeFile(join(scratch.path, 'collab.yaml'), stringify(file))
  return {
    path: scratch.path,
    night: (env: Record<string, string> = {}) => run('collab-nightly', ['--quiet'], { cwd: scratch.path, env }),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  }
}

describe('a night that a wrong setting stops', () => {
  test('is reported once, by the next night if the receiver could not be reached', async () => {
    await using watcher = await startReceiver((n) => (n === 1 ? 400 : 200))
    const notify = ['/changes', '/other'].map((path) => ({ url: watcher.url + path, when: 'change' }))
    await using place = await refusing({ notify })
    for (let nights = 1; nights <= 3; nights++) expect((await place.night()).code).toBe(2)
    const [lost, ...later] = watcher.received.map(({ path }) => path)
    expect(later.toSorted()).toEqual(['/changes', '/other'])
    expect(later[1]).toBe(lost)
  })
})
