import type { LanguageFn } from 'highlight.js'
import common from 'highlight.js/lib/common'
import arduino from 'highlight.js/lib/languages/arduino'
import dart from 'highlight.js/lib/languages/dart'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import groovy from 'highlight.js/lib/languages/groovy'
import nginx from 'highlight.js/lib/languages/nginx'
import powershell from 'highlight.js/lib/languages/powershell'
import protobuf from 'highlight.js/lib/languages/protobuf'
import scala from 'highlight.js/lib/languages/scala'

/** The languages that the library names as common ones. */
const COMMON = common.listLanguages().flatMap((name): [string, LanguageFn][] => {
  const definition = common.getLanguage(name)?.rawDefinition
  return definition === undefined ? [] : [[name, definition]]
})

/** The languages of code that is highlighted, by their names. A language after another one takes over the aliases that both have. */
export const GRAMMARS: Readonly<Record<string, LanguageFn>> = {
  ...Object.fromEntries(COMMON),
  arduino,
  dart,
  dockerfile,
  elixir,
  groovy,
  nginx,
  powershell,
  protobuf,
  scala,
}
