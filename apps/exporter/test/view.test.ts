import { readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { type DecryptFlags, PrivateDirectory } from '@collab-etl/backups/unpack'
import { scratch } from '@collab-etl/harness/scratch'
import { describeThoroughly, testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions } from '../src/backup/options.ts'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { openView, type View, type ViewOptions } from '../src/view/open-view.ts'
import { encrypterFor, writeArchive } from './archives.ts'
import { asCommand } from './as-command.ts'
import { OPTIONS } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { htmlSource } from './html-source.ts'
import { handMadeSource, pageRow, projectRow, taskRow } from './rows.ts'

const signal = new AbortController().signal

/** A backup of a state in one format; the directory of the backup. */
async function backupOf(source: BackupRows, format: Format, more: Partial<BackupOptions> = {}): Promise<string> {
  const { path } = await makeBackup({
    signal,
    onRecord: () => {},
    onStaleDirectories: () => {},
    software: 'test 0',
    directory: await scratch(),
    link: 'hard',
    openSource: async () => source,
    options: { ...OPTIONS, ...more, formats: new Set([format]) },
  })
  return path
}

type Viewed = View & { readonly pages: ReadonlyMap<string, string> }

/** Opens a backup as `view` does, and reads all files of its site. */
async function viewOf(
  named: string,
  keys: DecryptFlags | null = null,
  more: Partial<Pick<ViewOptions, 'signal' | 'onProgress'>> = {},
): Promise<Viewed> {
  const temporary = new PrivateDirectory(signal)
  onTestFinished(() => temporary[Symbol.asyncDispose]())
  const view = await asCommand(() =>
    openView(named, {
      keys: keys ?? {},
      temporary,
      signal,
      links: [],
      serviceHosts: [],
      onProgress: () => {},
      ...more,
    }),
  )
  const pages = new Map<string, string>()
  const { path: directory } = await temporary.open()
  for (const [path, { bag, file }] of view.site) {
    if (path.startsWith('html/')) pages.set(path, await readFile(join(bag, file.path), 'utf8'))
    else expect(await realpath(bag)).toBe(keys === null ? named : join(directory, 'archive'))
  }
  return { ...view, pages }
}

/** The HTML of a backup, by the paths that `view` serves. */
async function htmlOf(backup: string): Promise<Map<string, string>> {
  const files = await filesOf(join(backup, 'data/html'))
  return new Map([...files].map(([path, text]) => [`html/${path}`, text]))
}

/** What a service may offer beyond its documentation. */
function offeredSource(): BackupRows {
  const [created_at, email] = ['2024-01-01T08:00:00.000Z', 'ann@mail.example']
  const comment = { pid: 'P1', tid: 't1', cid: 'c1', message: 'm', raw_message: 'seen', type: 1, format: 1 }
  const file = { pid: 'P1', parent_kind: 'task', parent_id: 't1', cid: 'c1', fid: 'f1', name: 'a.pdf' }
  return handMadeSource({
    tables: {
      projects: [projectRow('P1', 'One')],
      project_members: [{ pid: 'P1', uid: 'u1', role: 1, email, joined_at: created_at, extra: null }],
      users: [{ uid: 'u1', name: 'Ann', email, extra: null }],
      entries: [{ pid: 'P1', entry_id: 'e1', name: 'Empty', position: 1, created_at, updated_at: created_at }],
      tasks: [taskRow('P1', 't1', 'One task', { comment_count: 1 })],
      task_comments: [{ ...comment, owner_uid: 'u1', created_at, extra: null }],
      comment_files: [file],
    },
  })
}

describe('view of JSON lines', () => {
  test('shows the same site, byte for byte, as the HTML of the same state', async () => {
    for (const source of [goldenSource, htmlSource, offeredSource]) {
      for (const naming of ['id-suffix', 'plain', 'docusaurus'] as const) {
        const expected = await htmlOf(await backupOf(source(), 'html', { naming }))
        const { pages, form } = await viewOf(await backupOf(source(), 'jsonl', { naming }))
        expect(form.format).toBe('jsonl')
        expect([...pages.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [path, text] of expected) expect(pages.get(path), path).toBe(text)
      }
    }
  })

  test('shows the kinds that the backup holds, and names the others', async () => {
    const backup = await backupOf(htmlSource(), 'jsonl', { content: new Set(['posts', 'tasks']) })
    const { pages, lacks } = await viewOf(backup)
    expect(lacks).toEqual(['pages', 'events', 'files'])
    expect([...pages.keys()].filter((path) => path.includes('/pages/'))).toEqual([])
    expect([...pages.keys()].filter((path) => path.includes('/posts/'))).toHaveLength(2)
    const csv = await viewOf(await backupOf(htmlSource(), 'csv', { content: new Set(['posts']) }))
    expect(csv.lacks).toEqual(['pages', 'tasks', 'events', 'files', 'users'])
  })

  test('shows a project of which only records could be read', async () => {
    const source = () =>
      handMadeSource({
        tables: { pages: [pageRow('P9', 'a', 'Alone')] },
        scopes: [{ pid: 'P9', stream: 'projects', status: 'failed', error: { code: '1', message: 'x' } }],
      })
    const expected = await htmlOf(await backupOf(source(), 'html'))
    expect([...expected.keys()].some((path) => path.endsWith('/alone--a.html'))).toBe(true)
    for (const format of ['jsonl', 'csv'] as const) {
      const { pages, isPartial } = await viewOf(await backupOf(source(), format))
      expect(isPartial).toBe(true)
      for (const [path, text] of expected) expect(pages.get(path), path).toBe(text)
    }
  })

  test('ends at once if it is interrupted while it reads or renders', async () => {
    const backup = await backupOf(htmlSource(), 'jsonl')
    for (const at of ['reading', 'rendering']) {
      const interrupted = new AbortController()
      const reason = new Error('interrupted')
      const onProgress = (step: string) => {
        if (step === at) interrupted.abort(reason)
      }
      await expect(viewOf(backup, null, { signal: interrupted.signal, onProgress }), at).rejects.toBe(reason)
    }
  })
})

test.each([
  ['jsonl', /posts\.jsonl$/],
  ['csv', /pages\.csv$/],
  ['html', /manifest-sha256\.txt$/],
] as const)('a backup in %s whose bytes changed is refused before anything is shown', async (format, wanted) => {
  const backup = await backupOf(htmlSource(), format)
  const [path, text] = [...(await filesOf(backup))].find(([name, held]) => wanted.test(name) && held !== '') ?? ['', '']
  await writeFile(join(backup, path), text.replace(/[a-z]/, 'ß'))
  await expect(viewOf(backup)).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining(path) })
  await rm(join(backup, path))
  await expect(viewOf(backup)).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(/missing/) })
})

