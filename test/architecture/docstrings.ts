import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm
const STAR_EXPORT = /^export \* from '([^']+)'/gm
const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) ([\w$]+)/gm

/** A declaration that a package exports. */
export interface Exported {
  readonly name: string
  readonly file: string
  readonly documented: boolean
}

/** Whether a comment `/** … *\/` ends right before `offset`. */
function hasDocstring(text: string, offset: number): boolean {
  return text.slice(0, offset).trimEnd().endsWith('*/')
}

/** What `file` exports, at the place of its declaration: re-exports are followed within the package. */
export function exportsOf(file: string): Exported[] {
  const text = readFileSync(file, 'utf8')
  const found = new Map<string, Exported>()
  for (const match of text.matchAll(DECLARATION)) {
    const [, name = ''] = match
    // One documented overload is enough.
    const documented = hasDocstring(text, match.index) || found.get(name)?.documented === true
    found.set(name, { name, file, documented })
  }
  for (const [, names = '', from = ''] of text.matchAll(RE_EXPORT)) {
    const declared = from.startsWith('.') ? exportsOf(join(dirname(file), from)) : []
    for (const entry of names.split(',')) {
      const [source = '', alias = source] = entry
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      if (source === '') continue
      const declaration = declared.find(({ name }) => name === source)
      // What comes from another package is documented there.
      if (!from.startsWith('.')) continue
      found.set(alias, { name: alias, file: declaration?.file ?? file, documented: declaration?.documented ?? false })
    }
  }
  for (const [, from = ''] of text.matchAll(STAR_EXPORT)) {
    if (!from.startsWith('.')) continue
    for (const exported of exportsOf(join(dirname(file), from))) found.set(exported.name, exported)
  }
  return [...found.values()]
}
