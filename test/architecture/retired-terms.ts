import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'

/** A term that the glossary (docs/dev/glossary.md) replaced. */
interface RetiredTerm {
  readonly term: string
  /** Applied to text in lower case whose camelCase, snake_case and kebab-case names are split into words. */
  readonly pattern: RegExp
  readonly instead: string
  /** `code`: only these files. `prose`: comments, documentation and sentences in strings, without code font. */
  readonly only?: readonly string[] | 'prose'
}

const RETIRED: readonly RetiredTerm[] = [
  { term: 'ledger', pattern: /\bledgers?\b/, instead: 'run log' },
  { term: 'lane', pattern: /\blanes?\b/, instead: 'staging slot, queue or backend' },
  { term: 'atlas', pattern: /\batlas\b/, instead: 'path index' },
  { term: 'nights', pattern: /\bnights\/|\/nights\b/, instead: 'repository, retention' },
  {
    term: 'certificate',
    pattern: /\bcertificates?\b|\bcertif(?:y|ies|ied)\b/,
    instead: 'content hash, backup manifest',
  },
  { term: 'lossy', pattern: /\blossy\b/, instead: 'conversion issue' },
  { term: 'kept pages', pattern: /\bkept pages?\b/, instead: 'checkpoint' },
  { term: 'backup before', pattern: /\bbackups? before\b(?! [a-z]+ing\b)/, instead: 'previous backup' },
  { term: 'further name', pattern: /\bfurther names?\b/, instead: 'hard link' },
  { term: 'leftover', pattern: /\bleftovers?\b|\bleft overs?\b/, instead: 'temporary directory' },
  { term: 'findable', pattern: /\bfindables?\b/, instead: 'search document' },
  { term: 'effort', pattern: /\befforts?\b/, instead: 'parse budget' },
  { term: 'fate', pattern: /\bfates?\b/, instead: 'state' },
  { term: 'ground', pattern: /\bgrounds?\b/, instead: 'fixture', only: ['**/test/**', 'test/**'] },
  { term: 'found things', pattern: /\bfound things?\b/, instead: 'discovered ids' },
  { term: 'told', pattern: /\btold\b/, instead: 'reported, notified' },
  { term: 'nobody', pattern: /\bnobody\b/, instead: 'no user, no process' },
  { term: 'whatever', pattern: /\bwhatever\b/, instead: 'a noun that says what is meant' },
  { term: 'hand on', pattern: /\bhand(?:s|ed|ing)? on\b/, instead: 'emit' },
  { term: 'go on', pattern: /\b(?:go|goes|going|went|gone) on\b/, instead: 'continue, resume' },
  { term: 'give up', pattern: /\b(?:give|gives|giving|gave|given) up\b/, instead: 'abort' },
  { term: 'become of', pattern: /\b(?:become|becomes|became) of\b/, instead: 'the outcome of' },
  { term: 'stands', pattern: /\bstands\b/, instead: 'is' },
  { term: 'lies', pattern: /\blies\b/, instead: 'is' },
  { term: 'API page', pattern: /\bapi page\b/, instead: 'docs/dev/service-api.md' },
  {
    term: 'workspace',
    pattern: /\bworkspaces?\b/,
    instead: 'temporary directory',
    only: ['apps/exporter/src/**', 'packages/bagit/src/**', 'packages/lock/src/**'],
  },
  { term: 'drifted', pattern: /\bdrift(?:s|ed|ing)?\b/, instead: 'inconsistent read', only: 'prose' },
  { term: 'shrink', pattern: /\bshrinks?\b/, instead: 'deletion guard', only: 'prose' },
  {
    term: 'room',
    pattern: /\brooms?\b(?! for\b)/,
    instead: 'package, directory',
    only: ['test/architecture/**', '.github/**'],
  },
  { term: 'frame', pattern: /\bframes?\b/, instead: 'page layout', only: ['**/html/**', 'test/faults/**'] },
]

/** Where a retired term is right. A reason beside each. */
const EXCEPTIONS: readonly { readonly files: string; readonly terms?: string; readonly reason: string }[] = [
  { files: 'docs/dev/glossary.md', reason: 'lists what each term replaced' },
  { files: 'test/architecture/retired-terms*.ts', reason: 'is the list' },
  { files: 'packages/warehouse/src/tables/run-log.ts', terms: 'drifted', reason: 'explains the statuses' },
  { files: '**/golden/**', reason: 'is what programs wrote' },
  { files: 'pnpm-lock.yaml', reason: 'is made by pnpm' },
  { files: 'LICENSE', reason: 'is not ours' },
  { files: 'test/harness/postgres-binaries.ts', terms: 'nobody', reason: 'names a user of the operating system' },
  {
    files: 'test/{harness/tls-identity,faults/security/support/*}.ts',
    terms: 'certificate',
    reason: 'makes TLS certificates',
  },
  { files: 'packages/cli/test/{,fixture/}authorities*.ts', terms: 'certificate', reason: 'tests TLS certificates' },
  { files: 'packages/cli/src/settings/authorities.ts', terms: 'certificate', reason: 'reads TLS certificates' },
]

