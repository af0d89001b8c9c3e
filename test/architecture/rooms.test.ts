import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What each room may import of ours; `type` means types alone. */
const MAY_IMPORT: Readonly<Record<string, Readonly<Record<string, 'all' | 'type'>>>> = {
  'packages/contract': {},
  'packages/core': { contract: 'all' },
  'packages/sandbox': { cli: 'all', contract: 'all' },
  'packages/lock': {},
  'packages/warehouse': { contract: 'all', lock: 'all' },
  'packages/cli': {},
  'packages/bagit': { lock: 'all' },
  'packages/documents': { contract: 'all' },
  'apps/extractor': { cli: 'all', contract: 'all', core: 'all', warehouse: 'all' },
  'apps/exporter': {
    ...{ bagit: 'all', cli: 'all', contract: 'all', core: 'all', documents: 'all', lock: 'all', warehouse: 'all' },
  },
  'apps/nightly': { cli: 'all' },
}

/** Libraries that name what a room must not know: HTTP, Postgres, command lines. */
const MUST_NOT_KNOW: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [
    'undici',
    'fastify',
    'node:http',
    'node:https',
    'node:net',
    'pg',
    '@electric-sql/pglite',
    'yargs',
  ],
  'packages/core': ['pg', 'pg-copy-streams', '@electric-sql/pglite', 'node:fs', 'node:fs/promises', 'yargs'],
  'packages/sandbox': ['undici', 'pg', '@electric-sql/pglite'],
  'packages/lock': ['undici', 'fastify', 'node:http', 'node:https', 'node:net', 'pg', '@electric-sql/pglite', 'yargs'],
  'packages/warehouse': ['undici', 'fastify', 'node:http', 'node:https', 'yargs'],
  'packages/cli': ['undici', 'fastify', 'node:http', 'node:https', 'pg', '@electric-sql/pglite'],
  'apps/extractor': ['undici', 'pg', '@electric-sql/pglite'],
  'apps/exporter': ['undici', 'pg', '@electric-sql/pglite'],
  'apps/nightly': ['undici', 'pg', '@electric-sql/pglite'],
}

/** Rooms inside core and their order: a file may import its own room and those named. */
const CORE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  http: ['errors', 'read'],
  read: ['errors'],
  operations: ['errors', 'http', 'read'],
  walk: ['errors', 'http', 'read', 'operations'],
  streams: ['errors', 'http', 'read', 'operations', 'walk'],
  projects: ['errors', 'http', 'walk', 'streams'],
}

const IMPORT =
  /(?:^|\n)\s*(import|export)\s+(type\s)?[^'"`;]*?from\s+'([^']+)'|(?:^|\n)\s*import\s+'([^']+)'|import\('([^']+)'\)/g

interface Import {
  readonly file: string
  readonly from: string
  readonly typeOnly: boolean
}

function sourcesOf(room: string): string[] {
  return readdirSync(join(ROOT, room, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(room, 'src', name))
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(IMPORT)].map((match) => ({
    file,
    from: match[3] ?? match[4] ?? match[5] ?? '',
    typeOnly: match[2] !== undefined,
  }))
}

const rooms = Object.keys(MAY_IMPORT)

test('every room of the workspace has its rule', () => {
  const present = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  )
  expect(present.sort()).toEqual([...rooms].sort())
})

test.each(rooms)('%s imports only the rooms it may', (room) => {
  const wrong = sourcesOf(room)
    .flatMap(importsOf)
    .filter(({ from, typeOnly }) => {
      const name = /^@collab-etl\/([^/]+)/.exec(from)?.[1]
      if (name === undefined) return false
      const rule = MAY_IMPORT[room]?.[name]
      return rule === undefined || (rule === 'type' && !typeOnly)
    })
  expect(wrong).toEqual([])
})

test.each(rooms)('%s does not know what it must not know', (room) => {
  const forbidden = new Set(MUST_NOT_KNOW[room])
  expect(
    sourcesOf(room)
      .flatMap(importsOf)
      .filter(({ from }) => forbidden.has(from)),
  ).toEqual([])
})

test.each(rooms)('%s reaches into no other room by path', (room) => {
  const escaping = sourcesOf(room)
    .flatMap(importsOf)
    .filter(({ file, from }) => from.startsWith('.') && relative(room, join(file, '..', from)).startsWith('..'))
  expect(escaping).toEqual([])
})

test('inside core, imports point one way: errors, read, http, operations, walk, streams', () => {
  const wrong = sourcesOf('packages/core')
    .flatMap(importsOf)
    .filter(({ file, from }) => {
      if (!from.startsWith('.')) return false
      const own = roomInCore(file)
      const other = roomInCore(join(file, '..', from))
      return own !== undefined && other !== undefined && own !== other && !CORE_ROOMS[own]?.includes(other)
    })
  expect(wrong).toEqual([])
})

function roomInCore(file: string): string | undefined {
  const parts = file.split(sep)
  return parts.length > 4 ? parts[3] : undefined
}

test('no file of ours has over 400 lines', () => {
  const long = globSync('{packages,apps,test}/**/*.{ts,sql,js}', {
    cwd: ROOT,
    // schema.sql is made from the migrations
    exclude: (name) => /(^|[/\\])(node_modules|dist|golden|schema\.sql)$/.test(name),
  })
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400)
  expect(long).toEqual([])
})

test('the top level holds what it should, and nothing else', () => {
  const named =
    /^(\..*|package\.json|pnpm-workspace\.yaml|pnpm-lock\.yaml|turbo\.json|packages|apps|test|docs|README\.md|CHANGELOG\.md|LICENSE|(tsconfig\.base|biome|knip)\.json|vitest\.config\.ts)$/
  const made = /^(node_modules|collab-data|collab-backup|collab-sample|collab\.yaml|coverage)$/
  expect(readdirSync(ROOT).filter((name) => !named.test(name) && !made.test(name))).toEqual([])
})
