import { readMarkdownFile } from '@collab-etl/backups/read'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import type { BackupOptions } from '../src/backup/options.ts'
import { writeBag } from './backup-in.ts'
import { compared } from './diff-of.ts'
import { goldenSource } from './golden-source.ts'

async function backedUp(titleHeading: BackupOptions['titleHeading']): Promise<string> {
  const bag = await scratch()
  await writeBag(bag, goldenSource(), { formats: new Set(['markdown']), titleHeading })
  return bag
}

const RECORD = /^data\/markdown\/[^/]+\/(?:pages|posts)\/.*\.md$/

test('pages and posts begin with their title, and are read back without it', async () => {
  const [never, auto] = [await backedUp('never'), await backedUp('auto')]
  const texts = await filesOf(auto)
  let headings = 0
  for (const path of [...texts.keys()].filter((name) => RECORD.test(name))) {
    const [plain, titled] = [await readMarkdownFile(never, path), await readMarkdownFile(auto, path)]
    expect({ content: titled.content, rest: titled.rest }, path).toEqual({ content: plain.content, rest: plain.rest })
    const body = (texts.get(path) ?? '').replace(/^---\n[\s\S]*?\n---\n/, '')
    const { title, heading_bytes: bytes = 0 } = titled.about
    expect(body.endsWith(plain.content + plain.rest)).toBe(true)
    expect(Buffer.byteLength(body)).toBe(Buffer.byteLength(plain.content + plain.rest) + Number(bytes))
    if (bytes !== 0) headings += 1
    if (title !== '') expect(body, path).toMatch(/^# \S/)
  }
  expect(headings).toBeGreaterThan(4)
})

test('a backup with headings and one without have the same records', async () => {
  const comparison = await compared(await backedUp('never'), await backedUp('auto'))
  expect(comparison).toMatchObject({ form: 'markdown', changes: [] })
})
