import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { startReceiver } from '@collab-etl/harness/receiver'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readNights } from '../src/run/record.ts'

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

  test('blames neither the warehouse, which the first snapshot makes, nor another directory', async () => {
    await using place = await refusing({ report: 'report' })
    const ran = await place.night()
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^[^\n]*token file[^\n]*\n$/) })
    const [night] = await readNights(join(place.path, 'b'))
    expect(night).toMatchObject({ exit_code: 2, base_url: 'http://127.0.0.1:1' })
    expect(night?.steps.at(-1)).toMatchObject({ name: 'report', status: 'ok', reason: null })
  })

  test('in the settings of the warehouse is the reason why the report lacks them', async () => {
    await using place = await refusing({ report: 'report' })
    await place.night({ DATABASE_URL: 'mysql://secret@host/db' })
    const [night] = await readNights(join(place.path, 'b'))
    const { reason } = night?.steps.at(-1) ?? {}
    expect(reason).toMatch(/^the warehouse could not be read: DATABASE_URL /)
    expect(reason).not.toContain('secret')
    expect(night?.steps[0]).toMatchObject({
      name: 'snapshot',
      exit_code: 2,
      reason: expect.stringContaining('DATABASE_URL'),
    })
  })
})