/** Lines in which a retired term means something else. */
const OTHER_MEANINGS: readonly { readonly term: string; readonly line: RegExp; readonly reason: string }[] = [
  {
    term: 'certificate',
    line: /tls|x\.?509|authorit|pem\b|\bca\b|issuer|self.signed|trusted|verif|expired|CERT_|BEGIN|services?'s? certificate|certificate of (?:a|the) (?:host|server|service)/i,
    reason: 'TLS',
  },
  {
    term: 'frame',
    line: /iframe|frame-(?:src|ancestors)|frameset|<frame|,? and frames|frames?, image/i,
    reason: 'HTML elements',
  },
  {
    term: 'drifted',
    line: /['"`[]drift(?:ed)?['"`\]]|\bdrift[:?]|\bas drifted\b|drifted: /,
    reason: 'the status value',
  },
  { term: 'shrink', line: /max-?shrink|allow-?shrink|json shrinks/i, reason: 'the flags; sizes' },
  { term: 'room', line: /(?:has|leaves?|no|any|have|while there is) room|full disk|disk full/i, reason: 'space' },
  { term: 'workspace', line: /empty workspace|workspace:\*/, reason: "the service's workspaces; pnpm" },
]

/** Place at which a retired term is used. */
export interface Finding {
  readonly path: string
  /** 1-based; 0 is the file's own name. */
  readonly line: number
  readonly term: string
  readonly instead: string
  readonly text: string
}

const EXTENSIONS = /\.(?:ts|mts|mjs|js|md|sql|ya?ml)$/

/** `keptPages`, `kept_pages` and `kept-pages` as `kept pages`. */
function words(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
}

/** The part of a line that is prose: of code the comment and the strings that hold a sentence, without code font. */
function proseOf(path: string, line: string): string {
  const text = line.replaceAll(/`[^`]*`/g, path.endsWith('.md') ? '' : '$&')
  if (path.endsWith('.md')) return text
  const comment = /^\s*(?:\/\*\*?|\*|--)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? ''
  const sentences = [...line.matchAll(/'([^']*\s[^']*\s[^']*)'|`([^`]*\s[^`]*\s[^`]*)`/g)].map(
    ([, quoted = '', template = '']) => quoted + template,
  )
  return [comment.replaceAll(/`[^`]*`/g, ''), ...sentences].join(' ')
}

function applies(term: RetiredTerm, path: string): boolean {
  if (term.only === undefined || term.only === 'prose') return true
  return term.only.some((glob) => matchesGlob(path, glob))
}

function findingsIn(root: string, path: string): Finding[] {
  const exceptions = EXCEPTIONS.filter(({ files }) => matchesGlob(path, files))
  const isExcepted = (term: string) => exceptions.some(({ terms = term }) => terms === term)
  const terms = RETIRED.filter((term) => !isExcepted(term.term) && applies(term, path))
  if (terms.length === 0) return []
  const lines = [path, ...readFileSync(join(root, path), 'utf8').split('\n')]
  let fenced = false
  return lines.flatMap((text, line) => {
    if (path.endsWith('.md') && text.startsWith('```')) fenced = !fenced
    const all = words(text)
    const prose = line === 0 || fenced ? '' : words(proseOf(path, text))
    return terms
      .filter(({ term, pattern, only }) => {
        if (!pattern.test(only === 'prose' ? prose : all)) return false
        return !OTHER_MEANINGS.some((other) => other.term === term && other.line.test(text))
      })
      .map(({ term, instead }) => ({ path, line, term, instead, text: text.trim() }))
  })
}

/**
 * Uses of retired terms in the files of the repository at `root` that git tracks or would track, or of the directory
 * `under` in it.
 */
export function retiredTerms(root: string, under = '.'): Finding[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', under], {
    cwd: root,
    encoding: 'utf8',
  })
  return [...new Set(listed.split('\0'))]
    .filter((path) => EXTENSIONS.test(path) && existsSync(join(root, path)))
    .flatMap((path) => findingsIn(root, path))
}

// `node test/architecture/retired-terms.ts [directory]` prints each use.
if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../..')
  const found = retiredTerms(root, relative(root, process.argv[2] ?? root) || '.')
  for (const { path, line, term, instead, text } of found) {
    process.stdout.write(`${path}:${line}: ${term} (use: ${instead})  ${text.slice(0, 120)}\n`)
  }
  process.stdout.write(`${found.length} uses of retired terms\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
