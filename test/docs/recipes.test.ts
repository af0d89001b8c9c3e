import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What starts or installs a package by its name, the flags, and the name. */
const RUNS =
  /\b(?:npx|pnpx|bunx|npm (?:exec|x|init)|(?:pnpm|yarn|bun) (?:dlx|x))((?: +-[-\w=@/]*)*) +(["']?[@\w][\w@./-]*)/g
const INSTALLS = /\b(?:npm|pnpm|yarn) (?:install|i|add)\b([^\n&|;`]*)/g

/** Names that have an owner, with a version. */
const KNOWN = /^["']?(?:node|npm|pnpm|@duckdb\/node-api)@/

/**
 * Parts of a text that could run code of a stranger: an unscoped name that is ours in this repository is free in the registry, so that
 * anybody could register it, and a user without our packages would run that.
 */
function openToStrangers(text: string): string[] {
  const run = [...text.matchAll(RUNS)].filter(([, flags = '', name = '']) => {
    const isLocalOnly = / --no(?:-install)?\b(?!=)/.test(flags)
    const isOurs = name.replace(/^["']/, '').startsWith('@collab-etl/') || flags.includes('--package=@collab-etl/')
    return !isLocalOnly && !isOurs && !KNOWN.test(name)
  })
  const installed = [...text.matchAll(INSTALLS)].filter(([, words = '']) =>
    words
      .split(/\s+/)
      .some((word) => /^["']?[a-z@]/.test(word) && !/^["']?@collab-etl\//.test(word) && !KNOWN.test(word)),
  )
  return [...run, ...installed].map(([part]) => part)
}

test('a name that anybody could register is found', () => {
  const open = ['npx collab-nightly', 'npx --yes collab-extract check', 'npm exec collab-export', 'pnpm dlx collab-mcp']
  for (const text of [
    ...open,
    'npx -y @stranger/collab-nightly',
    'npm install --global collab-nightly',
    'npm i pnpm',
  ]) {
    expect(openToStrangers(`30 2 * * * ${text} --quiet`)).toHaveLength(1)
  }
  const safe = [
    'npx --no-install collab-nightly',
    'npx --no -- collab-nightly',
    'npx --package=@collab-etl/nightly collab-nightly',
    'npx @collab-etl/nightly',
  ]
  for (const text of [...safe, 'npx --yes pnpm@12.21.0 install', 'npm install --prefix /opt/x @collab-etl/nightly']) {
    expect(openToStrangers(text)).toEqual([])
  }
})

test('no recipe, message or script runs a name that anybody could register', () => {
  const files = globSync(
    [
      ...['*.md', 'package.json', 'docs/**/*.md', '{packages,apps,test}/**/*.md', '.github/**/*.{md,yml}', '.ci/*'],
      ...['deploy/**/*', '{packages,apps}/*/package.json', '{packages,apps}/*/{src,bin}/**/*.{ts,js}'],
    ],
    { cwd: ROOT, exclude: (name) => /(^|[/\\])(node_modules|dist|golden)$/.test(name) },
  )
    .map((file) => join(ROOT, file))
    .filter((file) => statSync(file).isFile())
  expect(files.length).toBeGreaterThan(400)
  const open = files.flatMap((file) =>
    openToStrangers(readFileSync(file, 'utf8')).map((part) => `${file.slice(ROOT.length + 1)}: ${part}`),
  )
  expect(open).toEqual([])
})
