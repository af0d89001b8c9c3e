import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import {
  authorizationUrl,
  exchangeCode,
  listenForCode,
  newState,
  oauthAddresses,
  storeSignIn,
  TokenCommand,
  withTokens,
} from '../src/auth/index.ts'
import { isSignInError } from '../src/index.ts'
import { sandboxed } from './helpers/sandbox.ts'
import { clientOf, collect, rejection } from './helpers/server.ts'
import { refreshes, scratch, signedIn } from './helpers/sign-in.ts'

test('a client renews a refused token once for all parallel calls, and sends them again', async () => {
  const { sandbox, path, open, refreshToken } = await signedIn()
  const events: unknown[] = []
  const client = clientOf(sandbox.baseUrl, { token: await open(), onEvent: (event) => events.push(event) })
  sandbox.grants.revokeAccess()
  const [pid = ''] = sandbox.pids
  await Promise.all([
    client.projects.list(),
    client.webhooks.list(),
    client.posts.create({ pid, name: 'n', content: 'c' }),
  ])
  expect(refreshes(sandbox)).toBe(1)
  const stored = JSON.parse(await readFile(path, 'utf8'))
  expect(sandbox.grants.accepts(stored.access_token)).toBe(true)
  expect(stored).toMatchObject({ uid: 'u1', client_id: 'app' })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  for (const secret of [refreshToken, stored.refresh_token]) expect(inspect(events, { depth: 9 })).not.toContain(secret)
})

test('a second refusal in a row ends the client', async () => {
  const { sandbox, open } = await signedIn()
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.grants.revokeAccess()
  sandbox.faults.add({ kind: 'http', status: 401, operation: 'projects.list', times: 5 })
  const error = await rejection(client.projects.list())
  expect(error).toMatchObject({ status: 401 })
  expect(await rejection(client.webhooks.list())).toBe(error)
})

test('a token that is about to expire is refreshed, by one of several processes', async () => {
  const { sandbox, path, open, accessToken } = await signedIn()
  const stored = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...stored, expires_at: new Date(Date.now() + 20) }))
  const files = await Promise.all([open(), open(), open()])
  await expect.poll(() => files[0]?.current()).not.toBe(accessToken)
  const [first, ...others] = await Promise.all(files.map((file) => file.current()))
  for (const other of others) expect(other).toBe(first)
  expect(refreshes(sandbox)).toBe(1)
})

test('where a header is dropped, the refresh token travels in the query', async () => {
  const { sandbox, open, accessToken } = await signedIn()
  sandbox.setQuirks(['drop-token-header'])
  expect(await (await open()).renew(accessToken)).not.toBe(accessToken)
  expect(refreshes(sandbox)).toBe(2)
})

test('a refused refresh token ends with the command that helps, without any token', async () => {
  const { sandbox, path, open, accessToken, refreshToken } = await signedIn()
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.grants.revokeAll()
  const error = await rejection(client.projects.list())
  expect(isSignInError(error, 'refused')).toBe(true)
  expect(String(error)).toContain(
    `100009, HTTP 400). Sign in again: collab-extract login --client-id app --out ${path}`,
  )
  for (const secret of [accessToken, refreshToken]) expect(inspect(error, { depth: 9 })).not.toContain(secret)
})

test('a token that is still valid is used although it cannot be refreshed, with a warning', async () => {
  const warnings: string[] = []
  const { sandbox, path, open, accessToken } = await signedIn(3600, { onWarning: (text) => warnings.push(text) })
  const stored = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...stored, refresh_token: 'lost', expires_at: new Date(Date.now() + 5000) }))
  const file = await open()
  await expect.poll(() => (warnings.length > 0 ? 'warned' : file.current()), { timeout: 5500 }).toBe('warned')
  expect(await file.current()).toBe(accessToken)
  expect(refreshes(sandbox)).toBe(2)
})

test('tokens of a process that ended before it renamed the file are found', async () => {
  const { sandbox, path, open, accessToken } = await signedIn()
  const file = await open()
  const next = sandbox.grants.issue('app')
  sandbox.grants.revokeAccess()
  const stored = JSON.parse(await readFile(path, 'utf8'))
  const written = { ...stored, access_token: next.access_token, refresh_token: next.refresh_token }
  await writeFile(`${path}.new`, JSON.stringify(written), { mode: 0o600 })
  expect(await file.renew(accessToken)).toBe(next.access_token)
  expect(refreshes(sandbox)).toBe(0)
  expect(await readdir(join(path, '..'))).toEqual(['collab-token.json'])
})

