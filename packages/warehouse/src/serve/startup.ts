import { SETTINGS } from './gate.ts'
import { textAt } from './messages.ts'

/** Settings by their names, in lower case. */
export type Settings = ReadonlyMap<string, string>

/**
 * The settings in the first message of a client, such as `TimeZone` of JDBC, or `options` with `-c search_path=…`. Without them, a client would read
 * other tables or times than it asked for. Those that `SET` refuses are left out, and the encoding: the server reports that it is UTF8.
 * @param body of the message
 */
export function settingsOf(body: Buffer): Settings {
  const asked: (readonly [name: string, value: string])[] = []
  for (let at = 4; at < body.length && body[at] !== 0; ) {
    const name = textAt(body, at)
    const value = textAt(body, name.end)
    at = value.end
    if (name.text === 'options') asked.unshift(...optionsIn(value.text))
    else asked.push([name.text, value.text])
  }
  const lower = asked.map(([name, value]) => [name.toLowerCase(), value] as const)
  return new Map(lower.filter(([name]) => SETTINGS.includes(name) && name !== 'client_encoding'))
}

/** `-c name=value`, `-cname=value` and `--name=value`; a backslash takes the next character as it is. */
function* optionsIn(text: string): Generator<readonly [name: string, value: string]> {
  const words = [...text.matchAll(/(?:\\.|[^\s\\])+/gs)].map(([word]) => word.replaceAll(/\\(.)/gs, '$1'))
  for (let at = 0; at < words.length; at++) {
    const word = words[at] === '-c' ? `-c${words[++at] ?? ''}` : (words[at] ?? '')
    const [, name = '', value] = /^(?:-c|--)([^=]+)=(.*)$/s.exec(word) ?? []
    if (value !== undefined) yield [name.replaceAll('-', '_'), value]
  }
}
