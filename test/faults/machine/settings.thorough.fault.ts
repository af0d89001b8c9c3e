/** @module-tag thorough */

import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROGRAMS, type Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'

fault('the token file is /dev/zero, a directory, 1 GB', async (fixture) => {
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
})

fault('settings out of range; the schema of another warehouse', async (fixture) => {
  const env = { COLLAB_BASE_URL: 'http://127.0.0.1:9', COLLAB_DATA_DIR: join(fixture.path, 'data') }
  const init = (...args: string[]) => fixture.run('collab-extract', ['init', ...args], { env })
  expect((await init()).code).toBe(0)
  const refused = [
    await fixture.run('collab-extract', ['snapshot', '--timeout', '0.0001'], { env }),
    await fixture.run('collab-extract', ['snapshot', '--rate', '0.000000001'], { env }),
  ]
  for (const schema of ['collab_history', 'collab_stage', 'other_stage']) refused.push(await init('--schema', schema))
  for (const ran of refused) fixture.refused(ran)
  expect((await init()).stdout).toMatch(/is already at version \d+/)
  return fixture.refused(refused[0] as Ran) // five were run
})

fault('the working directory was removed before each program starts', async (fixture) => {
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
})