test.for(['file', 'directory'])('a read-only %s is refused before anything is read', async (what) => {
  const { path, open } = await signedIn()
  const place = what === 'file' ? path : join(path, '..')
  await chmod(place, what === 'file' ? 0o400 : 0o500)
  onTestFinished(() => chmod(place, 0o700))
  expect(await rejection(open())).toMatchObject({ kind: 'unusable', message: expect.stringContaining('is read-only') })
})

test('a command gives the token at the start and once after a refusal', async () => {
  const { sandbox } = await sandboxed()
  const path = join(await scratch(), 'token')
  await writeFile(path, 'wrong\nsecond line\n')
  const token = await TokenCommand.open(['cat', path])
  await writeFile(path, `${sandbox.token}\n`)
  const client = clientOf(sandbox.baseUrl, { token })
  expect(await collect(client.projects.list.batches())).not.toHaveLength(0)
  expect(sandbox.requests.map(({ status }) => status)).toEqual([400, 200])
})

test.for([
  [['node', '-e', 'console.log("secret-output"); process.exit(3)'], 'node ended with exit code 3'],
  [['/none/program'], '/none/program cannot be started (ENOENT)'],
  [['node', '-e', ''], 'node printed no token in its first line'],
  [['node', '-e', 'setInterval(() => {}, 9)'], 'node did not end within 1 s'],
] as const)('a command that fails is named, without its output: %j', async ([command, problem]) => {
  const error = await rejection(TokenCommand.open([...command], { timeoutMs: 1000 }))
  expect(error).toMatchObject({ kind: 'unusable', message: `token_command: ${problem}` })
})

test('a code is taken from the answer with the right state and path alone', async () => {
  const { sandbox } = await sandboxed({ extended: ['oauth'] })
  const state = newState()
  await using listener = await listenForCode(0, state)
  const { redirectUri } = listener
  const waiting = listener.code(new AbortController().signal)
  const statusOf = async (address: string) => (await fetch(address)).status
  expect(await statusOf(`${redirectUri}?code=forged&state=${newState()}`)).toBe(400)
  expect(await statusOf(`${redirectUri}?code=forged`)).toBe(400)
  expect(await statusOf(redirectUri.replace('/callback', `/other?code=forged&state=${state}`))).toBe(404)
  const { authorizeUrl, tokenUrl } = oauthAddresses(sandbox.baseUrl)
  expect(await statusOf(authorizationUrl(authorizeUrl, { clientId: 'app', redirectUri, state }))).toBe(200)
  const code = await waiting
  const pair = await exchangeCode({ tokenUrl, clientId: 'app', code, redirectUri })
  expect(sandbox.grants.accepts(pair.accessToken)).toBe(true)
  const again = await rejection(exchangeCode({ tokenUrl, clientId: 'app', code, redirectUri }))
  expect(String(again)).toContain('the code has expired (100004, HTTP 400)')
  expect(String(again)).not.toContain(code)
})

test('a sign-in of another user that replaces the file is not taken over by a run', async () => {
  const { sandbox, path, open, accessToken, refreshToken } = await signedIn()
  const file = await open()
  const other = { accessToken: 'of-u2', refreshToken, expiresAt: null, uid: 'u2', clientId: 'app', addresses: {} }
  await storeSignIn(path, other)
  expect(await rejection(file.renew(accessToken))).toMatchObject({ message: expect.stringContaining('another user') })
  expect([await file.current(), file.uid, refreshes(sandbox)]).toEqual([accessToken, 'u1', 0])
})

test('tokens are stored even if the service gives them an impossible lifetime', async () => {
  const { path, open } = await signedIn()
  const bare = { accessToken: 'a', refreshToken: 'r', expiresAt: null, uid: 'u1', clientId: 'app', addresses: {} }
  await storeSignIn(path, withTokens(bare, { accessToken: 'a', refreshToken: 'r', expiresIn: 1e13 }))
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ access_token: 'a', expires_at: null })
  expect(await (await open()).current()).toBe('a')
})

test('root leaves a file that it refreshes to its owner', { skip: process.getuid?.() !== 0 }, async () => {
  const { sandbox, path, open, accessToken } = await signedIn()
  await chown(path, 65_534, 65_534)
  sandbox.grants.revokeAccess()
  expect(await (await open()).renew(accessToken)).not.toBe(accessToken)
  expect(await stat(path)).toMatchObject({ uid: 65_534, gid: 65_534 })
})
