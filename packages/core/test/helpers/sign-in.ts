import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox, SandboxOptions } from '@collab-etl/sandbox'
import { onTestFinished } from 'vitest'
import { storeSignIn, TokenFile, type TokenFileOptions, withTokens } from '../../src/auth/index.ts'
import { sandboxed } from './sandbox.ts'

/** An empty directory for one test. */
export async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sign-in-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A token file of the sandbox, whose token lives so many seconds. */
export async function signedIn(
  lifetime = 3600,
  options: Partial<TokenFileOptions> = {},
  extended: SandboxOptions['extended'] = ['oauth'],
) {
  const { sandbox } = await sandboxed({ extended, tokenLifetime: lifetime })
  const path = join(await scratch(), 'collab-token.json')
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = sandbox.grants.issue('app')
  const bare = { accessToken, refreshToken, expiresAt: null, uid: 'u1', clientId: 'app', addresses: {} }
  await storeSignIn(path, withTokens(bare, { accessToken, refreshToken, expiresIn }))
  const open = (more: Partial<TokenFileOptions> = {}) =>
    TokenFile.open(path, { baseUrl: sandbox.baseUrl, ...options, ...more })
  return { sandbox, path, open, accessToken, refreshToken }
}

/** How many requests for new tokens came in. */
export const refreshes = ({ requests }: Sandbox) => requests.filter(({ path }) => path.includes('refresh_token')).length
