import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { takeLock } from '@collab-etl/lock'
import { expect, test, vi } from 'vitest'
import { exchangeCode, TokenCommand } from '../src/auth/index.ts'
import { isApiError, isAuthError, isSignInError } from '../src/index.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'
import { refreshes, scratch, signedIn } from './helpers/sign-in.ts'

const NO_ANSWERS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'an error 503': (response) => response.writeHead(503).end(),
  'a page of a maintenance': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Soon</p>'),
  'a redirect': (response) => response.writeHead(302, { location: '/maintenance' }).end(),
  'a broken connection': (response) => response.destroy(),
}

test.for(Object.keys(NO_ANSWERS))('%s instead of new tokens is retried, for a POST too', async (what) => {
  const server = await serve((response, _, nth) => {
    if (nth <= 3) NO_ANSWERS[what]?.(response)
    else json(response, sandbox.grants.issue('app'))
  })
  const oauth = { refreshUrl: `${server.url}/refresh` }
  const { sandbox, open } = await signedIn(3600, { oauth })
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.grants.revokeAccess()
  const [pid = ''] = sandbox.pids
  await client.posts.create({ pid, name: 'n', content: 'c' })
  expect([server.seen.length, client.stats.retries]).toEqual([4, 4])
})

test('tokens that do not come at all are no refusal, and the client stays usable', async () => {
  let isDown = true
  const server = await serve((response) => {
    if (isDown) NO_ANSWERS['a page of a maintenance']?.(response)
    else json(response, sandbox.grants.issue('app'))
  })
  const { sandbox, path, open } = await signedIn(3600, { oauth: { refreshUrl: server.url } })
  const stored = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...stored, expires_at: new Date(Date.now() - 1000) }))
  const client = clientOf(sandbox.baseUrl, { token: await open(), retries: 2 })
  const error = await rejection(client.projects.list())
  expect(error).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('gives no token now (HTTP 200)'),
  })
  expect([isAuthError(error), server.seen.length, sandbox.requests.length]).toEqual([false, 3, 0])
  isDown = false
  expect(await client.projects.list()).not.toHaveLength(0)
})

test('JSON without a token refuses a code, a page does not', async () => {
  const server = await serve((response, _, nth) => {
    if (nth <= 2) json(response, { message: 'no' })
    else NO_ANSWERS['a page of a maintenance']?.(response)
  })
  const of = { tokenUrl: server.url, clientId: 'app', code: 'c', redirectUri: 'http://127.0.0.1/callback' }
  expect(await rejection(exchangeCode(of))).toMatchObject({
    kind: 'refused',
    message: 'the service refused the code: its answer has no token (HTTP 200)',
  })
  expect(await rejection(exchangeCode(of))).toMatchObject({ kind: 'unreachable' })
  expect(server.seen).toHaveLength(5)
})

test('an abort ends waiting for the lock of another process', async () => {
  const stop = new AbortController()
  const { path, open, accessToken } = await signedIn(3600, { signal: stop.signal })
  const file = await open()
  await using _lock = await takeLock(`${path}.lock`)
  const waiting = rejection(file.renew(accessToken))
  stop.abort(new Error('stopped'))
  expect(await waiting).toBe(stop.signal.reason)
})

test('an abort kills a running command', async () => {
  const stop = new AbortController()
  const pidFile = join(await scratch(), 'pid')
  const command = ['sh', '-c', 'echo $$ > "$0"; exec sleep 600', pidFile] as const
  const opening = rejection(TokenCommand.open(command, { signal: stop.signal }))
  const pid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
  await expect.poll(pid).toBeGreaterThan(0)
  stop.abort(new Error('stopped'))
  expect(await opening).toBe(stop.signal.reason)
  const running = await pid()
  await vi.waitFor(() => expect(() => process.kill(running, 0)).toThrow('ESRCH'))
})

test('tokens that arrive after an abort are stored, and no further request is sent', async () => {
  const stop = new AbortController()
  const server = await serve((response) => {
    stop.abort(new Error('stopped'))
    json(response, { access_token: 'new-access', refresh_token: 'new-refresh' })
  })
  const { path, open, accessToken } = await signedIn(3600, { signal: stop.signal, oauth: { refreshUrl: server.url } })
  const file = await open()
  await file.renew(accessToken)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ access_token: 'new-access' })
  expect(await rejection(file.renew('new-access'))).toBe(stop.signal.reason)
  expect(server.seen).toHaveLength(1)
})

test('an expiry that an observed operation meets is renewed', async () => {
  const { sandbox, open } = await signedIn(3600, {}, ['oauth', 'profile'])
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.grants.revokeAccess()
  expect(await client.profile.get()).toHaveProperty('uid')
  expect(refreshes(sandbox)).toBe(1)
})

test('an observed operation that refuses every token renews it once, and ends nothing', async () => {
  const { sandbox, open } = await signedIn(3600, {}, ['oauth', 'profile'])
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.faults.add({ kind: 'error', errorCode: 100006, status: 400, operation: 'profile.get', times: 'always' })
  for (let turn = 0; turn < 3; turn++) expect(isApiError(await rejection(client.profile.get()), 100006)).toBe(true)
  expect(refreshes(sandbox)).toBe(1)
  expect(await client.projects.list()).not.toHaveLength(0)
})

test('a renewal that fails for an observed operation ends nothing', async () => {
  const { sandbox, path, open } = await signedIn(3600, {}, ['oauth', 'profile'])
  const stored = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...stored, refresh_token: 'lost' }))
  const client = clientOf(sandbox.baseUrl, { token: await open() })
  sandbox.faults.add({ kind: 'error', errorCode: 100006, status: 400, operation: 'profile.get', times: 'always' })
  expect(isApiError(await rejection(client.profile.get()), 100006)).toBe(true)
  expect(await client.projects.list()).not.toHaveLength(0)
  sandbox.grants.revokeAccess()
  expect(isSignInError(await rejection(client.projects.list()), 'refused')).toBe(true)
})

test.for([
  ['of another client', { client_id: 'other' }, 0o600],
  ['of another user', { uid: 'u2' }, 0o600],
  ['that others may read', {}, 0o644],
  ['that is a link', {}, null],
] as const)('a file %s beside the token file is removed, not taken over', async ([, fields, mode]) => {
  const { sandbox, path, open, accessToken } = await signedIn()
  const file = await open()
  const stored = JSON.parse(await readFile(path, 'utf8'))
  const planted = JSON.stringify({ ...stored, access_token: 'planted', refresh_token: 'planted', ...fields })
  const target = mode === null ? join(dirname(path), 'target') : `${path}.new`
  await writeFile(target, planted, { mode: mode ?? 0o600 })
  if (mode === null) await symlink(target, `${path}.new`)
  const token = await file.renew(accessToken)
  expect(sandbox.grants.accepts(token)).toBe(true)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ access_token: token, client_id: 'app', uid: 'u1' })
  expect(await readdir(dirname(path))).not.toContain('collab-token.json.new')
})

test('a token file with a byte order mark is read', async () => {
  const { path, open, accessToken } = await signedIn()
  await writeFile(path, `\uFEFF${await readFile(path, 'utf8')}`)
  expect(await (await open()).current()).toBe(accessToken)
})
