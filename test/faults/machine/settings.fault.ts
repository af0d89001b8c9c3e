import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROGRAMS, type Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'

fault(
  {
    category: 'machine',
    name: 'endless token file',
    does: '`--token-file` names /dev/zero, a directory, a file of 1 GB, another device',
    holds: 'each is rejected at once, in one line',
  },
  async (fixture) => {
    await mkdir(join(fixture.path, 'folder'))
    await writeFile(join(fixture.path, 'large'), '')
    await truncate(join(fixture.path, 'large'), 2 ** 30)
    const env = { COLLAB_TOKEN: '', COLLAB_BASE_URL: 'http://127.0.0.1:9' }
    const refused: Ran[] = []
    for (const path of ['/dev/zero', 'folder', 'large', '/dev/urandom']) {
      refused.push(await fixture.run('collab-extract', ['snapshot', '--token-file', path], { env }))
    }
    await rm(join(fixture.path, 'large'))
    for (const ran of refused) {
      fixture.refused(ran)
      expect(ran.stderr).toMatch(/the token file .* cannot be read/)
    }
    return fixture.refused(refused[0] as Ran) // all were run
  },
)

fault(
  {
    category: 'machine',
    name: 'settings out of range',
    does: 'a timeout of 0.1 ms, a rate of one request in 30 years, the history or staging schema of another warehouse',
    holds: 'each is rejected in one line; the other warehouse is unchanged',
  },
  async (fixture) => {
    const env = { COLLAB_BASE_URL: 'http://127.0.0.1:9', COLLAB_DATA_DIR: join(fixture.path, 'data') }
    const init = (...args: string[]) => fixture.run('collab-extract', ['init', ...args], { env })
    expect((await init()).code).toBe(0)
    const refused = [
      await fixture.run('collab-extract', ['snapshot', '--timeout', '0.0001'], { env }),
      await fixture.run('collab-extract', ['snapshot', '--rate', '0.000000001'], { env }),
    ]
    for (const schema of ['collab_history', 'collab_stage', 'other_stage']) refused.push(await init('--schema', schema))
    for (const ran of refused) fixture.refused(ran)
    expect((await init()).stdout).toMatch(/is at version \d+ already/)
    return fixture.refused(refused[0] as Ran) // five were run
  },
)

fault(
  {
    category: 'machine',
    name: 'working directory removed',
    does: 'the working directory is removed before each program starts in it',
    holds: 'each is rejected in one line that says so, without a stack trace',
  },
  async (fixture) => {
    const through = ['bash', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'bash']
    const refused: Ran[] = []
    for (const program of PROGRAMS) {
      const ran = await fixture.run(program, ['--help'], { through })
      // the shell may add a line
      expect(ran.stderr).toContain(`${program}: the working directory was removed`)
      refused.push(ran)
    }
    const endings = refused.map((ran) => fixture.named(ran, 2))
    return endings[0] as (typeof endings)[number] // all were run
  },
)
