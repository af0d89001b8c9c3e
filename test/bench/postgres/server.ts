import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@collab-etl/harness/free-port'
import { binariesFolder, giveToServer, runProgram } from './programs.ts'

export interface BenchServer extends AsyncDisposable {
  readonly url: string
  /** Description of the server, for the results. */
  readonly kind: 'made for the benches, default settings' | 'given by DATABASE_URL' | 'none'
}

/** For benches without a server. */
export const noServer: BenchServer = { url: '', kind: 'none', async [Symbol.asyncDispose]() {} }

/** The server of `TEST_DATABASE_URL` or `DATABASE_URL`, otherwise a temporary one. */
export async function benchServer(): Promise<BenchServer> {
  const given = process.env['TEST_DATABASE_URL'] || process.env['DATABASE_URL']
  if (given) return { url: given, kind: 'given by DATABASE_URL', async [Symbol.asyncDispose]() {} }
  const programs = await binariesFolder()
  const folder = await mkdtemp(join(tmpdir(), 'collab-bench-postgres-'))
  const data = join(folder, 'data')
  try {
    await giveToServer(folder)
    await runProgram(programs, 'initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C'])
    const port = await freePort()
    const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`
    await runProgram(programs, 'pg_ctl', ['-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', options, 'start'])
    return {
      url: `postgres://bench@127.0.0.1:${port}/postgres`,
      kind: 'made for the benches, default settings',
      async [Symbol.asyncDispose]() {
        await runProgram(programs, 'pg_ctl', ['-D', data, '-w', '-s', '-m', 'immediate', 'stop'])
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** A free port. */
