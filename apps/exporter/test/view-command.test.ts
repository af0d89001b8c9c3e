import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { cleanEnvironment, type Ran, run, type Started } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, onTestFinished, test } from 'vitest'
import { view as viewCommand } from '../src/commands/view.ts'
import { serveSite } from '../src/view/server.ts'
import { siteOf } from '../src/view/site.ts'
import { writeBag } from './backup-in.ts'
import { htmlSource } from './html-source.ts'
import { inProcess } from './in-process.ts'

const COMMAND = join(import.meta.dirname, '../../../node_modules/.bin/collab-export')

/** Runs a program in a terminal of its own. */
const TERMINAL = 'script'

/** A backup as JSON lines. */
async function backup(): Promise<string> {
  const bag = await scratch()
  await writeBag(bag, htmlSource(), { formats: new Set(['jsonl']) })
  return bag
}

interface Viewing {
  readonly url: string
  readonly command: Started
  readonly ended: Promise<Ran>
  /** Its directory for temporary files. */
  readonly temporary: string
}

/** Runs the command until it serves. */
async function view(args: readonly string[], { temporary = '', cwd = '', env = {} } = {}): Promise<Viewing> {
  const directory = temporary === '' ? await scratch() : temporary
  const document = join(await scratch(), 'view.json')
  const { promise: started, resolve } = Promise.withResolvers<Started>()
  const ended = run('collab-export', ['view', ...args, '--json-file', document], {
    env: { TMPDIR: directory, ...env },
    ...(cwd !== '' && { cwd }),
    onStart: resolve,
  })
  const command = await started
  onTestFinished(() => void command.kill('SIGKILL'))
  return { url: await addressIn(document), command, ended, temporary: directory }
}

async function addressIn(document: string): Promise<string> {
  for (;;) {
    const text = await readFile(document, 'utf8').catch(() => '')
    if (text.endsWith('\n')) return JSON.parse(text).url
    await sleep(10)
  }
}

/** The temporary directories of viewers. */
async function leftIn(temporary: string): Promise<string[]> {
  const [own = ''] = (await readdir(temporary)).filter((name) => name.startsWith('collab-unpacked'))
  return own === '' ? [] : await readdir(join(temporary, own))
}