/** Tables that CSV does not have. */
const NOT_IN_CSV = [
  'project_labels',
  'page_watchers',
  'post_watchers',
  'task_watchers',
  'file_watchers',
  'file_comments',
]

describeThoroughly('view of CSV', () => {
  test('shows the same site as the HTML of a state without what CSV does not hold', async () => {
    for (const source of [goldenSource, htmlSource, offeredSource]) {
      const held = source()
      const bare: BackupRows = {
        ...held,
        rows: (table, options) => (NOT_IN_CSV.includes(table) ? noRows() : held.rows(table, options)),
      }
      const expected = await htmlOf(await backupOf(bare, 'html'))
      for (const csv of [OPTIONS.csv, { rawCells: true, bom: true, delimiter: ';' }]) {
        const { pages, form } = await viewOf(await backupOf(source(), 'csv', { csv }))
        expect(form).toMatchObject({ format: 'csv', without: expect.stringMatching(/watchers/) })
        expect([...pages.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [path, text] of expected) expect(pages.get(path), path).toBe(text)
      }
    }
  })
})

/** What the site of a Markdown backup has pages for. */
const AS_TEXT: Partial<BackupOptions> = { content: new Set(['pages', 'posts', 'users']) }

describe('view of Markdown', () => {
  testThoroughly('shows pages and posts as the HTML of the same state does, with links in each style', async () => {
    const expected = await htmlOf(await backupOf(htmlSource(), 'html', AS_TEXT))
    const isPage = (path: string) => /\/pages\/|2\.html$/.test(path)
    for (const linkStyle of ['relative', 'page', 'wiki', 'none'] as const) {
      const { pages, form } = await viewOf(await backupOf(htmlSource(), 'markdown', { linkStyle }))
      expect(form).toMatchObject({ format: 'markdown', without: expect.stringMatching(/descriptions/) })
      for (const [path, text] of expected) if (isPage(path)) expect(pages.get(path), `${linkStyle} ${path}`).toBe(text)
    }
  })

  test('shows comments, tasks and events as the text that the files have', async () => {
    const { pages, lacks } = await viewOf(await backupOf(goldenSource(), 'markdown'))
    const post = [...pages].find(([path]) => path.includes('/posts/launch'))?.[1]
    expect(post).toContain('later, see <a href=')
    expect(post).not.toContain('<!-- collab-export')
    const lists = [...pages.keys()].filter((path) => /--list-[0-9a-f]{16}\.html$/.test(path))
    expect(lists.map((path) => path.replace(/.*\/(.*)--list.*/, '$1')).sort()).toEqual(
      expect.arrayContaining(['events', 'doing']),
    )
    expect(lacks).not.toContain('tasks')
  })

  test('shows tasks with a file each as tasks, with their groups', async () => {
    const { pages } = await viewOf(await backupOf(goldenSource(), 'markdown', { taskFiles: 'one' }))
    const paths = [...pages.keys()]
    expect(paths.filter((path) => /\/tasks\/[^/]+\.html$/.test(path)).length).toBeGreaterThan(1)
    expect(paths.filter((path) => /doing--list-/.test(path))).toEqual([])
    const board = [...pages].find(([path]) => path.endsWith('/board.html'))?.[1]
    expect(board).toContain('Doing')
  })

  test('leads links to records with any characters in their ids', async () => {
    const ids = ["it's (1).", 'a/b', '..', '%2e', 'ä', '[x]', '<b>', '#1', '?q', ' ']
    const rows = ids.map((id) => pageRow('P/1', id, id))
    const content = ids
      .map((id) => `[to](/project/P%2F1/page/${encodeURIComponent(id).replaceAll("'", '%27')})`)
      .join(' ')
    const source = handMadeSource({
      tables: { projects: [projectRow('P/1', 'x')], pages: [...rows, pageRow('P/1', 'zz', 'zz', { content })] },
    })
    const [html, markdown] = [await backupOf(source, 'html', AS_TEXT), await backupOf(source, 'markdown')]
    const { pages } = await viewOf(markdown)
    const [path, expected] = [...(await htmlOf(html))].find(([file]) => file.endsWith('/zz--zz.html')) ?? ['', '']
    expect(expected.match(/<a href="[^"]*">to</g)?.length).toBeGreaterThan(0)
    expect(pages.get(path)).toBe(expected)
  })
})

async function* noRows(): AsyncGenerator<never, void, undefined> {}

describe('view of HTML', () => {
  test('serves the files of the backup as they are, and makes none', async () => {
    const backup = await backupOf(htmlSource(), 'html')
    const { pages, form, site } = await viewOf(backup)
    expect(form).toMatchObject({ format: 'html' })
    expect(pages).toEqual(await htmlOf(backup))
    expect(new Set([...site.values()].map(({ bag }) => bag))).toEqual(new Set([backup]))
  })
})

describe('view of archives', () => {
  test('shows what is in each kind of archive, and in an encrypted one with its key', async () => {
    const [html, jsonl] = [await backupOf(htmlSource(), 'html'), await backupOf(htmlSource(), 'jsonl')]
    const expected = await htmlOf(html)
    const identity = await generateIdentity()
    const keyFile = join(await scratch(), 'key.txt')
    await writeFile(keyFile, identity)
    const keys = { recipients: [await identityToRecipient(identity)], passphraseFile: undefined }
    for (const [bag, format, encrypter] of [
      [html, 'tar.gz', null],
      [jsonl, 'zip', null],
      [jsonl, 'tar.zst', await encrypterFor(keys)],
    ] as const) {
      const out = join(await scratch(), `backup.${format}`)
      const archive = await writeArchive({ bag, out, format, encrypter, signal, onFile: () => {} })
      const { pages, name } = await viewOf(archive.path, encrypter === null ? {} : { identity: keyFile })
      expect(name).toBe(`backup.${format}`)
      for (const [path, text] of expected) expect(pages.get(path), path).toBe(text)
    }
  })
})
