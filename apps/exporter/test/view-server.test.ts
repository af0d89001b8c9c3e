import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type SiteServer, serveSite } from '../src/view/server.ts'
import { siteOf } from '../src/view/site.ts'
import { payload, writeTexts } from './bags.ts'

interface Served extends Pick<SiteServer, 'url' | 'port' | 'launchUrl'> {
  readonly bag: string
  readonly token: string
  readonly damage: readonly Error[]
}

const LARGE = 'x'.repeat(3_000_000)

/** A server over a small bag. */
async function serve(): Promise<Served> {
  const bag = join(await scratch(), 'bag')
  await writeTexts(bag, {
    'html/index.html': '<!doctype html>home',
    'html/a b/é%.html': 'page',
    'html/assets/site.css': 'body{}',
    'html/assets/large.css': LARGE,
    'report.html': 'report',
    'backup.json': '{"layout": 1}',
    'html/p--1/index.html': 'project',
    'html/p--1/pages/a#1--1.html': 'a page',
    'html/p--1/tasks.html': 'tasks',
    'html/p--1/archive.html': 'archived',
    'jsonl/x.jsonl': 'secret',
  })
  const damage: Error[] = []
  const server = await serveSite(await siteOf(bag, bag), {
    port: 0,
    onDamage: (error) => void damage.push(error),
    onForeignScript: () => {},
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { url, port, launchUrl } = server
  return { bag, url, port, launchUrl, damage, token: new URL(url).pathname.split('/')[1] ?? '' }
}

/** A request whose path and headers are sent as they are. */
async function ask(port: number, path: string, { method = 'GET', host = `127.0.0.1:${port}` } = {}) {
  const sent = request({ port, host: '127.0.0.1', method, path, setHost: false, headers: { host } })
  sent.end()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.once('response', resolve).once('error', reject)
  const response = await promise
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

describe('the server of view', () => {
  test('serves the files of the site, and leads the bare address to its home', async () => {
    const { url, port, token } = await serve()
    const home = await fetch(url)
    expect(home.url).toBe(`${url}html/index.html`)
    expect(await home.text()).toBe('<!doctype html>home')
    expect(home.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await (await fetch(`${url}html/a%20b/%C3%A9%25.html?x=1`)).text()).toBe('page')
    expect(await (await fetch(`${url}report.html`)).text()).toBe('report')
    expect((await (await fetch(`${url}html/assets/large.css`)).text()).length).toBe(LARGE.length)
    const head = await ask(port, `/${token}/html/assets/site.css`, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': '6', 'content-type': /css/ } })
  })

  test('says that a backup without a report has none', async () => {
    const bag = join(await scratch(), 'bag')
    await writeTexts(bag, { 'html/index.html': 'home', 'backup.json': '{}' })
    const options = { port: 0, onDamage: () => {}, onForeignScript: () => {} }
    await using server = await serveSite(await siteOf(bag, bag), options)
    const response = await fetch(`${server.url}report.html`)
    expect(response).toMatchObject({ status: 200, ok: true })
    expect(await response.text()).toContain('A version of collab-export that made no reports wrote this backup.')
  })

  test('leads links of the report to Markdown files to the pages that show them', async () => {
    const { url, port, token } = await serve()
    expect(await (await fetch(`${url}markdown/p--1/README.md`)).text()).toBe('project')
    expect(await (await fetch(`${url}markdown/p--1/pages/a%231--1.md#x`)).text()).toBe('a page')
    expect(await (await fetch(`${url}markdown/README.md`)).text()).toBe('<!doctype html>home')
    expect(await (await fetch(`${url}markdown/p--1/tasks/doing--2.md#task-t1`)).text()).toBe('tasks')
    expect(await (await fetch(`${url}markdown/p--1/tasks/archive-2024.md`)).text()).toBe('archived')
    expect(await (await fetch(`${url}markdown/p--1/events.md#2024-05`)).text()).toBe('project')
    for (const path of ['../index', 'none/index', 'none']) {
      expect((await ask(port, `/${token}/markdown/${path}.md`)).status).toBe(404)
    }
    expect(await (await fetch(`${url}backup.json`)).json()).toEqual({ layout: 1 })
  })

  test('sends each answer with headers that keep it from other sites and from the disk', async () => {
    const { port, token } = await serve()
    for (const path of [`/${token}/html/index.html`, '/', `/${token}/`]) {
      const { headers } = await ask(port, path)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test('answers 404 without the token, and to a name that is not that of this machine', async () => {
    const { port, token } = await serve()
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const path of [
      '/',
      '/html/index.html',
      `/${other}/html/index.html`,
      '//',
      `//${token}/html/index.html`,
      '*',
    ]) {
      expect((await ask(port, path)).status, path).toBe(404)
    }
    const home = `/${token}/html/index.html`
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`, '']) {
      expect((await ask(port, home, { host })).status, host).toBe(404)
    }
    expect((await ask(port, home, { host: `localhost:${port}` })).status).toBe(200)
    expect((await ask(port, `http://evil.example${home}`)).status).toBe(404)
  })

  test('refuses every method but GET and HEAD, and does not say so without the token', async () => {
    const { port, token } = await serve()
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const refused = await ask(port, `/${token}/html/index.html`, { method })
      expect(refused, method).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
      expect((await ask(port, '/html/index.html', { method })).status).toBe(404)
    }
  })

  test('serves no other file, however its path is written', async () => {
    const { port, token, bag } = await serve()
    await writeFile(payload(bag, 'html/new.html'), 'not in the manifest')
    const paths = [
      ...['html', 'html/', 'html/assets/', 'html/new.html', 'jsonl/x.jsonl', 'bagit.txt', '../bagit.txt'],
      ...['html/../jsonl/x.jsonl', 'html/%2e%2e/jsonl/x.jsonl', 'html%2f..%2fjsonl/x.jsonl', 'html/..%5cjsonl/x.jsonl'],
      ...[
        'html//index.html',
        './html/index.html',
        'html/index.html/',
        'html/index.html%00',
        '%',
        '%ff',
        'html/INDEX.html',
      ],
      ...['/etc/passwd', '..%2f..%2f..%2fetc/passwd', 'html/%252e%252e/jsonl/x.jsonl', '__proto__', 'html/constructor'],
    ]
    for (const path of paths) expect((await ask(port, `/${token}/${path}`)).status, path).toBe(404)
  })

  test('sends a damaged, missing or linked file as an error, never as a page', async () => {
    const { url, bag, damage } = await serve()
    await writeFile(payload(bag, 'html/index.html'), '<!doctype html>hame')
    await rename(payload(bag, 'html/assets/site.css'), payload(bag, 'away'))
    await symlink(payload(bag, 'away'), payload(bag, 'html/assets/site.css'))
    await rename(payload(bag, 'report.html'), payload(bag, 'gone'))
    for (const path of ['html/index.html', 'html/assets/site.css', 'report.html']) {
      const answer = await fetch(url + path)
      expect(answer.status, path).toBe(500)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(await answer.text()).toMatch(new RegExp(`is damaged: .*data/${path}[^]*collab-export verify`))
    }
    expect(damage.map(({ message }) => message)).toHaveLength(3)
  })

  test('cuts a large file whose end differs, so that the browser does not take it for whole', async () => {
    const { url, bag, damage } = await serve()
    const path = payload(bag, 'html/assets/large.css')
    await writeFile(path, `${(await readFile(path, 'utf8')).slice(0, -1)}y`)
    const lengthOf = async () => (await (await fetch(`${url}html/assets/large.css`)).text()).length
    await expect(lengthOf()).rejects.toThrow()
    expect(damage).toHaveLength(1)
  })

  test('serves no file behind a directory that became a link to another one', async () => {
    const { url, bag } = await serve()
    const outside = join(await scratch(), 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'site.css'), 'secret')
    await rename(payload(bag, 'html/assets'), payload(bag, 'moved'))
    await symlink(outside, payload(bag, 'html/assets'))
    const answer = await fetch(`${url}html/assets/site.css`)
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toMatch(/secret/)
  })

  test('the address that a browser is started with counts once', async () => {
    const { launchUrl, url, port } = await serve()
    const path = new URL(launchUrl).pathname
    expect(path).not.toBe(new URL(url).pathname)
    expect((await ask(port, path, { host: 'evil.example' })).status).toBe(404)
    expect((await fetch(launchUrl)).url).toBe(`${url}html/index.html`)
    expect((await fetch(launchUrl)).status).toBe(404)
  })

  test('is reached on 127.0.0.1 only, on another port and with another token each time', async () => {
    const [one, other] = [await serve(), await serve()]
    expect(one.port).not.toBe(other.port)
    expect(one.token).not.toBe(other.token)
    expect(one.token).toMatch(/^[\w-]{32}$/)
    await expect(fetch(one.url.replace('127.0.0.1', '[::1]'))).rejects.toThrow()
    await expect(fetch(one.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow()
  })
})