/** A directory with a program that takes the place of a browser, and the file in which it writes its arguments. */
async function browserOf(): Promise<{ readonly opened: string; readonly env: Readonly<Record<string, string>> }> {
  const programs = await scratch()
  const opened = join(programs, 'opened')
  await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\necho "$#" "$1" > ${opened}\n`, { mode: 0o755 })
  return { opened, env: { PATH: `${programs}${delimiter}${process.env['PATH']}` } }
}

describe('collab-export view', () => {
  test.runIf(process.platform === 'linux')(
    'starts a browser by an address that counts once, and leaves nothing behind at Ctrl-C',
    async () => {
      const { opened, env } = await browserOf()
      const { url, command, ended, temporary } = await view([await backup()], { env })
      await expect
        .poll(() => readFile(opened, 'utf8').catch(() => ''))
        .toMatch(/^1 http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/\n$/)
      const [, address = ''] = (await readFile(opened, 'utf8')).trim().split(' ')
      expect(address).not.toBe(url)
      expect(await (await fetch(address)).text()).toContain('Road Map')
      expect((await fetch(address)).status).toBe(404)
      expect((await fetch(url)).status).toBe(200)
      expect(await leftIn(temporary)).toHaveLength(1)
      command.kill('SIGINT')
      const { code, stdout } = await ended
      expect(code).toBe(0)
      expect(stdout).toMatch(
        /^Open: http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n {2}.*3 projects\n {2}rendered from its JSON lines\n/,
      )
      expect(await leftIn(temporary)).toEqual([])
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  test('ends with the process that has started it', async () => {
    const [document, temporary] = [join(await scratch(), 'view.json'), await scratch()]
    const script = '"$@" & wait'
    const words = ['-c', script, 'sh', COMMAND, 'view', await backup(), '--no-open', '--json-file', document]
    const parent = spawn('sh', words, { env: { ...cleanEnvironment(), TMPDIR: temporary }, stdio: 'ignore' })
    const url = await addressIn(document)
    expect((await fetch(url)).status).toBe(200)
    parent.kill('SIGKILL')
    await expect.poll(() => leftIn(temporary), { timeout: 5000 }).toEqual([])
    await expect(fetch(url)).rejects.toThrow()
  })

  test('refuses what is no port, and keys without an archive', async () => {
    const bag = await backup()
    for (const port of [65_536, -1, 1.5, Number.NaN]) {
      expect((await inProcess(viewCommand, { backup: bag, port })).code, String(port)).toBe(2)
    }
    const keys = await run('collab-export', ['view', bag, '--no-open', '--identity', 'key.txt'])
    expect(keys).toMatchObject({ code: 2, stderr: expect.stringMatching(/are for archives/) })
  })

  testThoroughly('serves each example of docs/view.md', async () => {
    const folder = await scratch()
    const page = await readFile(join(import.meta.dirname, '../../../docs/view.md'), 'utf8')
    const examples = [...page.matchAll(/^collab-export view (.*?) *#/gm)].map(([, words = '']) => words.split(/ +/))
    expect(examples).toHaveLength(3)
    await rename(await backup(), join(folder, 'made'))
    await mkdir(join(folder, 'backups'))
    await rename(join(folder, 'made'), join(folder, 'backups/20260101T020000Z'))
    await symlink('20260101T020000Z', join(folder, 'backups/latest'))
    const identity = await generateIdentity()
    await writeFile(join(folder, 'key.txt'), identity)
    const recipient = await identityToRecipient(identity)
    const archived = ['--as', 'tar.zst', '--encrypt', recipient, '--out', './collab.tar.zst.age']
    expect(await run('collab-export', ['archive', './backups', ...archived], { cwd: folder })).toMatchObject({
      code: 0,
    })
    for (const words of examples) {
      const quiet = words.includes('--no-open') ? [] : ['--no-open']
      const { url, command } = await view([...words, ...quiet], { cwd: folder })
      expect(await (await fetch(url)).text()).toContain('Road Map')
      command.kill('SIGINT')
    }
  })

  testThoroughly('ends when its terminal is closed, and leaves nothing behind', async () => {
    const [document, temporary] = [join(await scratch(), 'view.json'), await scratch()]
    const command = `exec ${COMMAND} view ${await backup()} --no-open --json-file ${document}`
    const env = { ...cleanEnvironment(), TMPDIR: temporary }
    const terminal = spawn(TERMINAL, ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
    const url = await addressIn(document)
    terminal.kill('SIGKILL')
    await expect.poll(() => leftIn(temporary), { timeout: 5000 }).toEqual([])
    await expect(fetch(url)).rejects.toThrow()
  })

  testThoroughly('removes at its start what a killed one has left, and not what another one uses', async () => {
    const bag = await backup()
    const { command, ended, temporary } = await view([bag, '--no-open'])
    command.kill('SIGKILL')
    await ended
    const [stale] = await leftIn(temporary)
    const other = await view([bag, '--no-open'], { temporary })
    const third = await view([bag, '--no-open'], { temporary })
    const left = await leftIn(temporary)
    expect(left).toHaveLength(2)
    expect(left).not.toContain(stale)
    for (const { url } of [other, third]) expect((await fetch(url)).status).toBe(200)
  })

  testThoroughly('refuses a directory for temporary files that others can read, and a port that is taken', async () => {
    const bag = await backup()
    const { url, temporary } = await view([bag, '--no-open'])
    const port = new URL(url).port
    const taken = await run('collab-export', ['view', bag, '--no-open', '--port', port])
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/port \d+ on 127\.0\.0\.1 is taken/) })
    const [own = ''] = await readdir(temporary)
    await chmod(join(temporary, own), 0o755)
    const shared = await run('collab-export', ['view', bag, '--no-open'], { env: { TMPDIR: temporary } })
    expect(shared).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not private to this user/) })
  })

  testThoroughly('serves on although no browser can be started, and says so', async () => {
    const { url, command, ended } = await view([await backup()], { env: { PATH: dirname(process.execPath) } })
    await sleep(100)
    expect((await fetch(url)).status).toBe(200)
    command.kill('SIGINT')
    expect((await ended).stderr).toContain('no browser could be started')
  })

  testThoroughly('exits with 5 if a file was not shown because it is damaged, and names it', async () => {
    const bag = await scratch()
    await writeBag(bag, htmlSource(), { formats: new Set(['html']) })
    const { url, command, ended } = await view([bag, '--no-open'])
    await writeFile(join(bag, 'data/html/index.html'), 'other')
    expect((await fetch(url)).status).toBe(500)
    command.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(5)
    expect(stderr).toContain('data/html/index.html')
  })
})

describe.skipIf(NO_CHROMIUM)('the served site in a browser', () => {
  test('opens, searches and follows links, with no error and no request to any other place', async () => {
    const bag = await scratch()
    await writeBag(bag, htmlSource(), { formats: new Set(['html']) })
    const server = await serveSite(await siteOf(bag, bag), { port: 0, onDamage: () => {}, onForeignScript: () => {} })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const { url } = server
    const { page, requests, complaints } = await openTab()
    await page.goto(url)
    await page.getByRole('link', { name: 'Road Map' }).click()
    await page.locator('.search input').fill('coffee')
    await page.getByRole('option', { name: /Launch: are we ready\?/ }).click()
    await page.getByRole('heading', { name: 'Launch: are we ready?' }).waitFor()
    await page.getByRole('link', { name: 'handbook' }).click()
    await page.getByRole('heading', { name: 'Handbook' }).first().waitFor()
    expect(complaints).toEqual([])
    expect(requests.every((request) => request.startsWith(url) || request.endsWith('/favicon.ico'))).toBe(true)
  })
})
